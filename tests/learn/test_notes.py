"""Notes: what people said and is worth keeping, in their own words, with who and when; judged by the bundled model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.model.memory import Memory
from recollect.providers.judges import Kept, Sentence
from recollect.rules.learn.notes import WEIGHTS, is_note, shown
from recollect.testing import FixedClock
from recollect.testing.judge import PlainJudge
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")


@pytest.fixture
def real(tmp_path: Path, clock: FixedClock) -> Iterator[Recollect]:
    """Give a memory with the bundled model."""
    with Recollect(tmp_path / "real.db", embedder="recollect-1", clock=clock) as opened:
        yield opened


@pytest.fixture
def plain(rc: Recollect) -> Recollect:
    """Give a memory with a judge that needs no model, on each engine."""
    rc._runtime.own_judge = PlainJudge()
    return rc


def told(space: Space, *said: tuple[str, str, str]) -> list[Memory]:
    """Say (role, actor, text), end the session, and give the notes, oldest first."""
    for role, actor, text in said:
        space.observe(role, text, actor=actor)
    space.end()
    return [one for one in space.list("oldest", 100, kinds=["fact"]) if is_note(one)]


def test_the_bundled_judge_keeps_what_lasts(real: Recollect) -> None:
    """An allergy and a home are kept with their class; small talk, an errand and irony leave nothing."""
    ana = real.space("ana", "helper", "s1")
    found = told(
        ana,
        ("user", "Ana", "I'm allergic to peanuts, badly."),
        ("assistant", "", "Noted."),
        ("user", "Ana", "I live in Porto with my two daughters."),
        ("assistant", "", "I live in the cloud, and I have a cat called Hal."),
        ("user", "Ana", "ok thanks, good morning!"),
        ("user", "Ana", "Can you fix this function for me?"),
        ("tool", "", "I am allergic to cats."),
    )
    kept = {one.content: one for one in found}
    assert set(kept) == {"I'm allergic to peanuts, badly.", "I live in Porto with my two daughters."}
    allergy = kept["I'm allergic to peanuts, badly."]
    assert (allergy.attributes["class"], allergy.topic, allergy.importance) == ("health", "health", 9)
    assert (allergy.kind, allergy.actor, allergy.source, allergy.trust) == ("fact", "Ana", "session", 1.0)
    assert [hit.memory.content for hit in ana.recall("what must I not eat?", kinds=["fact"])][:1] == [allergy.content]
    assert "Ana, 5 January 2026: “I'm allergic to peanuts, badly.”" in str(ana.context("food"))


def test_a_saved_allergy_is_health(real: Recollect) -> None:
    """What is saved by hand gets its class from the job `embed`: an allergy weighs as one, what was set stays set."""
    ana = real.space("ana")
    allergy = ana.remember("Ana is allergic to nuts.")
    rated = ana.remember("Ana is allergic to bees.", importance=6)
    stapler = ana.remember("The stapler is red.")
    (report,) = [one for one in real.run_jobs() if one.job == "embed"]
    assert "Gave 3 facts their class." in report.text
    assert ana.get(allergy.id).attributes["class"] in ("health", "family")
    assert (ana.get(allergy.id).importance or 0) >= 8
    assert ana.get(rated.id).importance == 6
    assert (ana.get(stapler.id).importance, ana.get(stapler.id).category) == (5, "general")
    assert [one for one in real.run_jobs() if one.job == "embed"] == []
    assert ana.jobs.undo(report.run).status == "ok"
    assert "class" not in ana.get(allergy.id).attributes


def test_a_newer_note_stands_before_the_one_it_may_replace(real: Recollect, clock: FixedClock) -> None:
    """Without a model nothing is replaced: both stand, linked, the newer first, and the older says so."""
    ana = real.space("ana", "helper", "s1")
    old = ana.remember("Ana lives in Lisbon.")
    clock.advance(days=30)
    new = ana.remember("Ana moved to Porto.")
    real.run_jobs()
    hits = ana.recall("Where does Ana live?", kinds=["fact"])
    assert [(hit.memory.id, hit.outdated_by) for hit in hits] == [(new.id, ""), (old.id, new.id)]
    assert ana.get(old.id).state == "active"
    told = "Ana lives in Lisbon. (5 January 2026); a newer statement: Ana moved to Porto. (4 February 2026)"
    assert told in str(ana.context("Where does Ana live?"))


def test_without_an_embedder_only_wishes_are_kept(rc: Recollect) -> None:
    """Nobody judges, and the report says so."""
    ana = rc.space("ana", "helper", "s1")
    ana.observe("user", "I live in Porto. Remember that my locker is number 77.", actor="Ana")
    report = ana.end()
    assert "no embedder is set, so only what is asked for is kept" in report.text
    assert [(one.content, one.source, one.importance) for one in ana.list(kinds=["fact"])] == [
        ("My locker is number 77.", "user", 8)
    ]


def test_how_a_note_is_shown(plain: Recollect) -> None:
    """Who and when are columns, rendered and no part of the text; an answer is shown with its question."""
    ana = plain.space("ana", "helper", "s1")
    ana.observe("assistant", "Good to know. Do you smoke?", at=datetime(2026, 5, 4, tzinfo=UTC))
    ana.observe("user", "I quit in 2019. My father smokes.", at=datetime(2026, 5, 4, 9, tzinfo=UTC))
    ana.end()
    first, second = sorted(ana.list(kinds=["fact"]), key=lambda one: one.content)
    assert shown(first) == "Ana, 4 May 2026, asked “Do you smoke?”: “I quit in 2019.”"
    assert shown(second) == "Ana, 4 May 2026: “My father smokes.”"
    assert (first.content, first.event_time) == ("I quit in 2019.", datetime(2026, 5, 4, 9, tzinfo=UTC))
    number = plain.space("u77", "helper", "s1")
    number.observe("user", "I live in Rome.")
    number.end()
    assert shown(number.list(kinds=["fact"])[0]).startswith("The user, ")


def test_what_is_not_ones_own_is_not_read(plain: Recollect) -> None:
    """Code, quoted lines, quotations, pasted texts, machines, and what repeats a tool leave no note."""
    ana = plain.space("ana", "helper", "s1")
    found = told(
        ana,
        ("tool", "", "I have a boat called Lisa."),
        ("user", "Ana", "```\nI am a variable\n```"),
        ("user", "Ana", "> I have a castle.\nMy mail says: “I have a horse and a hound.”"),
        ("user", "Ana", "I have a log. " * 400),
        ("assistant", "", "I have a plan."),
        ("user", "Ana", "I have a boat called Lisa."),
        ("user", "Ana", "I have a dog. Is that fine?"),
    )
    assert [one.content for one in found] == ["I have a dog."]


def test_notes_of_others_are_theirs(plain: Recollect) -> None:
    """A guest's words stand under his name, are believed less, and are no wish."""
    ana = plain.space("ana", "helper", "s1")
    found = told(ana, ("user", "Ana", "I live in Porto."), ("user", "Bob", "I live in Rome. Remember that I hate tea."))
    assert [(one.actor, one.content, one.trust < 1) for one in found] == [
        ("Ana", "I live in Porto.", False),
        ("Bob", "I live in Rome.", True),
    ]


def test_a_claim_folds_the_note_it_was_made_of(database: str, clock: FixedClock) -> None:
    """Both stand; recall shows the claim with the note folded under it, and a weak model's nothing takes none away."""
    fact = {"content": "Ana has a cat called Miau.", "quote": "I have a cat called Miau", "turn": 1}
    with ScriptedLlm(lambda asked: {"facts": [fact] if "Miau" in asked.user else [], "summary": ""}) as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
        with Recollect(database, clock=clock, llm="openai:small", models=chosen) as rc:
            rc._runtime.own_judge = PlainJudge()
            ana = rc.space("ana", "helper", "s1")
            found = told(ana, *(("user", "Ana", text) for text in ("I have a cat called Miau.", "Hm.", "So.", "Bye.")))
            (hit,) = ana.recall("cat Miau", kinds=["fact"])
            assert (hit.memory.content, hit.folded) == (fact["content"], (found[0].id,))
            other = rc.space("ana", "helper", "s2")
            told(other, *(("user", "Ana", text) for text in ("I have a dog called Rex.", "Hm.", "So.", "Bye.")))
            assert [one.memory.content for one in other.recall("dog Rex", kinds=["fact"])] == [
                "I have a dog called Rex."
            ]


def test_classes_weigh_what_they_should() -> None:
    """Health, identity, family and wishes weigh eight or nine, and no class weighs more."""
    assert {name for name, weight in WEIGHTS.items() if weight.importance >= 8} == {
        "identity",
        "family",
        "health",
        "wish",
    }
    assert max(weight.importance for weight in WEIGHTS.values()) == 9


@pytest.mark.parametrize(
    ("code", "said", "passing"),
    [
        ("de", ("Ich habe einen Windows-Laptop.", "Ich wohne mit meinen Töchtern in Porto."), "Wie wird das Wetter?"),
        ("fr", ("Je travaille comme infirmière à l'hôpital.", "Je préfère le thé au café."), "Quel temps fait-il ?"),
        ("it", ("Mio marito si chiama Marco.", "Il mio cane si chiama Rex."), "Scrivi una poesia, per favore."),
    ],
)  # fmt: skip
def test_plain_statements_are_kept_in_languages_the_judge_knows_less(
    real: Recollect, code: str, said: tuple[str, ...], passing: str
) -> None:
    """They need less likelihood than English ones; questions and orders are still none."""
    space = real.space(code, session="s")
    kept = {one.content for one in told(space, *(("user", "", text) for text in (*said, passing)))}
    assert kept & set(said)
    assert passing not in kept


def test_an_unsure_class_heads_no_profile(rc: Recollect) -> None:
    """What is kept, but may be of any class, weighs as an ordinary fact, and the profile leaves it out."""

    class Unsure(PlainJudge):
        def keep(self, sentences: Sequence[Sentence]) -> list[Kept]:
            return [Kept("health", 0.9, True, "health", 0.4 if "laptop" in one.text else 0.9) for one in sentences]

    rc._runtime.own_judge = Unsure()
    space = rc.space("ana", session="s")
    laptop, allergy = told(space, ("user", "Ana", "I have a laptop."), ("user", "Ana", "I am allergic to nuts."))
    assert (laptop.attributes["class"], laptop.topic, laptop.importance) == ("unclear", "unclear", 5)
    assert (allergy.attributes["class"], allergy.importance) == ("health", 9)
