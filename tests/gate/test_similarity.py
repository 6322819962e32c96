"""Similarity: when a new text is one already known, and when it must never be taken for one."""

from __future__ import annotations

import pytest

from recollect.language import open_reader
from recollect.language.english.rewording import reworded
from recollect.rules.gate.similarity import SimilarityPolicy, same
from recollect.text.normal import compose, content_hash, jaccard, words

ENGLISH = open_reader("english")

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
    assert same(one, other, POLICY, ENGLISH)


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
    assert not same(one, other, POLICY, ENGLISH)


def test_jaccard_boundary() -> None:
    """Exactly three quarters of the words in common is enough, a little less is not."""
    one, other = "likes green tea with honey now", "likes green tea with honey now and then"
    assert jaccard(words(one), words(other)) == 0.75
    assert same(one, other, POLICY, ENGLISH)
    assert not same(one, other + " often", POLICY, ENGLISH)
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
    assert same(one, other, POLICY, ENGLISH) == bool(alike)


def test_short_texts_need_equality() -> None:
    """Below five distinct words only equal texts are the same."""
    assert not same("likes green tea daily", "likes green tea daily always", POLICY, ENGLISH)


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
    assert not same(one, other, POLICY, ENGLISH)
    assert not same(other, one, POLICY, ENGLISH)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pill must be taken before meals.", "The pill must be taken after meals."),
        ("The light in the hall is on.", "The light in the hall is off."),
        ("The server in zone 1 is broken.", "The server in zone 1 is up."),
        ("The cat is on the table in the kitchen.", "The cat is under the table in the kitchen."),
        ("Ana's meeting on Monday is at 5 pm.", "Ana's meeting on Monday is at 5 a.m."),
        ("Ana may enter the lab at night.", "Only Ana may enter the lab at night."),
        ("Only Ana may enter the lab.", "Ana may only enter the lab."),
        ("The shop pays the baker every month.", "The baker pays the shop every month."),
        ("The shop paid in the first week.", "The shop was paid in the first week."),
        ("Ana is the head of the school.", "Ana was the head of the school."),
        ("The user prefers tea to coffee.", "The user prefers coffee to tea."),
        ("The cat on the mat saw the dog.", "The cat saw the dog on the mat."),
        ("All of the windows face north.", "Some of the windows face north."),
        ("Ana takes her tea with milk or honey.", "Ana takes her tea with milk and honey."),
        ("Ana sits to the left of his brother.", "Ana sits to the left of her brother."),
        ("Take vitamin d every day at noon.", "Take vitamin b every day at noon."),
        ("The backup plan of the team is plan B.", "The backup plan of the team is plan A."),
        ("Die Tablette wird vor dem Essen genommen.", "Die Tablette wird nach dem Essen genommen."),
        ("The war in the north began in May.", "The man in the north began in May."),
    ],
)
def test_small_words_and_order_tell(one: str, other: str) -> None:
    """A preposition, a particle, a letter, half of a day, `only`, a tense or an order that tells otherwise is news."""
    assert not same(one, other, POLICY, ENGLISH)
    assert not same(other, one, POLICY, ENGLISH)
    assert not reworded(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana lives in Lisbon with her two cats.", "With her two cats Ana lives in Lisbon."),
        ("Every morning the user walks the dog.", "The user walks the dog every morning."),
        ("Ben is a teacher at a school in Ghent.", "Ben is a teacher in a school in Ghent."),
        ("Ana likes green tea and black coffee.", "Ana likes black coffee and green tea."),
        ("Ana's meeting on Monday is at 5 pm.", "Ana's meeting on Monday is at 5pm."),
        ("Ana always drinks her tea at noon.", "Ana drinks her tea always at noon."),
        ("Ana drinks tea with her breakfast.", "Ana drinks tea after work with her breakfast."),
    ],
)
def test_glue_and_moved_parts_tell_nothing(one: str, other: str) -> None:
    """What is joined may change places, a part may be moved as a whole, and an addition takes nothing back."""
    assert reworded(one, other)
    assert reworded(other, one)


def test_a_common_first_word_is_no_name() -> None:
    """A capital at the start of a sentence does not make a common word a name."""
    assert same("The user likes to drink green tea daily", "A user likes to drink green tea daily", POLICY, ENGLISH)


def test_compose() -> None:
    """A text that holds the others stands for all; else they follow each other, whole."""
    assert compose(["likes tea", "Ana likes tea a lot", "likes tea"]) == "Ana likes tea a lot"
    assert compose(["Likes tea.", "Has a cat."]) == "Likes tea. Has a cat."
    assert len(compose(["a" * 200, "b" * 200])) == 401
