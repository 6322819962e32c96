"""The marks of a text: beside what needs no language, its words of time, of change and of oneself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from recollect.language.lexicon import Lexicon, one_of
from recollect.model.values import dataclass
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
from recollect.text.roles import is_machine

NEAR = 600
"""How much of a text may tell of a change."""


@dataclass(frozen=True, slots=True)
class _Signs:
    """What is looked for, of all languages together."""

    times: frozenset[str]
    changes: frozenset[str]
    own: frozenset[str]
    begins: frozenset[str]
    changing: re.Pattern[str]
    day: re.Pattern[str]


@cache
def _signs(known: tuple[Lexicon, ...]) -> _Signs:
    def all_of(name: str) -> frozenset[str]:
        return frozenset().union(*(one.words(name) for one in known))

    phrases = [phrase for one in known for phrase in one.phrases("changing")]
    return _Signs(
        all_of("times"),
        all_of("changes"),
        all_of("marking"),
        frozenset(phrase.split()[0] for phrase in phrases),
        re.compile(rf"\b(?:{one_of(phrases)})\b", re.IGNORECASE),
        re.compile(rf"\d+(?:{'|'.join(sorted(all_of('ordinals'))) or '(?!)'})"),
    )


def marks(text: str, role: str, known: Sequence[Lexicon]) -> int:
    """Give the marks of a text as one number; only its beginning and its end are looked at."""
    signs = _signs(tuple(known))
    words = words_of(text[:HEAD])
    first = words if len(text) <= NEAR else words_of(text[:NEAR])
    numbers = numbers_of(text, words)
    timed = not signs.times.isdisjoint(words) or any(is_year(one) or signs.day.fullmatch(one) for one in numbers)
    changed = not signs.changes.isdisjoint(first) or (
        not signs.begins.isdisjoint(first) and bool(signs.changing.search(text[:NEAR]))
    )
    return (
        ASKS * asks(text)
        + TIMED * timed
        + PERSONAL * (not signs.own.isdisjoint(words))
        + PERSON * (not is_machine(role))
        + NUMBERED * bool(numbers)
        + CHANGED * changed
    )
