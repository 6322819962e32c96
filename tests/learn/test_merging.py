"""Merging at night: which memories are looked at, which pairs go before the judges, and what becomes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.model.change import Connect, Cut, Write
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")

BREAD = "Ana and her sister bake bread for the kitchen downtown."
AGAIN = "Ana and her sister bake bread for the downtown kitchen, together."
MAPS = "Ana and her uncle sell old maps near the harbour downtown."


def judging(asked: Asked) -> Saying:
    """Call the same what is about bread."""
    pairs = re.findall(r"\[\d+\] OLD[^:]*: (.*)\n +NEW: (.*)", asked.user)
    said = ["same" if "bread" in old and "bread" in new else "both_true" for old, new in pairs]
    return {"verdicts": [{"pair": number, "verdict": one} for number, one in enumerate(said, 1)]}


@pytest.fixture
def model() -> Iterator[ScriptedLlm]:
    """Give a model that judges."""
    with ScriptedLlm(judging) as started:
        yield started


@pytest.fixture
def told(tmp_path: Path, clock: FixedClock, model: ScriptedLlm) -> Iterator[Recollect]:
    """Give a memory with a model and no embedder."""
    chosen: dict[str, Any] = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
    with Recollect(tmp_path / "m.db", clock=clock, llm="openai:small", models=chosen) as opened:
        yield opened


def uncompared(rc: Recollect, ana: Space) -> None:
    """Let nobody have compared anything yet, as after an import."""
    runtime = rc._runtime
    ids = [one.id for one in ana.list(limit=1000)]
    with runtime.store.view() as view:
        links = {
            (one.from_id, one.to_id)
            for at in range(0, len(ids), 100)
            for one in view.links(ana.owner, ids[at : at + 100])
            if one.type == "compared"
        }
    cut = tuple(Cut(one, other, "compared") for one, other in sorted(links))
    if cut:
        runtime.store.commit(Write(owner=ana.owner, at=runtime.now(), node="test", changes=cut))


def pairs(report: Any) -> int:
    """Give how many pairs a run brought before the judges."""
    return int(report.numbers["pairs"])


def test_003_15_at_most_fifty_pairs_a_day(told: Recollect, clock: FixedClock) -> None:
    """However much is alike, an owner costs no more than that; the rest follows the next day."""
    ana = told.space("ana")
    for number in range(40):
        ana.remember(f"Ana keeps the key of harbour shed {number * 7} in drawer {number * 5} downtown.")
    uncompared(told, ana)
    assert pairs(told.run_jobs(["merge"])[0]) == 50
    assert pairs(told.run_jobs(["merge"])[0]) == 0
    clock.advance(days=1, hours=1)
    assert pairs(told.run_jobs(["merge"])[0]) > 0


def test_003_16_the_pool(told: Recollect, clock: FixedClock) -> None:
    """What changed in 72 hours, matters (6 or more), or is used most is looked at; the rest is left alone."""
    ana = told.space("ana")
    for number in range(20):
        ana.remember(f"Trifle {number} is of no interest to anybody.", importance=3)
    weighty = ana.remember("The harbour contract ends in spring.", importance=6).id
    clock.advance(days=4)
    used = ana.recall("Trifle 7", limit=1)[0].memory.id
    told._runtime.store.flush()
    ana.remember("Something new was said about a lamp.", importance=3)
    report = told.run_jobs(["merge"], dry=True)[0]
    from recollect.flows.learn.pairing import _pool

    with told._runtime.store.view() as view:
        found = {one.id for one in _pool(told._runtime, view, ana.owner)}
    assert {weighty, used} <= found
    assert report.numbers["looked"] == len(found) <= 5


def test_003_17_alike_shared_and_recent(told: Recollect, clock: FixedClock) -> None:
    """A pair is alike from 0.30 on and shares a rare word or a near number, and both were changed within 90 days."""
    ana = told.space("ana")
    old = ana.remember(BREAD, importance=7).id
    ana.remember("Completely different things happened at sea.", importance=7)
    uncompared(told, ana)
    clock.advance(days=91)
    ana.remember(AGAIN, importance=7)
    uncompared(told, ana)
    assert pairs(told.run_jobs(["merge"])[0]) == 0
    ana.rate(old, 8)
    report = told.run_jobs(["merge"])[0]
    assert pairs(report) == 1
    assert old in report.steps[0]


def test_003_18_003_19_several_in_one_question_and_not_again_for_fourteen_days(
    told: Recollect, clock: FixedClock, model: ScriptedLlm
) -> None:
    """The judge gets them together, says same or both true, and the same pair is not asked about the next night."""
    ana = told.space("ana")
    ana.remember(BREAD, tags=["bread"])
    ana.remember(MAPS)
    ana.remember(AGAIN, tags=["kitchen"], importance=8)
    uncompared(told, ana)
    many = pairs(told.run_jobs(["merge"])[0])
    assert many >= 2
    assert told.run_jobs(["judge"])[0].numbers["same"] == 1
    assert len(model.requests) == 1
    clock.advance(days=2)
    ana.rate(next(one.id for one in ana.list() if "maps" in one.content), 6)
    assert pairs(told.run_jobs(["merge"])[0]) <= 1  # of the merged and the maps, which are a new pair
    clock.advance(days=15)
    assert "uncle" in str(model.requests[0].user)


def test_003_60_one_keeps_all_of_both(told: Recollect, clock: FixedClock) -> None:
    """Importance is the greatest, tags are all of them, a pin stays, it is as old as the oldest, with all sources."""
    ana = told.space("ana", session="s1")
    said = [ana.observe("user", text).id for text in (BREAD, AGAIN)]
    first = ana.remember(BREAD, tags=["bread"], importance=4)
    born = ana.get(first.id).created_at
    ana.pin(first.id)
    clock.advance(days=1)
    second = ana.remember(AGAIN, tags=["kitchen"], importance=7)
    links = tuple(Connect(one.id, source, "derived_from") for one, source in zip((first, second), said, strict=True))
    told._runtime.store.commit(Write(owner=ana.owner, at=clock(), node="test", changes=links))
    uncompared(told, ana)
    told.run_jobs(["merge"])
    run = told.run_jobs(["judge"])[0]
    assert run.numbers == {"same": 1}, run.text
    (one,) = ana.list()
    assert (one.importance, set(one.tags), one.pinned, one.created_at) == (7, {"bread", "kitchen"}, True, born)
    rests = {link.to_id for link in ana.links(one.id) if link.type == "derived_from"}
    assert rests == set(said)
    assert ana.jobs.undo(run.run).numbers["left"] == 0
    assert {memory.id for memory in ana.list()} == {first.id, second.id}


def test_003_60_merging_by_hand_keeps_the_oldest_time(ana: Space, clock: FixedClock) -> None:
    """What was merged was known since the first of it was; the past is told as before."""
    first = ana.remember("Ana likes tea in the morning.", tags=["tea"])
    before = clock.moment
    clock.advance(days=2)
    second = ana.remember("Ana drinks green tea.", tags=["green"], importance=8)
    clock.advance(days=1)
    made = ana.get(ana.merge([first.id, second.id]).id)
    assert (made.created_at, set(made.tags), made.importance) == (before, {"tea", "green"}, 8)
    past = [hit.memory.id for hit in ana.recall("tea", as_of=before)]
    assert past == [first.id]


def test_003_60_the_fuller_of_two_is_as_old_as_the_other(told: Recollect, clock: FixedClock) -> None:
    """Where the newer says more it stays, with the time and the weight of the older."""
    ana = told.space("ana")
    first = ana.remember(BREAD, importance=8)
    born = ana.get(first.id).created_at
    clock.advance(days=1)
    second = ana.remember(AGAIN)
    uncompared(told, ana)
    told.run_jobs(["merge"])
    run = told.run_jobs(["judge"])[0]
    (one,) = ana.list()
    assert (one.id, one.importance, one.created_at) == (second.id, 8, born)
    assert ana.jobs.undo(run.run).numbers["left"] == 0
    assert ana.get(second.id).created_at > born
