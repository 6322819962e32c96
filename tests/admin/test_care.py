"""What a careful user would notice: nothing buried, nothing blanked, nothing lost by accident."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.config import load
from recollect.errors import ConfigError
from recollect.language import open_reader
from recollect.providers.entities import extract
from recollect.testing import FixedClock
from tests.patience import PATIENCE

ENGLISH = open_reader("words")


def test_a_name_everybody_carries_does_not_bury_the_answer(ana: Space) -> None:
    """Among many memories that name the same person, the one that answers comes first."""
    ana.remember("Ana is allergic to peanuts.", importance=10)
    ana.remember_many([{"content": f"Ana likes thing{number}."} for number in range(60)])
    assert ana.recall("is Ana allergic to peanuts?")[0].memory.content == "Ana is allergic to peanuts."


def test_one_long_memory_does_not_blank_the_context(ana: Space) -> None:
    """A long memory is cut, and is not the end of the page."""
    ana.remember("Ana is allergic to peanuts.", importance=9)
    ana.remember("word " * 1500, importance=10)
    text = str(ana.context("dinner"))
    assert "peanuts" in text
    assert text.count("word word") <= 20


def test_trifles_do_not_push_out_what_matters(ana: Space) -> None:
    """Under a tight budget importance decides, whatever the topic; and what the prompt asks for keeps its share."""
    ana.remember("Ana leads the Lisbon office.", topic="work", importance=10)
    for number in range(6):
        ana.remember(f"The printer number {number} is out of paper.", topic="work", importance=3)
    ana.remember("Ana is allergic to peanuts.", topic="health", importance=9)
    assert "peanuts" in str(ana.context(budget_tokens=60))
    for number in range(15):
        ana.remember(f"Rule {number}: answers are short and to the point at all times.", topic="rules", importance=8)
    ana.remember("The wifi of the cabin is called teapot.", importance=3)
    assert "teapot" in str(ana.context("what is the wifi of the cabin called?", budget_tokens=220))


def test_many_aged_facts_do_not_hide_the_fresh_ones(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """However many facts have left the short tier, a new one is active memory."""
    ana.remember_many([{"content": f"Ana knows thing{number}.", "importance": 6} for number in range(510)])
    clock.advance(days=3)
    for _ in range(6):
        rc.run_jobs(["age"])
    ana.remember("Ana has a new cat.")
    assert "new cat" in str(ana.context())


def test_a_temporary_fact_stays_temporary(ana: Space, clock: FixedClock) -> None:
    """Corrected or merged, a fact keeps its end; with parts that have none it has none."""
    end = clock() + timedelta(days=7)
    one = ana.remember("Ana is in Rome on this trip.", valid_until=end)
    milan = ana.correct(one.id, "Ana is in Milan on this trip.")
    assert ana.get(milan.id).valid_until == end
    other = ana.remember("Bob travels along with her.", valid_until=end + timedelta(days=1))
    both = ana.merge([milan.id, other.id])
    assert ana.get(both.id).valid_until == end + timedelta(days=1)
    home = ana.remember("Ana is away from home for some time.")
    assert ana.get(ana.merge([both.id, home.id]).id).valid_until is None


def test_merging_neither_cuts_nor_rewrites_the_past(ana: Space, clock: FixedClock) -> None:
    """A merge keeps all of its parts' words, and `as_of` still shows the parts."""
    one = ana.remember("Ana keeps the first key of the house in the blue box " + "x" * 160)
    two = ana.remember("Ana keeps the second key of the house at number 4711 " + "y" * 160)
    before = clock()
    clock.advance(days=1)
    whole = ana.merge([one.id, two.id])
    assert whole.warnings
    assert [hit.memory.id for hit in ana.recall("4711")] == [whole.id]
    assert {memory.id for memory in ana.list(as_of=before)} == {one.id, two.id}


def test_a_slot_told_late_leaves_no_hole(ana: Space, clock: FixedClock) -> None:
    """A value with an older event time replaces the slot from now on; the old value was true until now."""
    first = ana.remember("Lisbon", key="city")
    then = clock()
    clock.advance(days=10)
    second = ana.remember("Porto", key="city", event_time=then - timedelta(days=3000))
    assert [memory.id for memory in ana.list(as_of=then + timedelta(days=5))] == [first.id]
    clock.advance(days=1)
    assert [memory.id for memory in ana.list(as_of=clock())] == [second.id]


def test_entities_of_hostile_texts() -> None:
    """Long runs without a pattern in them, and many patterns at once, are read to the end."""
    for text in ("a" * 19_990 + " @", "Aa,Bb," * 3333, "#ab " * 5000, "a.b-c+" * 3000):
        assert len(extract(text, ENGLISH.cues("english"))) <= 64


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_closing_from_many_threads(tmp_path: Path) -> None:
    """Many threads may close at once while others write: every call answers or says that it is closed."""
    code = """
        import sys, threading
        from recollect import Closed, Recollect
        rc = Recollect(sys.argv[1]); space = rc.space("ana")
        def write():
            try:
                while True:
                    space.observe("user", "hello")
            except Closed:
                pass
        writers = [threading.Thread(target=write) for _ in range(6)]
        closers = [threading.Timer(0.3, rc.close) for _ in range(3)]
        for one in (*writers, *closers): one.start()
        for one in (*writers, *closers): one.join()
        print("done")
    """
    done = run(code, str(tmp_path / "memory.db"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_late_write_does_not_hang_the_exit(tmp_path: Path) -> None:
    """A program that writes while the interpreter ends is told so, and ends."""
    code = """
        import sys
        from recollect import Recollect
        class Late:
            def __init__(self): self.space = Recollect(sys.argv[1]).space("ana"); self.space.observe("user", "early")
            def __del__(self): self.space.observe("user", "late")
        keep = Late()
    """
    assert run(code, str(tmp_path / "memory.db")).returncode == 0
    with Recollect(tmp_path / "memory.db") as rc:
        assert [hit.memory.content for hit in rc.space("ana").recall("early", kinds="episode")] == ["early"]


def test_settings_no_rule_can_work_with(tmp_path: Path) -> None:
    """Negative numbers and empty counts are refused when they are read."""
    cases: tuple[dict[str, Any], ...] = (
        {"fusion": {"rank_constant": -1}},
        {"terms": {"max_query_terms": 0}},
        {"lifecycle": {"age_most": -5}},
    )
    for wrong in cases:
        with pytest.raises(ConfigError, match="or more"):
            Recollect(tmp_path / "memory.db", **wrong)


@pytest.mark.parametrize(
    ("section", "knob", "value"),
    [
        ("boosts", "recency_days", 0),
        ("jobs", "stagger_minutes", 10**12),
        ("record", "journal_days", 10**12),
        ("record", "events_days", 10**12),
        ("lifecycle", "age_after_hours", 10**12),
        ("embedding", "threads", 5000),
    ],
)
def test_numbers_nothing_can_work_with_are_refused_at_the_start(section: str, knob: str, value: int) -> None:
    """A length of time no calendar has, and a number of threads no machine has, are told when the memory is opened."""
    with pytest.raises(ConfigError, match=f"{section}.{knob}"):
        load(given={section: {knob: value}})
    with pytest.raises(ConfigError, match="cache_mb"):
        load(given={"cache_mb": -1})
