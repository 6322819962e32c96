"""Topics: a model that names a topic in nearly the words of a known one means that one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
