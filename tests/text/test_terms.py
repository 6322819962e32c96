"""Terms: what a text is found by, in any script."""

from __future__ import annotations

import pytest

from recollect.text.terms import (
    LONGEST_TERM,
    TermsPolicy,
    Wanted,
    fold,
    length,
    split,
    stem,
    tag_term,
    terms,
    unspaced,
    wide,
)

POLICY = TermsPolicy()


def found(text: str) -> list[str]:
    """Give the terms of a text in order."""
    return list(terms(text, POLICY))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tea, tea & TEA!", ["tea", "tea", "tea"]),
        ("snake_case x2", ["snake", "case", "x2"]),
        ("Ana's don't", ["ana's", "don't"]),
        ("Ana’s café", ["ana's", "café"]),
        ("ＦＵＬＬ ﬁne", ["full", "fine"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("привет Мир", ["привет", "мир"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("مَرحَبًا", ["مَرحَبًا"]),
        ("我喜欢绿茶", ["我喜", "喜欢", "欢绿", "绿茶"]),
        ("茶", ["茶"]),
        ("東京でPython3を学ぶ", ["東京", "京で", "python3", "を学", "学ぶ"]),
        ("한국어", ["한국", "국어"]),
        ("ภาษาไทย"[:3], ["ภา", "าษ"]),
        ("I ❤ 🎉🎉", ["i", "❤", "🎉", "🎉"]),
        ("⭐⏰", ["⭐", "⏰"]),
        ("", []),
        ("... !!! --", []),
        ("\0a\0b", ["a", "b"]),
    ],
)
def test_split(text: str, words: list[str]) -> None:
    """Words of any script, emoji one by one, unspaced scripts in pairs."""
    assert list(split(text)) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "runs"),
        ("Ana's", "ana"),
        ("café", "CAFE"),
        ("naïve", "naive"),
        ("e\u0301t", "ét"),
        ("مَرحَبًا", "مرحبا"),
        ("don't", "don’t"),
    ],
)
def test_same_term(one: str, other: str) -> None:
    """Case, accents, composition, vowel marks, quotes and endings do not matter."""
    policy = TermsPolicy(language="english")
    assert list(terms(one, policy)) == list(terms(other, policy))


def test_hindi_vowel_signs_are_not_optional() -> None:
    """A vowel sign is part of a Hindi word, unlike an accent."""
    assert found("की") != found("का")


def test_stop_words_and_counts() -> None:
    """Stop words are left out, repeats counted, tags added once and not counted in the length."""
    counted = terms("The tea and the teas", POLICY, ("Green Tea", "green  tea"))
    assert counted == {"tea": 2, "#green tea": 1}
    assert length(counted) == 2


def test_other_languages() -> None:
    """The language chooses stemmer and stop words; `none` leaves words as they are."""
    assert list(terms("die Häuser", TermsPolicy(language="german"))) == ["haus"]
    assert list(terms("the houses", TermsPolicy(language="none"))) == ["the", "houses"]


def test_long_words_are_cut() -> None:
    """A term has a greatest length, so that it fits any engine's key."""
    assert len(stem("x" * 500, "english")) == LONGEST_TERM


@pytest.mark.parametrize(
    ("one", "other"), [("  ANA  B\tC ", "ana b c"), ("ÁNA", "ána"), ("ﬀ", "ff"), ("İ", "i̇"), ("A\u00a0B", "a b")]
)
def test_fold(one: str, other: str) -> None:
    """Names and topics are compared without case, forms and spare white space."""
    assert fold(one) == other
    assert fold(fold(one)) == other


def test_tag_terms_cannot_meet_words() -> None:
    """A tag's term starts with a sign no word has, and holds no line break."""
    assert tag_term("Two\nLines") == "#two lines"
    assert "#tea" not in found("#tea")


def test_unspaced() -> None:
    """Han, kana, Hangul and Thai are unspaced; Latin, Arabic and Hindi are not."""
    assert all(map(unspaced, "茶かカ한ไ"))
    assert not any(map(unspaced, ("tea", "é", "ش", "ह", "")))


def test_wanted_terms_are_counted_as_they_are_found() -> None:
    """What a text holds of some terms is what its own terms have in common with them, text after text."""
    wanted = Wanted(found("The painted boats of the harbour, 绿茶"), POLICY)
    texts = ("A boat is painted, the BOAT!", "the of a", "", "Harbours and 我喜欢绿茶", "the painter's harbour boat")
    assert [wanted.held(text) for text in texts] == [len(wanted.terms & terms(text, POLICY).keys()) for text in texts]
    assert wanted.held(texts[0]) == 2


def test_wide_characters_are_those_that_stand_for_a_word() -> None:
    """One of an unspaced script counts, and so does what lies beyond the first plane."""
    assert [wide(text) for text in ("", "tea", "café “quoted”", "我喜欢绿茶", "tea 😀😀", "привет")] == [
        0,
        0,
        0,
        5,
        2,
        0,
    ]
