"""The marks of an English text: beside what needs no language, its words of time, of change and of oneself."""

from __future__ import annotations

import re

from recollect.text.marks import (
    ASKS,
    CHANGED,
    HEAD,
    NUMBERED,
    PERSON,
    PERSONAL,
    TIMED,
    asks,
    is_year,
    numbers_of,
    words_of,
)
from recollect.text.patterns import pattern
from recollect.text.roles import is_machine

NEAR = 600
"""How much of a text may tell of a change."""
_TIMES = frozenset(
    "yesterday today tonight tomorrow last next ago week weeks weekend month months year years monday tuesday "
    "wednesday thursday friday saturday sunday morning january february march april may june july august "
    "september october november december".split()
)
_NTH = pattern(r"\d+(?:st|nd|rd|th)")
_CHANGES = frozenset(
    "now new newly recently lately change changed changing move moved moving switch switched anymore instead update "
    "updated updating increase increased raise raised extended reduced reached improved grown dropped replaced "
    "renewed upgraded rescheduled postponed pushed correction finally started stopped became become".split()
)
_CHANGE = pattern(r"\b(?:no longer|any more|these days|as of|after all|down to|up to)\b", re.IGNORECASE)
_CHANGE_BEGINS = frozenset("no any these as after down up".split())
_SELF = frozenset("i my me we our".split())


def marks(text: str, role: str) -> int:
    """Give the marks of a text as one number; only its beginning and its end are looked at."""
    words = words_of(text[:HEAD])
    first = words if len(text) <= NEAR else words_of(text[:NEAR])
    numbers = numbers_of(text, words)
    timed = not _TIMES.isdisjoint(words) or any(map(_dated, numbers))
    changed = not _CHANGES.isdisjoint(first) or (
        not _CHANGE_BEGINS.isdisjoint(first) and bool(_CHANGE.search(text[:NEAR]))
    )
    return (
        ASKS * asks(text)
        + TIMED * timed
        + PERSONAL * (not _SELF.isdisjoint(words))
        + PERSON * (not is_machine(role))
        + NUMBERED * bool(numbers)
        + CHANGED * changed
    )


def _dated(word: str) -> bool:
    """Tell whether a word is a year, or the number of a day."""
    return is_year(word) or _NTH.fullmatch(word) is not None
