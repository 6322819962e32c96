"""The evidence check: no claim without words that bear it out, and none that says more than they do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bench.extraction import ground_figures, load, parts
from recollect.language.english.claim_check import ONLY_MACHINE, called_himself, unfounded
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn

AT = datetime(2026, 5, 20, 10, 0, tzinfo=UTC)


def why(said: str, claim: str, quote: str = "", role: str = "user", actor: str = "Ana") -> str:
    """Say why a claim about one message is unfounded."""
    candidate = Candidate(content=claim, quote=quote or said, turn="t")
    return unfounded(candidate, [Turn("t", role, actor, said, AT)], ("Ana",))


@pytest.mark.parametrize("part", parts("grounds"))
def test_drill(part: str) -> None:
    """No invention passes; of distortions at most one in ten; of true claims at least nine in ten. At first sight one
    of 25 inventions of the held part passed, two of 16 distortions of the fresh part, and one of 24 of the later."""
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
    """A name said earlier counts for whom is spoken of, not for what is said of him; what nobody said is told so."""
    turns = [
        Turn("1", "assistant", "", "Is your sister Maria 31?", AT),
        Turn("2", "user", "Ana", "My sister is a vet and she is 30.", AT),
        Turn("3", "user", "Ana", "Her clinic is in Porto.", AT),
        Turn("4", "user", "Ana", "Faro is far.", AT),
    ]

    def reason(claim: str) -> str:
        return unfounded(Candidate(content=claim, quote="My sister is a vet"), turns, ("Ana",))

    assert reason("Ana's sister Maria is a vet.") == ""
    assert reason("Ana's sister is a vet in Faro.") == "its quote does not say faro"
    assert reason("Ana's sister Rita is a vet.") == "nobody said Rita"
    assert reason("Ana's sister is 31.")


def claims(part: str) -> dict[str, list[str]]:
    """Hold the claims of a part against their conversations: those that were decided wrongly, by sort."""
    wrong: dict[str, list[str]] = {"true": [], "false": []}
    for talk in load("claims")[part]:
        when = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)
        turns = [Turn(str(at), role, "", text, when) for at, (role, text) in enumerate(talk["said"], 1)]
        for sort in wrong:
            for claim, quote, turn in talk.get(sort, ()):
                candidate = Candidate(content=claim, quote=quote, turn=str(turn))
                reason = unfounded(candidate, turns, talk.get("names", ()))
                wrong[sort] += [f"{claim}: {reason}"] if bool(reason) == (sort == "true") else []
    return wrong


@pytest.mark.parametrize(("part", "missed"), [("tuned", 1), ("held", 0)])
def test_claims_out_of_conversations(part: str, missed: int) -> None:
    """Quotes cut short, conditions, hearsay, swapped amounts and persons, invented predicates and what only the
    assistant said do not pass; what a good model writes does, in other languages too.

    The 40 true and 40 false claims of the held part were written before the check: at first sight 35 and 2 passed.
    """
    wrong = claims(part)
    assert wrong["false"] == []
    assert len(wrong["true"]) <= missed, wrong["true"]


def test_what_only_the_assistant_says() -> None:
    """What the assistant says of the user counts once the user says yes to it, or says it himself."""
    claim = Candidate(content="The user is a designer.", quote="you are a designer")

    def reason(*texts: str) -> str:
        roles = ("assistant", "user")
        return unfounded(claim, [Turn(str(at), roles[at % 2], "", text, AT) for at, text in enumerate(texts)])

    told = "Since you are a designer, take the large screen."
    assert reason(told, "Ok, thanks.") == ONLY_MACHINE
    assert reason(told, "Yes, exactly.") == ""
    assert reason(told, "Yes but I am no designer.") == ONLY_MACHINE
    assert reason(told, "How large?", "27 inches.", "I work as a designer, so fine.") == ""


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Hi, I'm Ana and I live in Lisbon.", "Ana"),
        ("My name is José, by the way.", "José"),
        ("Je m'appelle Amélie.", "Amélie"),
        ("Hallo, ich heiße Katrin.", "Katrin"),
        ("你好,我叫王伟。", "王伟"),
    ],
)
def test_who_says_his_name_is_known_by_it(said: str, name: str) -> None:
    """A name the speaker gives himself is his own."""
    assert called_himself([said]) == {name}


def test_a_name_that_is_not_his_own() -> None:
    """Whose brother he is, or where he is, is not what he is called."""
    assert called_himself(["I'm Ana's brother.", "I'm in Paris and it rains.", "I am sure."]) == set()


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
        ("I'm allergic to kiwi, not mango.", "Ana is allergic to kiwi, not mango."),
        ("My train is on June 11th 2026, not the 12th.", "Ana's train is on June 11th 2026, not the 12th."),
    ],
)
def test_a_claim_is_held_against_its_own_clause(said: str, claim: str) -> None:
    """A negation in another clause of the quote is not the claim's; what both say is not, is not."""
    assert why(said, claim) == ""


def test_what_was_denied_is_not_claimed() -> None:
    """A contrast turned round, or half of it, does not pass."""
    said = "I'm allergic to kiwi, not mango."
    assert why(said, "Ana is allergic to mango, not kiwi.")
    assert why(said, "Ana is allergic to mango.")
    assert why(said, "Ana is allergic to kiwi and mango.")


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


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (
            "I like the metro more than the bus",
            "likes the metro more than the bus",
            "likes the bus more than the metro",
        ),
        (
            "I like my metro better than your bus",
            "likes the metro better than the bus",
            "likes the bus better than metro",
        ),
        ("I prefer my bike to the bus", "prefers her bike to the bus", "prefers the bus to her bike"),
        ("I prefer walking to taking the bus", "prefers walking to the bus", "prefers taking the bus to walking"),
        (
            "I'd rather drink tea than coffee",
            "would rather drink tea than coffee",
            "would rather drink coffee than tea",
        ),
        ("I prefer tea instead of coffee", "prefers tea instead of coffee", "prefers coffee instead of tea"),
        ("I take my bike instead of the bus", "takes her bike instead of the bus", "takes the bus instead of her bike"),
    ],
)
def test_a_preference_turned_round(said: str, right: str, wrong: str) -> None:
    """What is preferred to what may be said in other words, not the other way round."""
    assert why(said, f"Ana {right}.") == ""
    assert why(said, f"Ana {wrong}.") == "it turns round what was said"


@pytest.mark.parametrize("part", ["abroad", "abroad later"])
def test_other_languages(part: str) -> None:
    """In German, Spanish, French and Japanese a claim that only changes the person passes; another verb, animal, person
    or certainty does not. Before the check 15 of the first 24 true ones passed, and 13 of 25 false ones. The later part
    was written after it: at first sight 21 of 21 and 2 of 21."""
    for sort, rows in load("grounds")[part].items():
        assert len(rows) > 20
        for row in rows:
            candidate = Candidate(content=row["claim"], quote=row["said"], turn="t")
            turns = [Turn("t", "user", row["who"], row["said"], AT)]
            reason = unfounded(candidate, turns, (row["who"],), ("anna", "carlos", "claire", "inés", "olaf"))
            assert (reason == "") is (sort == "true"), (row, reason)


def test_a_translation_is_held_against_names_and_subject() -> None:
    """An English claim about talk in another language must name the speaker or somebody the quote names."""
    said = [
        Turn("1", "user", "Ana", "Meine Freundin heißt Rita.", AT),
        Turn("2", "user", "Ana", "Ich bin in Graz.", AT),
    ]
    assert unfounded(Candidate(content="Ana is in Graz.", quote="Ich bin in Graz."), said, ("Ana",)) == ""
    reason = unfounded(Candidate(content="Rita is in Graz.", quote="Ich bin in Graz."), said, ("Ana",))
    assert reason == "its quote says nothing of Rita"
    assert unfounded(Candidate(content="Ana ist in Graz.", quote="Ich bin in Graz."), said, ("Ana",)) == ""


@pytest.mark.parametrize(
    ("said", "claim", "founded"),
    [
        ("If I won the lottery I would buy a boat", "Ana would buy a boat.", False),
        ("If I won the lottery, I could buy a boat", "Ana could buy a boat.", False),
        ("If I won the lottery I would buy a boat", "Ana would buy a boat if she won the lottery.", True),
        ("I would buy a boat if I had the money", "Ana would buy a boat.", False),
        ("If I had the time I would like to learn Greek", "Ana would like to learn Greek.", True),
    ],
)
def test_a_condition_stays(said: str, claim: str, founded: bool) -> None:
    """What somebody would do is told with the condition he would do it under."""
    assert (why(said, claim) == "") is founded
