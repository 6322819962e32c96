"""Marks: what can be told of a text at a glance, and helps to rank it later; here what needs no language."""

from __future__ import annotations

from recollect.text.patterns import pattern
from recollect.text.roles import is_machine

ASKS, TIMED, PERSONAL, PERSON, NUMBERED, CHANGED = 1, 2, 4, 8, 16, 32
"""It ends with a question; names a time; somebody speaks of himself; a person says it, not a machine; it holds a
number; it tells of a change."""
HEAD, TAIL = 4000, 200
"""How much of a text is looked at, from its beginning and at its end."""
_QUESTIONS = ("?", "？", "؟", '?"', "?)")
_WORD, _DIGIT = pattern(r"\w+"), pattern(r"\d")


def marked(text: str, role: str) -> int:
    """Give the marks of a text that need no language, as one number."""
    numbers = numbers_of(text, words_of(text[:HEAD]))
    timed = any(map(is_year, numbers))
    return ASKS * asks(text) + TIMED * timed + PERSON * (not is_machine(role)) + NUMBERED * bool(numbers)


def asks(text: str) -> bool:
    """Tell whether a text ends with a question."""
    return text[-TAIL:].partition(" [photo")[0].rstrip().endswith(_QUESTIONS)


def words_of(text: str) -> set[str]:
    """Give the words of a text in small letters."""
    # A Turkish capital would leave a lone dot behind, and with it a word of one letter.
    return set(_WORD.findall(text.replace("İ", "i").lower()))


def numbers_of(text: str, words: set[str]) -> list[str]:
    """Give those of a text's words that hold a digit."""
    return [word for word in words if _DIGIT.search(word)] if _DIGIT.search(text[:HEAD]) else []


def is_year(word: str) -> bool:
    """Tell whether a word is a year."""
    return len(word) == 4 and word.isdecimal()
