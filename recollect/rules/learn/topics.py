"""Topics: one that is named in nearly the words of a known one means that one, and two that stand so may be one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.model.values import dataclass
from recollect.text.later import Later
from recollect.text.normal import words

if TYPE_CHECKING:
    from rapidfuzz import fuzz
else:
    fuzz: Any = Later("rapidfuzz.fuzz")

ALIKE = 75.0
"""From which likeness on, of 100, two topics are one, in whatever order their words stand."""


def settled_topic(topic: str, known: Sequence[str]) -> str:
    """Give the known topic a new one stands for; itself where there is none."""
    numbers, said = _numbers(topic), " ".join(words(topic))
    best, most = topic, ALIKE
    for one in known if topic.strip() else ():
        if _numbers(one) == numbers and (like := fuzz.token_sort_ratio(said, " ".join(words(one)))) >= most:
            best, most = one, like + 1e-9  # of equals the first, which is used most
    return best


def _numbers(topic: str) -> list[str]:
    """Give the numbers of a topic: where they differ, so do the topics."""
    return sorted("".join(char if char.isdigit() else " " for char in topic).split())


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
        same = [one for one in left if settled_topic(_spaced(one), [_spaced(into)]) == _spaced(into)]
        if same:
            found.append(Merge(into, tuple(same)))
            left = [one for one in left if one not in same]
    return found


def _spaced(topic: str) -> str:
    """Give a topic with blanks between its words, however they are joined."""
    return " ".join("".join(char if char.isalnum() else " " for char in topic).split())
