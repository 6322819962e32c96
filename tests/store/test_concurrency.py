"""Many at once: threads and processes on one file, nothing lost, nothing twice."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from recollect import Receipt, Recollect, RecollectError, Space
from recollect.testing.contract import together
from tests.patience import all_at_once
from tests.wide import many

EACH = many(6, 12)
"""How many messages a thread sends."""

WRITER = """
    import json, sys
    from recollect import Recollect
    url, me, many = sys.argv[1], sys.argv[2], int(sys.argv[3])
    told, same = [], []
    with Recollect(url) as rc:
        print("ready", flush=True)
        sys.stdin.readline()
        for n in range(many):
            space = rc.space("shared" if n % 2 else f"user {me}", session=f"s{me}")
            told.append(space.observe("user", f"message {n} of {me}").id)
            same.append(rc.space("shared").remember(f"Common fact number {n}.", request_id=f"request {n}").id)
            rc.space("shared").remember("Everybody saves this very fact.")
            rc.space("shared").remember(f"value of {me} at {n}", key="slot")
            space.recall("message")
    print(json.dumps([told, same]))
"""


def test_processes(tmp_path: Path) -> None:
    """Four processes write to one file: no lock error, no gap, no loss, and a request is carried out once."""
    url, times = f"sqlite:///{tmp_path}/memory.db", 40
    outputs = all_at_once([[textwrap.dedent(WRITER), url, str(n), str(times)] for n in range(4)])
    assert [errors for _, errors in outputs] == [""] * 4
    answers = [json.loads(out) for out, _ in outputs]
    with Recollect(url) as rc:
        shared = rc.space("shared")
        assert len({tuple(same) for _, same in answers}) == 1
        for n in range(4):
            revs = {entry.rev for entry in rc.space(f"user {n}").journal(limit=10_000)}
            assert revs == set(range(1, rc.space(f"user {n}").stats().rev + 1))
        stored = {m.id for n in range(4) for m in rc.space(f"user {n}").list(kinds="episode", limit=1000)}
        stored |= {m.id for m in shared.list(kinds="episode", limit=1000)}
        assert stored == {one for told, _ in answers for one in told}
        facts = [m.content for m in shared.list(kinds="fact", limit=1000)]
        assert sorted(facts).count("Everybody saves this very fact.") == 1
        assert len([fact for fact in facts if fact.startswith("Common")]) == times
        assert len(shared.list(key="slot")) == 1
        assert all(finding.ok for finding in rc.doctor())


def test_threads_share_one_recollect(rc: Recollect) -> None:
    """Threads writing, reading and correcting through one handle disturb each other in nothing."""

    def job(n: int) -> Callable[[], Any]:
        space = rc.space(f"user {n % 3}", session=f"s{n}")

        def run() -> list[Receipt]:
            out = []
            for k in range(EACH):
                out.append(space.observe("user", f"message {k} of {n}"))
                one = space.remember(f"Thread {n} noted fact {k}.")
                out.append(space.correct(one.id, f"Thread {n} corrected fact {k}."))
                space.recall("fact")
                space.context("fact")
            return out

        return run

    answers = together([job(n) for n in range(9)])
    assert [one for one in answers if isinstance(one, RecollectError)] == []
    assert all(receipt.ok for out in answers for receipt in out)
    for n in range(3):
        stats = rc.space(f"user {n}").stats()
        assert stats.kinds == {"episode": 3 * EACH, "fact": 3 * EACH}
        assert stats.states["superseded"] == 3 * EACH
        assert len({entry.rev for entry in rc.space(f"user {n}").journal(limit=10_000)}) == stats.rev
    assert all(finding.ok for finding in rc.doctor())


def test_one_fact_saved_by_many(ana: Space) -> None:
    """The same text saved by many threads at once is stored once."""
    answers = together([lambda: ana.remember("Ana likes tea.") for _ in range(16)])
    assert sorted(one.outcome for one in answers) == ["duplicate"] * 15 + ["stored"]
    assert len({one.id for one in answers}) == 1
    assert ana.stats().total == 1


def test_near_duplicates_saved_by_many(ana: Space) -> None:
    """Wordings of one fact, other only in articles and endings, saved at once end as one memory."""
    wordings = (
        "The user likes green tea with honey.",
        "The user likes the green tea with honey.",
        "User likes a green tea with honey",
        "The user liked green teas with honey.",
    )
    answers = together([partial(ana.remember, one) for one in wordings])
    assert sorted(one.outcome for one in answers) == ["duplicate"] * 3 + ["stored"]
    assert len({one.id for one in answers}) == 1
    assert (
        ana.remember("The user likes green tea with honey too.").outcome == "stored"
    )  # any other word may be the point


def test_one_request_sent_by_many(ana: Space) -> None:
    """Every verb's request sent by many at once is carried out once."""
    one = ana.remember("Ana likes tea.").id
    for number, verb in enumerate(
        (
            lambda: ana.observe("user", "hello", request_id="r0"),
            lambda: ana.remember("Ana has a cat.", request_id="r1"),
            lambda: ana.correct(one, "Ana likes coffee.", request_id="r2"),
        )
    ):
        rev = ana.stats().rev
        answers = together([verb] * 8)
        assert len({repr(answer) for answer in answers}) == 1, number
        assert ana.stats().rev == rev + 1


def test_one_slot_written_by_many(ana: Space) -> None:
    """Many values for one key at once: one stands, the others are on record, each superseded by the next."""
    answers = together([partial(ana.remember, f"value {n}", key="k") for n in range(6)])
    assert [one for one in answers if isinstance(one, RecollectError)] == []
    assert len(ana.list(key="k")) == 1
    assert len(ana.list(key="k", states="superseded")) == 5


def test_one_memory_corrected_by_many(ana: Space) -> None:
    """Of many corrections of one memory one wins; the others are told what stands in its place."""
    one = ana.remember("Ana lives in Lisbon.").id
    answers = together([partial(ana.correct, one, f"Ana lives at number {n}.") for n in range(8)])
    good = [answer for answer in answers if isinstance(answer, Receipt)]
    assert len(good) == 1
    assert all(good[0].id in str(answer) for answer in answers if answer is not good[0])
    assert ana.stats().kinds == {"fact": 1}
