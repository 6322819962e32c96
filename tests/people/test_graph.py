"""Who and what is mentioned together: listed, drawn, renamed; and conversations with what was learnt from them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect import Conflict, InvalidInput, NotFound, Recollect, Space
from recollect.model.change import Connect, Write
from recollect.model.hit import Entry
from recollect.rules.people.drawing import places
from recollect.testing import FixedClock


def test_a_neighbourhood_is_laid_out(ana: Space) -> None:
    """Around a name stand those it is mentioned with, the closest kept first; each has a place of its own."""
    for text in ("Bob Stone met Cy Lake.", "Bob Stone saw Cy Lake.", "Bob Stone knows Di Marsh.", "Eve Moor slept."):
        ana.remember(text)
    found = ana.graph("Bob Stone")
    assert {one.name for one in found.nodes} == {"Bob Stone", "Cy Lake", "Di Marsh"}
    assert len({(one.x, one.y) for one in found.nodes}) == 3
    assert sorted(one.together for one in found.edges) == [1, 2]
    assert ana.graph([found.nodes[0].id]) == found
    few = ana.graph("Bob Stone", limit=2)
    assert ([one.name for one in few.nodes], few.hidden) == (["Bob Stone", "Cy Lake"], 1)
    assert len(ana.graph().nodes) == 4
    with pytest.raises(NotFound):
        ana.graph("Nobody Here")
    with pytest.raises(InvalidInput):
        ana.graph(limit=0)


def test_nobody_else_is_in_the_graph(rc: Recollect, ana: Space) -> None:
    """Another owner's names are neither listed nor drawn, by name or by id."""
    ana.remember("Bob Stone met Cy Lake.")
    node = ana.graph("Bob Stone").nodes[0]
    other = rc.space("bob")
    other.remember("Di Marsh slept.")
    assert [one.name for one in other.entities()] == ["Di Marsh"]
    with pytest.raises(NotFound):
        other.graph(node.id)


@pytest.mark.parametrize("count", [0, 1, 2, 40, 700])
def test_places(count: int) -> None:
    """Every entity gets a finite place inside the drawing, the same each time, joined or alone."""
    pairs = [
        (one, (one * 7 + 1) % count, 1 + one % 3) for one in range(0, count - 1, 2) if (one * 7 + 1) % count != one
    ]
    found = places(count, pairs)
    assert found == places(count, pairs)
    assert len(found) == count
    assert all(abs(x) <= 1.26 and abs(y) <= 1.01 for x, y in found)


def test_a_name_is_changed_and_taken_back(ana: Space) -> None:
    """It is shown by the new name, found by both, and as before once it is taken back; later names are left alone."""
    ana.remember("Bob Stone met Cy Lake.")
    first = ana.rename("Bob Stone", "Robert Stone")
    profile = ana.entity("bob stone")
    assert profile is not None
    assert (profile.entity.name, profile.entity.aliases) == ("Robert Stone", ("bob stone", "robert stone"))
    assert ana.rename("Robert Stone", "Robert Stone").outcome == "duplicate"
    with pytest.raises(Conflict, match="unite"):
        ana.rename("Robert Stone", "Cy Lake")
    with pytest.raises(NotFound):
        ana.rename("Nobody", "Somebody")
    assert ana.take_back(first.rev).changed == 1
    assert [one.name for one in ana.entities("stone")] == ["Bob Stone"]
    assert ana.entity("robert stone") is None
    early = ana.rename("Bob Stone", "Robert Stone")
    ana.rename("Robert Stone", "Rob Stone")
    assert ana.take_back(early.rev).numbers["left"] == 1
    assert [one.name for one in ana.entities("stone")] == ["Rob Stone"]


def test_a_conversation_tells_what_was_learnt(rc: Recollect) -> None:
    """Each message comes with what rests on it; behind a number it goes on; of no session there is nothing."""
    talk = rc.space("ana", "helper", "a/b ü")
    said = [talk.observe("user", text).id for text in ("I am allergic to peanuts.", "Hm.", "I live in Porto.")]
    fact = talk.remember("Ana is allergic to peanuts.").id
    store = rc._runtime.store
    store.commit(Write(owner=talk.owner, at=talk.now, node="test", changes=(Connect(fact, said[0], "derived_from"),)))
    turns = talk.conversation("a/b ü")
    assert [one.message.id for one in turns] == said
    assert [made.id for made in turns[0].learnt] == [fact]
    assert turns[1].learnt == ()
    assert talk.conversation("a/b ü", after=turns[0].number, limit=1) == turns[1:2]
    assert talk.conversation("none") == rc.space("bob").conversation("a/b ü") == []


def test_changes_of_a_day(ana: Space, clock: FixedClock) -> None:
    """What happened in a stretch of time comes newest first, with what it is about; an empty stretch is refused."""
    tea = ana.remember("Tea.")
    now = ana.now
    found = ana.changes(now - timedelta(hours=1), now + timedelta(hours=1))
    assert "created" in {one.op for one in found.entries}
    assert [one.id for one in found.memories] == [tea.id]
    assert ana.changes(now + timedelta(hours=1), now + timedelta(hours=2)).entries == ()
    with pytest.raises(InvalidInput):
        ana.changes(now, now)


def test_changes_come_in_parts(ana: Space, clock: FixedClock) -> None:
    """Part after part gives every line once, whatever is written meanwhile; a cursor nobody gave out is refused."""
    start = ana.now
    for number in range(7):
        ana.remember(f"Tea of sort {number}.")
        clock.advance(seconds=number % 2)
    whole = ana.changes(start, start + timedelta(hours=1)).entries
    parts, cursor = list[Entry](), ""
    while True:
        part = ana.changes(start, start + timedelta(hours=1), 3, cursor)
        assert len(part.entries) <= 3
        assert {one.id for one in part.memories} <= {one.memory_id for one in part.entries}
        parts += part.entries
        cursor = part.next
        clock.advance(seconds=1)
        ana.remember(f"Meanwhile {len(parts)}.")
        if not cursor:
            break
    assert tuple(parts) == whole
    assert [(one.at, one.rev, one.seq) for one in whole] == sorted((one.at, one.rev, one.seq) for one in whole)[::-1]
    for broken in ("x", "1.2", "1.2.x", "1.2.3.4", "9" * 30 + ".1.1"):
        with pytest.raises(InvalidInput):
            ana.changes(start, start + timedelta(hours=1), 3, broken)


def test_what_erasing_would_take_is_what_it_takes(ana: Space) -> None:
    """Looking counts what goes and changes nothing; erasing then takes exactly that."""
    ana.remember("Bob Stone likes tea.")
    ana.remember("Ana likes coffee.")
    would = ana.erasing(entity="Bob Stone")
    assert (would.changed, would.numbers["fact"], would.numbers["entities"]) == (1, 1, 1)
    assert len(ana.list()) == 2
    assert ana.erase(entity="Bob Stone").count == would.changed
    with pytest.raises(NotFound):
        ana.erasing(entity="Bob Stone")
    with pytest.raises(InvalidInput):
        ana.erasing()


def test_an_owners_jobs_are_tried_and_run(rc: Recollect, ana: Space) -> None:
    """Tried, a job says what it would do; run, it does it for this owner alone; the database's own are refused."""
    ana.remember("Tea.")
    rc.space("bob").remember("Tea.")
    assert {one.owner for one in ana.jobs.run(["age"], dry=True)} == {ana.owner}
    assert {one.owner for one in ana.jobs.run(["age"])} == {ana.owner}
    with pytest.raises(InvalidInput):
        ana.jobs.run(["scrub"])
