"""Topics that differ only in how they are written, found without a model."""

from __future__ import annotations

from collections.abc import Mapping

from rapidfuzz import fuzz

from recollect.model.values import dataclass
from recollect.text.terms import fold

SAME = 75.0
"""From which likeness on, of a hundred, two topics may be one."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Topics that may be one: the one that would stand for them, and the others."""

    into: str
    topics: tuple[str, ...]


def alike(counts: Mapping[str, int]) -> list[Merge]:
    """Give the topics that are written nearly alike, those with most memories first to stand for the others."""
    left = sorted(counts, key=lambda topic: (-counts[topic], topic))
    found = []
    while left:
        into, *left = left
        same = [one for one in left if fuzz.token_sort_ratio(_words(into), _words(one)) >= SAME]
        if same:
            found.append(Merge(into, tuple(same)))
            left = [one for one in left if one not in same]
    return found


def _words(topic: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in fold(topic)).split())
