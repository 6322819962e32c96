"""Names in claims: who was not named there does not get in, whatever word of the sentence names him."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect import Recollect
from recollect.model.turn import Turn
from recollect.rules.learn.evidence import Grounds, unfounded

AT = datetime(2026, 5, 4, 9, tzinfo=UTC)


def against(rc: Recollect, said: str, claim: str, quote: str = "", actor: str = "Ana") -> str:
    """Give what speaks clearly against a claim about what somebody said; nothing where it is stored."""
    turn = Turn("t1", "user", actor, said, AT)
    other = Turn("t2", "user", "Ben", "Really? Then Tomas was right.", AT)
    found = unfounded(claim, quote or said, turn, Grounds([turn, other], frozenset(("ana",))), rc._runtime.reader)
    return found.reason if found.clear else ""


@pytest.fixture(scope="module")
def rc(tmp_path_factory: pytest.TempPathFactory) -> Recollect:
    """Give a memory: only its reader is needed."""
    return Recollect(f"{tmp_path_factory.mktemp('evidence')}/memory.db", embedder="none")


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I got a new car last week.", "Carlos gave Ana a new car."),
        ("My sister moved to Lisbon.", "Beatriz, sister of Ana, moved to Lisbon."),
        ("My boss fired me.", "Henrik is Ana's boss."),
        ("I have a cat called Miau.", "Bartholomew has a cat called Miau."),
    ],
)
def test_a_made_up_name_at_the_beginning_is_refused(rc: Recollect, said: str, claim: str) -> None:
    """The first word of a claim is a name unless people write it small."""
    assert "was not said" in against(rc, said, claim)


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("They're in my desk drawer.", "According to Ana, they are in her desk."),
        ("I left in the spring, but I still do their posters", "Although she left, Ana still makes their posters."),
        ("I cannot manage stairs since the hip", "Mrs. Ana is unable to climb stairs because of her hip."),
        ("Perfect, please do.", "Ana agreed that Tomas was right."),
        ("A four-month-old baby, so yeah", "Ana has an infant of four months."),
    ],
)
def test_first_words_titles_and_numbers_in_words_are_no_reason(rc: Recollect, said: str, claim: str) -> None:
    """What is no name is not looked for, and a number that is part of a word was said."""
    assert against(rc, said, claim) == ""


def test_a_name_in_the_place_of_the_quoted_one(rc: Recollect) -> None:
    """Behind the quote it stands in another's place; before it, it may be whom a pronoun means."""
    said = "my exam is with Mrs Falk now, not Mr Brandt, he's ill"
    told = against(rc, said, "Ana will take her exam with Mr Brandt.", "my exam is with Mrs Falk now")
    assert told == "the name 'brandt' stands where 'falk' was said"
    said = "Jorge is great, he fixed the lathe that Pedro broke"
    assert against(rc, said, "Jorge fixed the lathe.", "he fixed the lathe that Pedro broke") == ""


def test_another_speakers_own_words(rc: Recollect) -> None:
    """What one says of himself is nobody else's, though he speaks to him in the next breath."""
    said = "I'm allergic to peanuts btw, pls tell your mum"
    told = against(rc, said, "Ben is allergic to peanuts.", "I'm allergic to peanuts btw", actor="Marek")
    assert told == "the quote is another's"
