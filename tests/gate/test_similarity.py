"""Similarity: when a new text is one already known for certain, and which pairs are worth a judge's look."""

from __future__ import annotations

import pytest

from recollect.language import open_reader
from recollect.rules.gate.similarity import BandPolicy, same, worth_asking
from recollect.text.normal import compose, content_hash, jaccard, words

READER = open_reader("words")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea.", "likes   TEA"),
        ("Likes “tea”!", 'likes "tea"'),
        ("Ana’s tea", "Ana's tea"),
        ("e\u0301t", "ét"),
        ("ＴＥＡ", "tea"),
        ("绿茶。", "绿茶"),
        ("🎉", "🎉"),
    ],
)
def test_equal_after_normalising(one: str, other: str) -> None:
    """Case, white space, quotes, forms and punctuation at the edges make no difference, at any length."""
    assert content_hash(one) == content_hash(other)
    assert same(one, other, READER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana likes the blue car in the yard.", "Ana likes a blue car in the yard."),
        ("Ana walks to the office with Tom.", "Ana walked to the office with Tom."),
        ("Der Hund von Ana mag die Katzen.", "Der Hund von Ana mag Katzen."),
    ],
)
def test_endings_and_articles_make_no_difference(one: str, other: str) -> None:
    """The same words in the same order are one statement, in whatever form they are."""
    assert same(one, other, READER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Owes 5", "Owes -50"),
        ("🎉", "😀"),
        ("Ana owns two cats and a dog.", "Ana owns three cats and a dog."),
        ("Ana is vegan these days.", "Ana is not vegan these days."),
        ("Ana left before the meal.", "Ana left after the meal."),
        ("Kim is taller than Tom.", "Tom is taller than Kim."),
        ("Ana lives in Lisbon with Tom.", "Ana lives in Porto with Tom."),
        ("Ana likes green tea with honey now.", "Ana likes green tea with honey now and then."),
        ("喜欢绿茶。", "喜欢红茶。"),
    ],
)
def test_any_other_word_may_be_the_point(one: str, other: str) -> None:
    """A number, a negation, a name, a small word, another order and a word more are never taken for nothing."""
    assert not same(one, other, READER)


def test_what_is_worth_a_judge() -> None:
    """What is alike is asked about; what is a little alike where a rare word or a number is shared."""
    policy = BandPolicy()
    assert worth_asking(0.6, "a", "b", policy)
    assert not worth_asking(0.59, "a", "b", policy)
    assert worth_asking(0.3, "Ana's piano", "the piano", policy)
    assert worth_asking(0.3, "room 12", "room 13", policy)
    assert not worth_asking(0.3, "room 12", "room 14", policy)
    assert not worth_asking(0.29, "Ana's piano 12", "the piano 12", policy)


def test_shared_words() -> None:
    """The share of common words is one of all words, and empty texts share all."""
    assert jaccard(words("a b c"), words("b c d")) == 0.5
    assert jaccard([], []) == 1.0


def test_compose() -> None:
    """The one that holds the others stands for all; else all stand in a row, each once."""
    assert compose(["Ana likes tea.", "Ana likes green tea."]) == "Ana likes green tea."
    assert compose(["One.", "Two.", "One."]) == "One. Two."
