"""Topics that differ only in how they are written, found without a model."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.model.values import dataclass
from recollect.rules.learn.topics import settled_topic


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
