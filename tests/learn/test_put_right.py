"""Putting right what was said a minute ago: without a model it is marked as maybe outdated."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.memory import OUTDATED
from recollect.testing import FixedClock
from recollect.testing.judge import PlainJudge


def test_put_right_in_the_same_conversation(clock: FixedClock, tmp_path: Path) -> None:
    """Who corrects himself a minute later is understood without a model: what comes in one batch is compared, too."""
    with Recollect(tmp_path / "m.db", embedder="recollect-1", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        for text in ("I live in Lisbon.", "No, I moved to Porto last week."):
            ana.observe("user", text)
            clock.advance(seconds=30)
            ana.observe("assistant", "I see.")
        ana.end()
        rc.run_jobs()
        facts = {one.content: one.id for one in ana.list(kinds=["fact"])}
        marked = {(one.from_id, one.to_id) for id in facts.values() for one in ana.links(id) if one.type == OUTDATED}
        assert marked == {(facts["I live in Lisbon."], facts["No, I moved to Porto last week."])}


def test_what_is_said_in_one_breath_outdates_nothing_of_it(clock: FixedClock, tmp_path: Path) -> None:
    """Two sentences of one message are both true, whatever the judge thinks of them."""
    said = ("I'm soon a product manager at the clinic.", "I'm a nurse at the clinic for now.")
    for at, messages in enumerate(([" ".join(said)], said)):
        with Recollect(tmp_path / f"{at}.db", embedder="recollect-1", clock=clock) as rc:
            rc._runtime.own_judge = PlainJudge({said: "replaces"})
            ana = rc.space("ana", session="s1")
            for text in messages:
                ana.observe("user", text)
                clock.advance(seconds=30)
            ana.end()
            rc.run_jobs()
            ids = [one.id for one in ana.list(kinds=["fact"])]
            assert len(ids) == 2
            assert len({link for id in ids for link in ana.links(id) if link.type == OUTDATED}) == at


@pytest.mark.parametrize(
    ("said", "asked", "right"),
    [
        ("My birthday is on 4 May.", "No, I meant 11 April.", "My birthday is on 11 April."),
        ("My flight is on Friday.", "No, I meant Saturday.", "My flight is on Saturday."),
        ("My sister's birthday is on June 3rd.", "No, I meant June 13th.", "My sister's birthday is on June 13th."),
        ("My rent is 900 euros.", "No, I meant 950 euros.", "My rent is 950 euros."),
        ("Mein Flug geht am Freitag.", "Nein, ich meinte Samstag.", "Mein Flug geht am Samstag."),
    ],
)
def test_a_date_or_an_amount_is_put_right(said: str, asked: str, right: str, clock: FixedClock, tmp_path: Path) -> None:
    """A value alone tells no language: it is of the sort it would be in what was said before."""
    with Recollect(tmp_path / "m.db", embedder="recollect-1", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        for role, text in (("user", said), ("assistant", f"Noted: {said}"), ("user", asked)):
            ana.observe(role, text)
            clock.advance(seconds=30)
        ana.end()
        rc.run_jobs()
        facts = [one.content for one in ana.list(kinds=["fact"])]
        assert (right in facts, said in facts) == (True, False)


@pytest.mark.parametrize(
    "asked",
    [
        "Forget that I have HIV.",
        "Please forget that I told you I have HIV.",
        "Please don't remember that.",
        "Can you forget that, please?",
    ],
)
def test_what_is_forgotten_is_not_told_by_the_request(asked: str, clock: FixedClock, tmp_path: Path) -> None:
    """Neither the fact nor its message is left, nor the request that names it."""
    with Recollect(tmp_path / "m.db", embedder="recollect-1", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        for role, text in (("user", "I have HIV."), ("assistant", "Thanks for telling me."), ("user", asked)):
            ana.observe(role, text)
            clock.advance(seconds=30)
        ana.end()
        rc.run_jobs()
        later = rc.space("ana", session="s2")
        assert "HIV" not in str(later.context("What do you know about me?"))
        assert [one.memory.content for one in later.recall("HIV", kinds=["fact", "episode", "summary"])] == []


def test_what_may_have_to_go_is_not_told_in_the_question(clock: FixedClock, tmp_path: Path) -> None:
    """Where it is asked what was meant, the inbox shows it and a context does not."""
    with Recollect(tmp_path / "m.db", embedder="none", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        for text in ("Ana sees Dr. Keller on Mondays.", "Ana owes Dr. Keller 40 euros."):
            ana.remember(text)
        ana.observe("user", "Please forget what I told you about Dr. Keller.")
        clock.advance(seconds=30)
        rc.run_jobs(["learn"])
        assert [one.memory.content[:12] for one in ana.inbox()] == ["Forget this?"] * 2
        told = str(rc.space("ana", session="s2").context("Tell me a joke about penguins."))
        asked = told.partition("## To ask the user")[2]
        assert asked.count("accept or reject fact_") == 2
        assert "Keller" not in asked
