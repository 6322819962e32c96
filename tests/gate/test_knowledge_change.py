"""The drill of changed facts: what changed is replaced, what only looks like it stands, and recall gives the new."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bench.changes import ASIDE, rows
from recollect import Recollect, Space
from recollect.testing import FixedClock

CHANGED, APART = rows("changed"), rows("apart")


def told(rc: Recollect, clock: FixedClock, user: str, row: dict[str, str]) -> tuple[Space, str, str]:
    """Tell an old fact among others, and a day later the new one; the outcome, and what was replaced."""
    space = rc.space(user)
    space.remember_many([{"content": text} for text in ASIDE])
    old = space.remember(row["old"])
    clock.advance(days=1)
    new = space.remember(row["new"])
    assert old.ok
    assert new.ok
    return space, new.outcome, new.other if new.other == old.id else ""


def test_there_are_enough() -> None:
    """There are at least sixty changes and sixty look-alikes."""
    assert len(CHANGED) >= 60 <= len(APART)


def test_changes_are_seen_and_look_alikes_are_not(rc: Recollect, clock: FixedClock) -> None:
    """By rules alone nearly all changes replace the old fact, hardly a look-alike does, and what is recalled first is
    how things are now."""
    hits = replaced = 0
    behind: list[str] = []
    for at, row in enumerate(CHANGED):
        space, outcome, old = told(rc, clock, f"changed{at}", row)
        hits += outcome == "superseded" and bool(old)
        found = [hit.memory.content for hit in space.recall(row["old"], limit=5)]
        place = {text: number for number, text in enumerate(found)}
        if row["new"] not in place or place.get(row["old"], 99) < place[row["new"]]:
            behind.append(row["new"])
    for at, row in enumerate(APART):
        space, outcome, _ = told(rc, clock, f"apart{at}", row)
        replaced += outcome == "superseded"
        standing = {memory.content for memory in space.list(limit=50)}
        assert row["old"] in standing or outcome in ("superseded", "merged"), row
    assert hits / (hits + replaced) >= 0.97
    assert hits / len(CHANGED) >= 0.9
    assert len(behind) <= 0.05 * len(CHANGED), behind


def test_both_are_linked_and_the_change_is_kept(rc: Recollect, clock: FixedClock) -> None:
    """The old fact stays on record, linked to the new one, and is what held at its time."""
    ana = rc.space("ana")
    old = ana.remember("Ana lives in Lisbon.")
    before = clock()
    clock.advance(days=9)
    new = ana.remember("Ana moved to Porto.")
    assert (new.outcome, new.other) == ("superseded", old.id)
    assert ("supersedes", new.id, old.id) in [(one.type, one.from_id, one.to_id) for one in ana.links(old.id)]
    assert ana.get(old.id).valid_until == clock()
    assert [hit.memory.id for hit in ana.recall("Where does Ana live?", as_of=before)] == [old.id]
    assert [hit.memory.id for hit in ana.recall("Where does Ana live?")] == [new.id]
    assert {entry.memory_id for entry in ana.history(new.id)} == {old.id, new.id}


def test_what_is_told_late_does_not_replace_what_is_newer(rc: Recollect, clock: FixedClock) -> None:
    """An older fact told later is kept as the past, and recalled for its time only."""
    ana = rc.space("ana")
    june, january = clock() - timedelta(days=30), clock() - timedelta(days=180)
    new = ana.remember("Ana lives in Porto.", event_time=june)
    late = ana.remember("Ana lives in Lisbon.", event_time=january)
    assert (late.outcome, late.other) == ("stored", new.id)
    assert "told late" in late.reason
    assert [hit.memory.id for hit in ana.recall("Where does Ana live?")] == [new.id]
    assert [hit.memory.id for hit in ana.recall("Ana lives", as_of=january + timedelta(days=9))] == [late.id]
    changed = ana.remember("Ana moved to Faro.", event_time=january)
    assert (changed.outcome, changed.other) == ("superseded", new.id)


def test_in_one_batch_the_later_replaces_the_earlier(rc: Recollect) -> None:
    """Two values in one batch are one change after the other, and only the last one stands."""
    ana = rc.space("ana")
    first = ana.remember("Ana lives in Lisbon.")
    parts = ana.remember_many([{"content": "Ana moved to Porto."}, {"content": "Ana moved to Faro."}])
    assert [(part.outcome, part.other) for part in parts] == [("superseded", first.id), ("superseded", parts[0].id)]
    assert [memory.content for memory in ana.list()] == ["Ana moved to Faro."]


@pytest.mark.parametrize(
    "texts",
    [
        [f"Bob wrote note number {n}." for n in range(4)],
        [f"The printer in room {n} is out of paper." for n in range(4)],
        [f"Rule {n}: answers are short." for n in range(4)],
        [
            "The telescope is in the attic.",
            "The telescope was a gift.",
            "The telescope is old.",
            "The telescope works.",
        ],
    ],
)
def test_a_number_that_names_is_no_new_value(rc: Recollect, texts: list[str]) -> None:
    """Things told apart by a number, and several things true of one, stand side by side."""
    space = rc.space("bob")
    assert {space.remember(text).outcome for text in texts} == {"stored"}
