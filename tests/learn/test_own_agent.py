"""The consolidator's tools: each keeps its contract, for agents that bring their own judgement."""

from __future__ import annotations

from typing import Any

import pytest

from recollect import InvalidInput, NotFound, Recollect, Space

OLD = "The Falcon crates go out by way of the Hamburg depot."
NEW = "Since spring the Rotterdam depot handles all the Falcon crates."
"""Which of the two holds now no rule can read."""


@pytest.fixture
def ana(rc: Recollect) -> Space:
    """Give a space with a session of 70 messages."""
    space = rc.space("ana", "helper", "s1")
    for number in range(70):
        space.observe("user" if number % 2 == 0 else "assistant", f"message {number}")
    return space


def test_episodes_come_page_by_page(ana: Space) -> None:
    """Thirty at a time, in order, the total right even past the end."""
    first = ana.get_episodes_for_consolidation()
    assert [one.content for one in first.episodes] == [f"message {number}" for number in range(30)]
    assert (first.session_id, first.total, first.has_more, first.next_offset) == ("s1", 70, True, 30)
    last = ana.get_episodes_for_consolidation("s1", 60)
    assert (len(last.episodes), last.has_more, last.next_offset) == (10, False, 70)
    beyond = ana.get_episodes_for_consolidation(offset=1000)
    assert (beyond.episodes, beyond.total, beyond.has_more) == ((), 70, False)
    assert ana.get_episodes_for_consolidation("nowhere").total == 0
    for offset, limit in ((-1, 30), (0, 0), (0, 101)):
        with pytest.raises(InvalidInput):
            ana.get_episodes_for_consolidation("s1", offset, limit)


def test_facts_are_saved_through_the_gate(rc: Recollect, ana: Space) -> None:
    """Blank ones are left out, known ones counted, wrong ones told, the rest linked to its messages, in one commit."""
    source = ana.get_episodes_for_consolidation(limit=1).episodes[0].id
    foreign = rc.space("ben", session="s1").observe("user", "mine").id
    rev = ana.stats().rev
    done = ana.save_facts_batch(
        [
            {"content": "Ana prefers type hints in Python code.", "source_ids": [source, foreign], "tags": ["code"]},
            {"content": "Ana prefers type hints in Python code!", "confidence": 0.9},
            {"content": "  "},
            {"content": "I like tea."},
            {"content": "Ana likes tea very much in the morning.", "importance": 99},
            "nonsense",  # type: ignore[list-item]
        ]
    )
    assert (done.saved_count, done.skipped_duplicates, [one.duplicate for one in done.saved]) == (1, 1, [False, True])
    assert len(done.errors) == 4
    fact = ana.get(done.saved[0].id)
    assert (fact.confidence, fact.source, fact.tags) == (0.8, "agent", ("code",))
    assert [link.to_id for link in ana.links(fact.id) if link.type == "derived_from"] == [source]
    assert ana.stats().rev == rev + 1
    assert ana.save_facts_batch([]).saved_count == 0
    long = ana.save_facts_batch([{"content": "Ana " + "likes walking in the hills " * 5}], request_id="r")
    assert len(long.saved[0].preview) == 81
    assert ana.save_facts_batch([{"content": "Ana " + "likes walking in the hills " * 5}], request_id="r") == long
    wrong: list[Any] = ["text", 7, [{}] * 1001]
    for bad in wrong:
        with pytest.raises(InvalidInput):
            ana.save_facts_batch(bad)


def test_conflicts_are_shown_and_resolved_by_who_judges(rc: Recollect, ana: Space) -> None:
    """Rivals come from other sessions; the old one gives way, linked and told why, and is not recalled again."""
    old = rc.space("ana", "helper", "s0").remember(OLD, source="agent", confidence=0.9)
    same = ana.remember("The depot of the Falcon crates has a red gate.", source="agent")
    new = ana.remember(NEW, source="agent", confidence=0.9)
    unsure = ana.remember("Some Falcon crates may stay at the quay.", source="agent", confidence=0.5)
    found = ana.detect_conflicts(new.id)
    assert old.id in [one.id for one in found.candidates]
    assert not {new.id, same.id} & {one.id for one in found.candidates}
    assert ana.detect_conflicts(unsure.id).candidates == ()
    assert "contradicts nothing" in ana.detect_conflicts(unsure.id).skipped
    done = ana.resolve_conflict(new.id, old.id, "the contract changed", request_id="r")
    assert (done.outcome, done.id, done.other) == ("superseded", new.id, old.id)
    assert ana.resolve_conflict(new.id, old.id, "the contract changed", request_id="r").rev == done.rev
    assert ana.get(old.id).state == "superseded"
    assert ana.get(new.id).attributes["conflict_reason"] == "the contract changed"
    assert old.id not in [hit.memory.id for hit in ana.recall("where do the Falcon crates go out?")]
    assert ana.resolve_conflict(new.id, old.id).outcome == "rejected"
    with pytest.raises(NotFound):
        ana.resolve_conflict(new.id, "fact_none")


def test_a_confirmed_fact_gives_way_only_to_a_clear_yes(ana: Space) -> None:
    """What the user has confirmed is not taken away by an agent's judgement alone."""
    old = ana.remember(OLD, source="agent").id
    ana.confirm(old)
    new = ana.remember(NEW, source="agent").id
    refused = ana.resolve_conflict(new, old)
    assert (refused.outcome, "confirmed" in refused.reason) == ("rejected", True)
    assert ana.get(old).state == "active"
    assert ana.resolve_conflict(new, old, confirmed=True).outcome == "superseded"
    assert ana.resolve_conflict(new, new).outcome == "rejected"


def test_marking_closes_a_session_until_something_is_said(ana: Space) -> None:
    """Marked, the built-in job finds nothing new; a later message opens the session again."""
    assert not ana.is_session_consolidated("s1")
    ana.save_facts_batch([{"content": "Ana prefers type hints in Python code."}])
    done = ana.mark_session_consolidated("s1")
    assert (done.session_id, done.messages, done.facts_saved) == ("s1", 70, 1)
    assert ana.mark_session_consolidated() == done
    assert ana.is_session_consolidated("s1")
    assert ana.end().changed == 0
    ana.observe("user", "one more")
    assert not ana.is_session_consolidated()
    assert not ana.is_session_consolidated("nowhere")
    with pytest.raises(NotFound):
        ana.mark_session_consolidated("nowhere")


def test_a_session_must_be_named(rc: Recollect) -> None:
    """Without a session there is no page, no batch and no mark."""
    nobody = rc.space("ana")
    for call in (
        nobody.get_episodes_for_consolidation,
        nobody.mark_session_consolidated,
        nobody.is_session_consolidated,
    ):
        with pytest.raises(InvalidInput, match="which session"):
            call()
    with pytest.raises(InvalidInput, match="which session"):
        nobody.save_facts_batch([{"content": "Ana likes tea."}])
