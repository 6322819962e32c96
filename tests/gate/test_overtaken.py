"""What was said before it was put right: it stays in its speaker's words, behind what stands in its place."""

from __future__ import annotations

import pytest

from recollect import Recollect
from recollect.testing import FixedClock

SAID = "Hi! I live in Berlin and work as a data engineer."


@pytest.mark.parametrize("learnt_first", [True, False])
def test_a_corrected_fact_does_not_come_back(database: str, clock: FixedClock, learnt_first: bool) -> None:
    """Whether its conversation is read before or after the correction, the words that told it say what stands now."""
    with Recollect(database, clock=clock, embedder="recollect-1") as rc:
        ana = rc.space("ana", session="s1")
        ana.observe("user", SAID)
        clock.advance(minutes=5)
        if learnt_first:
            ana.end()
            rc.run_jobs()
        saved = ana.remember("Ana lives in Berlin.")
        clock.advance(minutes=5)
        right = ana.correct(saved.id, "Ana lives in Lisbon.")
        if not learnt_first:
            ana.end()
            rc.run_jobs()
        note = next(one for one in ana.list(kinds="fact") if "Berlin" in one.content)
        assert next(one.memory.content for one in ana.recall("where do I live?")) == "Ana lives in Lisbon."
        assert ana.outdated([note.id])[note.id] == right.id


def test_what_others_said_or_what_came_later_is_not_outdated(database: str, clock: FixedClock) -> None:
    """A note about the same place that tells something else, or was said after the correction, stands as it is."""
    with Recollect(database, clock=clock, embedder="recollect-1") as rc:
        ana = rc.space("ana", session="s1")
        saved = ana.remember("Bruno lives in Berlin.")
        clock.advance(minutes=5)
        ana.correct(saved.id, "Bruno lives in Lisbon.")
        clock.advance(minutes=5)
        ana.observe("user", SAID)
        ana.end()
        rc.run_jobs()
        notes = [one.id for one in ana.list(kinds="fact") if "Berlin" in one.content]
        assert notes
        assert not any(ana.outdated(notes).values())


def test_a_corrected_note_is_no_quote(database: str, clock: FixedClock) -> None:
    """What a hand puts in the place of somebody's words is not shown as what he said."""
    with Recollect(database, clock=clock, embedder="recollect-1") as rc:
        ana = rc.space("ana", session="s1")
        ana.observe("user", "I'm allergic to peanuts.", actor="Ana")
        ana.end()
        rc.run_jobs()
        (note,) = ana.list(kinds="fact")
        new = ana.get(ana.correct(note.id, "Ana is allergic to hazelnuts.").id)
        assert (new.actor, new.source) == ("", "user")
        assert "“Ana is allergic to hazelnuts.”" not in str(ana.context("Which nuts must I avoid?"))
        assert "Ana is allergic to hazelnuts." in str(ana.context("Which nuts must I avoid?"))


def test_003_63_the_same_matter_changed_is_an_update_and_others_stay(database: str, clock: FixedClock) -> None:
    """A new value of a slot replaces the old one; a statement that shares a word with another leaves it alone."""
    with Recollect(database, clock=clock, embedder="recollect-1") as rc:
        ana = rc.space("ana")
        ana.remember("Ana lives in San Francisco and is on the platform team.")
        ana.remember("Europe/Lisbon", key="timezone")
        clock.advance(days=2)
        ana.remember("Ana moved to a new desk by the window.")
        ana.remember("Asia/Tokyo", key="timezone")
        rc.run_jobs()
        told = {one.content for one in ana.list(kinds="fact")}
        assert {
            "Ana lives in San Francisco and is on the platform team.",
            "Ana moved to a new desk by the window.",
        } <= told
        assert "Asia/Tokyo" in told
        assert "Europe/Lisbon" not in told
        assert {one.content for one in ana.list(kinds="fact", states="superseded")} == {"Europe/Lisbon"}
