"""`space.update`: one verb for what a memory says and how it is filed."""

from __future__ import annotations

from typing import Any

import pytest

from recollect import InvalidInput, NotFound, Space


def test_how_a_memory_is_filed_changes_in_place(ana: Space) -> None:
    """000.81: tier, importance and category change under the same id, journaled."""
    kept = ana.remember("Ana works on the harbour project.", importance=4)
    done = ana.update(kept.id, tier="long", importance=8, category="projects")
    now = ana.get(kept.id)
    assert (done.outcome, done.id) == ("stored", kept.id)
    assert (now.tier, now.importance, now.category) == ("long", 8, "projects")
    assert [entry.op for entry in ana.history(kept.id)] == ["created", "updated"]


def test_topic_and_tags_are_found_by(ana: Space) -> None:
    """000.81: new topic and tags are found at once, the old ones no longer; when it happened stays."""
    kept = ana.remember("The boat leaves at nine.", topic="ferry", tags=["sea"])
    done = ana.update(kept.id, topic="departures", tags=["Lisbon"])
    now = ana.get(done.id)
    assert (done.outcome, done.other, now.topic, now.tags) == ("superseded", kept.id, "departures", ("Lisbon",))
    assert now.event_time == ana.get(kept.id).event_time
    assert [hit.memory.id for hit in ana.recall("departures")] == [done.id]
    assert ana.recall("", tags=["Lisbon"])[0].memory.id == done.id
    assert ana.list(topic="ferry") == []
    assert ana.list(tags=["sea"]) == []
    assert ana.history(done.id)[0].op == "created"


def test_content_and_filing_change_in_one_commit(ana: Space) -> None:
    """000.81: a new text with a new importance is one revision."""
    kept = ana.remember("Ana lives in Porto.", topic="home")
    rev = ana.stats().rev
    done = ana.update(kept.id, content="Ana lives in Lisbon.", importance=9)
    now = ana.get(done.id)
    assert (now.content, now.importance, now.topic, ana.stats().rev) == ("Ana lives in Lisbon.", 9, "home", rev + 1)


def test_nothing_new_is_said_so(ana: Space) -> None:
    """What is like that already is a duplicate and writes nothing."""
    kept = ana.remember("Ana lives in Porto.", topic="home", importance=6)
    rev = ana.stats().rev
    assert ana.update(kept.id, importance=6).outcome == "duplicate"
    assert ana.update(kept.id, topic="home").outcome == "duplicate"
    assert ana.stats().rev == rev


def test_a_retry_changes_nothing_twice(ana: Space) -> None:
    """The same request id gets the first answer."""
    kept = ana.remember("Ana lives in Porto.", topic="home")
    first = ana.update(kept.id, topic="city", request_id="r1")
    assert ana.update(kept.id, topic="city", request_id="r1") == first


@pytest.mark.parametrize(
    "changes",
    [{}, {"tier": "cellar"}, {"tier": "core"}, {"category": "nonsense"}, {"importance": 11}, {"colour": "red"}],
)
def test_what_cannot_be_is_refused(ana: Space, changes: dict[str, Any]) -> None:
    """A bad value says what to pass, and leaves the memory as it was."""
    kept = ana.remember("Ana lives in Porto.")
    before = ana.get(kept.id)
    with pytest.raises(InvalidInput):
        ana.update(kept.id, **changes)
    assert ana.get(kept.id) == before


def test_another_owners_memory_is_unknown(ana: Space, rc: Any) -> None:
    """Someone else's id is answered like one that never was."""
    kept = ana.remember("Ana lives in Porto.")
    with pytest.raises(NotFound):
        rc.space("ben").update(kept.id, importance=2)
