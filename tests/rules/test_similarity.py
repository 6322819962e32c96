"""Similarity: when a new text is one already known, and when it must never be taken for one."""

from __future__ import annotations

import pytest

from recollect.rules.similarity import SimilarityPolicy, compose, content_hash, jaccard, same, words

POLICY = SimilarityPolicy()


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
    assert same(one, other, POLICY)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Knows C++", "Knows C"),
        ("Knows C#", "Knows C"),
        ("Owes 5", "Owes -5"),
        ("!!!", "..."),
        ("a b", "ab"),
        ("🎉", "😀"),
        ("tea", "teas"),
    ],
)
def test_not_equal(one: str, other: str) -> None:
    """Signs that carry meaning are kept."""
    assert content_hash(one) != content_hash(other)
    assert not same(one, other, POLICY)


def test_jaccard_boundary() -> None:
    """Exactly three quarters of the words in common is enough, a little less is not."""
    one, other = "likes green tea with honey now", "likes green tea with honey now and then"
    assert jaccard(words(one), words(other)) == 0.75
    assert same(one, other, POLICY)
    assert not same(one, other + " often", POLICY)
    assert jaccard([], []) == 1.0


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (
            "the user is strongly allergic to peanuts and sesame",
            "the user is strongly allergic to walnuts and sesame",
            0,
        ),
        ("the user really hates the new open office plan", "the user really loves the new open office plan", 0),
        ("the favourite colour of the user is green", "the favourite colour of the user is blue", 0),
        ("the user walks the dog every single morning", "the user walks the dogs every single morning", 1),
        ("the user walks the dog every morning", "the user always walks the dog every morning", 1),
    ],
)
def test_one_word_for_another(one: str, other: str, alike: bool) -> None:
    """One word in the place of another is news; a word more, or another form of it, is not."""
    assert same(one, other, POLICY) == bool(alike)


def test_short_texts_need_equality() -> None:
    """Below five distinct words only equal texts are the same."""
    assert not same("likes green tea daily", "likes green tea daily always", POLICY)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the meeting with the whole team is at 15:00", "the meeting with the whole team is at 16:00"),
        ("she is a member of the club since 2019", "she is a member of the club since 2020"),
        ("the user likes to drink green tea every day", "the user likes not to drink green tea every day"),
        ("the user does drink green tea every single day", "the user doesn't drink green tea every single day"),
        ("the user loves travelling to Lisbon every spring", "the user loves travelling to Porto every spring"),
        ("Ana likes to drink green tea in the morning", "Bob likes to drink green tea in the morning"),
        ("Ana gave the green book to Bob at school", "Bob gave the green book to Ana at school"),
        ("thread 1 of the pool took fact 3", "thread 3 of the pool took fact 1"),
        ("Ana’s brother likes to drink green tea daily", "Bob’s brother likes to drink green tea daily"),
        ("la usuaria toma café con leche cada mañana", "la usuaria toma café sin leche cada mañana"),
        ("пользователь любит пить зелёный чай по утрам", "пользователь не любит пить зелёный чай по утрам"),
        ("我喜欢喝绿茶和咖啡还有牛奶果汁", "我不喜欢喝绿茶和咖啡还有牛奶果汁"),
        ("田中さんは毎朝公園で犬と散歩します", "田辺さんは毎朝公園で犬と散歩します"),
    ],
)
def test_telling_differences(one: str, other: str) -> None:
    """A number, a negation or a name that differs is a correction, never a duplicate."""
    assert jaccard(words(one), words(other)) > 0.6
    assert not same(one, other, POLICY)
    assert not same(other, one, POLICY)


def test_a_common_first_word_is_no_name() -> None:
    """A capital at the start of a sentence does not make a common word a name."""
    assert same("The user likes to drink green tea daily", "A user likes to drink green tea daily", POLICY)


def test_compose() -> None:
    """A text that holds the others stands for all; else they follow each other, whole."""
    assert compose(["likes tea", "Ana likes tea a lot", "likes tea"]) == "Ana likes tea a lot"
    assert compose(["Likes tea.", "Has a cat."]) == "Likes tea. Has a cat."
    assert len(compose(["a" * 200, "b" * 200])) == 401
