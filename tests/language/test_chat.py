"""How people write to an assistant: jokes, letters, corrections, wishes and lists, read rightly or passed over."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.language.english.claim_check import unfounded
from recollect.language.english.conflict import compare
from recollect.language.english.detection import language
from recollect.language.english.echo import Echo
from recollect.language.english.statements import statements
from recollect.language.english.subjects import as_user, head, names_told, on_one_subject
from recollect.language.values import StatementsPolicy
from recollect.model.turn import Turn

AT = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)  # a Sunday


def told(*said: str) -> list[str]:
    """Take down what somebody says in one message after the other; what is not founded is left out."""
    turns = [Turn(f"t{at}", "user", "", text, AT) for at, text in enumerate(said)]
    found = statements(turns, StatementsPolicy(), "")
    return [one.content for one in found if one.explicit or not unfounded(one, turns)]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I was born on October 9th.", "The user was born on October 9th."),
        ("We got married on June 5th.", "The user got married on June 5th."),
        ("I got married last week.", "The user got married in the week of 2 November 2026."),
        ("I was born in April 1988.", "The user was born in April 1988."),
        (
            "I'm flying to Lima on December 27th, back on January 11th.",
            "The user is flying to Lima on December 27th 2026, back on January 11th 2027.",
        ),
        ("My interview was on Tuesday.", "The user's interview was on 10 November 2026."),
        ("My interview is on Tuesday.", "The user's interview is on 17 November 2026."),
        ("I lost my job four days ago.", "The user lost their job on 11 November 2026."),
        ("My boss is called Ines now, Rui quit.", "The user's boss is called Ines now."),
        ("I've never been to Peru haha.", "The user has never been to Peru."),
        ("I play the harp tho", "The user plays the harp."),
        ("I live in Graz. Thanks, Claude", "The user lives in Graz."),
    ],
)
def test_times_and_names_are_those_that_were_said(said: str, content: str) -> None:
    """No year, no name and no laughter comes into a fact that its speaker did not put there."""
    assert told(said) == [content]


@pytest.mark.parametrize(
    "said",
    [
        "Subject: keys\n\nI live in Brno and I work at Tesco.",
        "Dear Nora,\nI moved to Brno.\nLove,\nPat",
        "I live in Brno and I love it.\nKind regards,\nPat Moss",
        "I'm married to a ghost lol",
        "My dog is the mayor of Brno 🤣",
        "I just LOVE queues.",
        "Oh great, I love queues.",
        "I'm a millionaire haha",
        "Off the record, I hate my landlord.",
        "Don't save this: I earn 90k.",
        "I'm vegan. Scratch that.",
        "I'm a nurse. Just joking.",
        "Don't remember this. I live in Brno.",
        "I'm Petra's.",
        "I was born ready.",
        "She died yesterday.",
        "My character is called Zed and I am an orc.",
        "I'm writing on behalf of Petra. I live in Brno.",
        "We live in hope.",
        "I switched the lamp off.",
    ],
)
def test_what_is_not_meant_to_be_kept(said: str) -> None:
    """A joke, a pasted letter, a word in confidence and what is taken back teach nobody anything."""
    assert told(said) == []


def test_what_is_taken_back_takes_only_the_sentence_before() -> None:
    """Who takes a sentence back takes back that one, in the same message or the next."""
    assert told("I have a dog. I live in Brno.", "Forget what I just said.") == ["The user has a dog."]
    assert told("I have a dog.", "Remember that I live in Brno.", "Forget what I just said.") == ["The user has a dog."]
    assert told("I live in Brno. Don't forget that I have a dog.") == [
        "The user has a dog.",
        "The user lives in Brno.",
    ]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        (["I live in Brno.", "Oh wait, not Brno, Olomouc."], ["The user lives in Olomouc."]),
        (["My shoe size is 41. Sorry, I said 41, it's actually 42."], ["The user's shoe size is 42."]),
        (["My exam is on June 3rd.", "I have a cat.", "Sorry, I meant June 5th."],
         ["The user has a cat.", "The user's exam is on June 5th 2027."]),
        (["I have two cats.", "I meant three."], ["The user has three cats."]),
        (["My sister Eva lives in Brno.", "It's actually Olomouc."], ["The user's sister Eva lives in Brno."]),
        (["It's actually 42."], []),
        (["I live in Brno.", "Not Prague, Olomouc."], ["The user lives in Brno."]),
    ],
)  # fmt: skip
def test_corrections_of_what_was_just_said(said: list[str], content: list[str]) -> None:
    """A correction takes the place of the one value it can mean; one that may mean two things changes nothing."""
    assert sorted(told(*said)) == content


def test_a_correction_is_no_way_round_the_evidence() -> None:
    """Words of two messages make one quote only where the later corrects the earlier."""
    turns = [Turn("a", "user", "", "I live in Brno.", AT), Turn("b", "user", "", "I was in Rome once.", AT)]
    (found,) = statements(turns[:1], StatementsPolicy(), "")
    claim = type(found)(content="The user lives in Rome.", quote="I live in … Rome once", turn="b")
    assert unfounded(claim, turns)


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I'm Wilhelmina but please call me Mina.",
         ["The user's name is Wilhelmina.", "The user prefers to be called Mina."]),
        ("my name is Robert but everyone calls me Bob",
         ["The user's name is Robert.", "The user prefers to be called Bob."]),
        ("Call me Sara, without an h.", ["The user prefers to be called Sara."]),
        (
            "Keep your answers short from now on, and don't use lists.",
            ["The user wants the assistant to keep answers short from now on.",
             "The user wants the assistant not to use lists."],
        ),
        ("don't ever recommend hotels", ["The user wants the assistant to never recommend hotels."]),
        ("Remind me to call the bank.", ["The user wants to be reminded to call the bank."]),
        ("Remember that Ines said I owe her 30 euros.", ["Ines said the user owes Ines 30 euros."]),
        ("Don't use lists.", []),
        ("Remind me how this works.", []),
        ("My mum calls me Bobby.", []),
        ("I'm Otto, 63, from Graz.",
         ["The user's name is Otto.", "The user is 63 years old.", "The user is from Graz."]),
        ("im nut intolerant", ["The user is nut intolerant."]),
        ("My niece Ida is 5 and she's allergic to cats.",
         ["The user's niece Ida is 5.", "The user's niece Ida is allergic to cats."]),
        ("Dad died in 2011.", ["The user's dad died in 2011."]),
        ("I'm chief of staff at Norda.", ["The user is chief of staff at Norda."]),
        ("We moved to Graz.", ["The user moved to Graz."]),
        ("We've lived in Graz since 2019.", ["The user has lived in Graz since 2019."]),
        ("We're expecting a baby in July.", ["The user is expecting a baby in July 2027."]),
        ("My flight has been moved to December 5th.", ["The user's flight was moved to December 5th 2026."]),
        ("I was a cook, now I'm a nurse.", ["The user is now a nurse."]),
        ("Rex, my dog, is old.", []),
        ("My email changed, it's now o@example.org.", ["The user's email is now o@example.org."]),
    ],
)  # fmt: skip
def test_wishes_and_lists(said: str, content: list[str]) -> None:
    """What is asked for and what is told in one breath is told apart."""
    assert sorted(told(said)) == sorted(content)


def test_where_somebody_lives_fills_the_slot_when_asked_for() -> None:
    """Who asks to have his home remembered has given consent to the slot."""
    turn = Turn("t", "user", "", "Remember that I live in Graz.", AT)
    assert [(one.content, one.key) for one in statements([turn], StatementsPolicy())] == [
        ("The user lives in Graz.", "city")
    ]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("Ana's wife is a cook.", "Ana's wife Eva is retired now.", "changed"),
        ("Ana's sister is a cook.", "Ana's sister Eva is retired now.", "distinct"),
        ("Ana is a mother.", "Ana is now a teacher.", "distinct"),
        ("Ana is a nurse.", "Ana is a teacher.", "distinct"),
        ("Ana has a cat called Flo.", "Flo passed away in May 2026.", "changed"),
        ("Ana has a cat called Flo.", "Ana's cat Tom died in May 2026.", "distinct"),
        ("Ana's son is called Max.", "Ana's son Ben died in May 2026.", "distinct"),
        ("Ana's favourite singer is Rex.", "Rex died in May 2026.", "distinct"),
        ("Ana has a car and a bike.", "Ana sold the car.", "distinct"),
        ("Ana is a nurse.", "Ana is now a homeowner.", "distinct"),
        ("Ana is building a shop with Django and Postgres for two friends.",
         "Ana switched from Postgres to SQLite.", "distinct"),
        ("Ana's team uses Slack.", "Ana switched from Slack to Matrix.", "distinct"),
    ],
)  # fmt: skip
def test_changes_in_ordinary_words(old: str, new: str, name: str) -> None:
    """What ordinary words change is changed, and nothing beside it."""
    assert compare(old, new).name == name


def test_another_plain_word_is_news() -> None:
    """A colour or a trade that was not known is no echo, though all other words were."""
    echo = Echo(["Ana's favourite colour is teal.", "Ana is a nurse in the town of Graz."])
    assert not echo.repeats("My favourite colour is red.")
    assert not echo.repeats("Ana's favourite colour is red.")
    assert echo.repeats("Ana's favourite colour is teal!")
    assert echo.repeats("Ana is a nurse in Graz.")


def test_one_person_under_many_names() -> None:
    """A fact about the user reads the same under every name told for him, and nobody else's does."""
    names = names_told(["The user's name is Ana.", "Ana prefers to be called Nina.", "Bo's name is Bob."], {"u1"})
    assert names == {"u1", "ana", "nina"}
    assert as_user("Nina's sister met Nina.", names) == "The user's sister met the user."
    assert as_user("Anabel lives in Graz.", names) == "Anabel lives in Graz."
    assert as_user("Bob lives with Ana.", names) == "Bob lives with Ana."
    assert on_one_subject("Ana has a cat.", "The user has a cat.", names) == (
        "The user has a cat.",
        "The user has a cat.",
    )
    assert on_one_subject("Ana has a cat.", "In Graz Ana has a cat.", names)[0] == "Ana has a cat."
    assert (head("The user's cat"), head("Ana's cat"), head("")) == ("the user", "ana", "")


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Ik woon in Gent en ik heb twee katten die altijd buiten zijn.", True),
        ("Ich wohne in Graz und habe einen Hund, der Rex heißt.", True),
        ("我住在上海，在一家银行工作。", True),
        ("ok so i went to the gym and it was closed", False),
        ("error module not found exit code one retry build npm", False),
        ("Bonjour", False),
    ],
)
def test_another_language(said: str, other: bool) -> None:
    """Talk in another language is told from English, and from what is too short to say."""
    assert (language([said]) not in ("", "en")) == other
