"""Many writers of one thing: nobody is turned away, nothing is stored twice."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from recollect import Recollect
from tests.patience import until

WRITERS = 8
TIMES = 15


def _at_once(work: Callable[[int], None]) -> None:
    with ThreadPoolExecutor(WRITERS) as pool:
        for done in [pool.submit(work, number) for number in range(WRITERS)]:
            done.result()


def test_a_slot_that_all_write_to_gives_nobody_a_conflict(tmp_path: Path) -> None:
    """Eight writers of one key all succeed, and one value stands in the end."""
    with Recollect(str(tmp_path / "memory.db")) as memory:
        space = memory.space("ana")

        def write(number: int) -> None:
            for turn in range(TIMES):
                assert space.remember(f"city {number} of turn {turn}", key="city").outcome in ("stored", "superseded")

        _at_once(write)
        assert len(space.list(key="city")) == 1
        assert space.stats().states == {"active": 1, "superseded": WRITERS * TIMES - 1}
        assert all(finding.ok for finding in memory.doctor())


def test_a_memory_that_all_rate_gives_nobody_a_conflict(tmp_path: Path) -> None:
    """Eight writers that rate one memory all succeed, and each rating is a version of its own."""
    with Recollect(str(tmp_path / "memory.db")) as memory:
        space = memory.space("ana")
        known = space.remember("Ana lives in Lisbon.").id

        def rate(number: int) -> None:
            for turn in range(TIMES):
                space.rate(known, 1 + (number + turn) % 10)

        _at_once(rate)
        assert space.get(known).version == 1 + WRITERS * TIMES


def test_one_text_remembered_by_all_is_stored_once(tmp_path: Path) -> None:
    """Eight writers of nearly the same sentences leave one memory of each."""
    with Recollect(str(tmp_path / "memory.db")) as memory:
        space = memory.space("ana")

        def write(number: int) -> None:
            for turn in range(TIMES):
                article = "the" if number % 2 else "an"
                space.remember(f"On day {turn} Ana walked all the way to {article} old harbour with her dog.")

        _at_once(write)
        assert space.stats().kinds == {"fact": TIMES}


def test_what_a_reader_used_is_written_without_a_write(tmp_path: Path) -> None:
    """A process that only recalls still gets its uses written after a while."""
    with Recollect(str(tmp_path / "memory.db")) as memory:
        space = memory.space("ana")
        known = space.remember("Ana lives in Lisbon.").id
        memory._runtime.store._writer._pause = 0.05  # type: ignore[attr-defined]
        memory._runtime.store._touched_since = 0.0  # type: ignore[attr-defined]
        space.recall("Lisbon")
        memory._runtime.store._touched_since = 0.0  # type: ignore[attr-defined]
        assert until(lambda: space.get(known).access_count)
