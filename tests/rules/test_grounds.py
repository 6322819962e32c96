"""The evidence check: no claim without words that bear it out, and none that says more than they do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bench.extraction import ground_figures, parts
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.rules.grounds import unfounded

AT = datetime(2026, 5, 20, 10, 0, tzinfo=UTC)


def why(said: str, claim: str, quote: str = "", role: str = "user", actor: str = "Ana") -> str:
    """Say why a claim about one message is unfounded."""
    candidate = Candidate(content=claim, quote=quote or said, turn="t")
    return unfounded(candidate, [Turn("t", role, actor, said, AT)], ("Ana",))


@pytest.mark.parametrize("part", parts("grounds"))
def test_drill(part: str) -> None:
    """No invention passes; of distortions at most one in ten; of true claims at least nine in ten. At first sight one
    of 25 inventions of the held part passed, and two of 16 distortions of the fresh part."""
    figures = ground_figures(part)
    assert figures["baseless pass"] == 0.0, figures["misses"]
    assert figures["distorted pass"] <= 0.1, figures["misses"]
    assert figures["true pass"] >= 0.9, figures["misses"]


@pytest.mark.parametrize(
    "quote",
    [
        "I live in Lisbon – near the river",
        "i LIVE in   lisbon - near the river.",
        "“I live in Lisbon — near the river”",
        "I live … near the river",
        "I live in Lisbon ... the river",
        "live in Lisbon",
    ],
)
def test_a_quote_is_found_as_people_quote(quote: str) -> None:
    """Case, white space, quotation marks, dashes and an ellipsis do not hide a quote."""
    assert why("I live in Lisbon – near the river.", "Ana lives in Lisbon.", quote) == ""


@pytest.mark.parametrize("quote", ["I live in Porto", "the river … I live", "ive in Lisbon", "", "…", '"'])
def test_a_quote_that_is_none(quote: str) -> None:
    """Other words, another order, a part of a word and no words at all are no quote."""
    candidate = Candidate(content="Ana lives in Lisbon.", quote=quote)
    assert unfounded(candidate, [Turn("t", "user", "Ana", "I live in Lisbon – near the river.", AT)], ("Ana",))


def test_names_and_numbers_may_stand_beside() -> None:
    """A name or a number said in the turn before or after counts; one said elsewhere does not."""
    turns = [
        Turn("1", "assistant", "", "Is your sister Maria 31?", AT),
        Turn("2", "user", "Ana", "My sister is a vet and she is 30.", AT),
        Turn("3", "user", "Ana", "Her clinic is in Porto.", AT),
        Turn("4", "user", "Ana", "Faro is far.", AT),
    ]
    quote = "My sister is a vet"
    assert unfounded(Candidate(content="Ana's sister Maria is a vet.", quote=quote), turns, ("Ana",)) == ""
    assert (
        unfounded(Candidate(content="Ana's sister is a vet in Porto.", quote=quote), turns, ("Ana",))
        != "nobody said Porto"
    )
    assert (
        unfounded(Candidate(content="Ana's sister is a vet in Faro.", quote=quote), turns, ("Ana",))
        == "nobody said Faro"
    )
    assert (
        unfounded(Candidate(content="Ana's sister Rita is a vet.", quote=quote), turns, ("Ana",)) == "nobody said Rita"
    )


@pytest.mark.parametrize(
    ("said", "claim", "founded"),
    [
        ("I ran ten miles yesterday", "Ana ran 10 miles on 19 May 2026.", True),
        ("I ran ten miles yesterday", "Ana ran 10 miles on 18 May 2026.", False),
        ("We married two years ago", "Ana married in 2024.", True),
        ("I turn 30 next month", "Ana turns 30 in June 2026.", True),
        ("I turn 30 next month", "Ana turns 30 in July 2026.", False),
        ("The desk costs 1,200 euros", "The desk costs 1200 euros.", True),
        ("The desk costs 1,200 euros", "The desk costs 12000 euros.", False),
        ("I have twenty-one pupils", "Ana has 21 pupils.", True),
    ],
)
def test_numbers_and_derived_dates(said: str, claim: str, founded: bool) -> None:
    """Words and digits are one number, and a date the rules derive from the turn's time is evidence; another is not."""
    assert (why(said, claim) == "") is founded


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I don't like jazz but I love folk music", "Ana loves folk music."),
        ("I don't like jazz but I love folk music", "Ana does not like jazz."),
        ("I do not eat pork and I never drink alcohol", "Ana does not eat pork and never drinks alcohol."),
        ("My sister smokes but I don't smoke", "Ana's sister smokes."),
    ],
)
def test_a_claim_is_held_against_its_own_clause(said: str, claim: str) -> None:
    """A negation in another clause of the quote is not the claim's."""
    assert why(said, claim) == ""


def test_who_speaks() -> None:
    """What the assistant says of itself, or another person of himself, is nothing about the user."""
    assert why("I live in the cloud.", "Ana lives in the cloud.", role="assistant", actor="")
    said = [Turn("t", "user", "Ben", "I live in Rome.", AT)]
    claim = Candidate(content="Ana lives in Rome.", quote="I live in Rome.")
    assert unfounded(claim, said, ("Ana", "Ben"))
    assert unfounded(Candidate(content="Ben lives in Rome.", quote="I live in Rome."), said, ("Ana", "Ben")) == ""


def test_the_user_without_a_name() -> None:
    """A claim about the user needs no name."""
    assert why("I live in Rome.", "The user lives in Rome.", actor="") == ""
    assert why("My brother lives in Rome.", "The user lives in Rome.", actor="")


def test_questions_say_nothing() -> None:
    """A question is no evidence for what it asks, only for being asked."""
    assert why("Should I move to Rome?", "Ana moved to Rome.")
    assert why("Should I move to Rome?", "Ana asked whether to move to Rome.") == ""


@pytest.mark.parametrize("text", ["", "😀", "我住在上海", "\ud800", "İ ß ﬁ", "’’’", "… … …"])
def test_odd_texts(text: str) -> None:
    """Odd texts are judged, never a crash."""
    turn = Turn("t", "user", text, text, AT)
    assert isinstance(unfounded(Candidate(content=text, quote=text), [turn], (text,)), str)
    assert unfounded(Candidate(content=text, quote=text), [], ())


def test_another_script() -> None:
    """A claim in a script without spaces is covered by its own characters, and not by others."""
    assert why("我住在上海", "我住在上海") == ""
    assert why("我住在上海", "他喜欢跳舞", quote="我住在上海")
