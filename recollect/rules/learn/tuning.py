"""Tuning a prompt: how near an answer comes to the right one, what is held out, and when other words win."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.model.values import bounded, dataclass
from recollect.text.normal import words

SENTENCE = 3
"""From how many words on a text counts as near as its words are; a shorter one is right or wrong."""


@dataclass(frozen=True, slots=True)
class TuningPolicy:
    """How prompts are tuned by `recollect tune`."""

    held_out: float = bounded(0.4, 0.1, 0.9)
    """The share of the examples the optimizer never sees: on them another wording must win."""
    least: int = bounded(4, 2)
    """How many examples there must be on each side."""
    calls: int = bounded(200, 10)
    """How many answers the optimizer may ask for; judging the two wordings comes on top."""
    longer: float = bounded(2.0, 1)
    """How many times as long as before a wording may become: every question pays for it."""


def score(right: Any, given: Any) -> float:
    """Say how near an answer is to the right one, from 0 to 1; only what the right one names counts."""
    if isinstance(right, Mapping):
        parts = [score(value, given.get(name) if isinstance(given, Mapping) else None) for name, value in right.items()]
        return sum(parts) / len(parts) if parts else 1.0
    if isinstance(right, list | tuple):
        return _listed(list(right), list(given) if isinstance(given, list | tuple) else [])
    if isinstance(right, str):
        return _worded(right, given if isinstance(given, str) else "")
    return float(right == given)


def _listed(right: list[Any], given: list[Any]) -> float:
    """Match items, the nearest first; each that is missing or too much counts against the answer."""
    if not right and not given:
        return 1.0
    near = sorted(((-_item(a, b), x, y) for x, a in enumerate(right) for y, b in enumerate(given)))
    total, left, found = 0.0, set(range(len(right))), set(range(len(given)))
    for minus, x, y in near:
        if x in left and y in found:
            total, left, found = total - minus, left - {x}, found - {y}
    return 2 * total / (len(right) + len(given))


def _item(right: Any, given: Any) -> float:
    """Say how near an item is: nothing at all when a number or a word of it is wrong, else as near as its sentences."""
    if not isinstance(right, Mapping):
        return score(right, given)
    parts = {
        name: score(value, given.get(name) if isinstance(given, Mapping) else None) for name, value in right.items()
    }
    if any(part < 1 for name, part in parts.items() if not _sentence(right[name])):
        return 0.0
    told = [part for name, part in parts.items() if _sentence(right[name])]
    return sum(told) / len(told) if told else 1.0


def _sentence(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, str) and len(words(value)) >= SENTENCE)


def _worded(right: str, given: str) -> float:
    if words(right) == words(given):
        return 1.0
    if not _sentence(right):
        return 0.0
    one, other = set(words(right)), set(words(given))
    return 2 * len(one & other) / (len(one) + len(other))


def is_held_out(data: Mapping[str, str], share: float) -> bool:
    """Say whether an example is held out: always the same ones, so that no later run has seen them either."""
    text = "\n".join(f"{name}\t{data[name]}" for name in sorted(data))
    return int(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8], 16) < share * 2**32


def wins(before: Sequence[float], after: Sequence[float]) -> bool:
    """Say whether the second of two wordings did better: on the whole, and on more examples than it did worse."""
    better = sum(new > old for old, new in zip(before, after, strict=True))
    worse = sum(new < old for old, new in zip(before, after, strict=True))
    return sum(after) > sum(before) and better > worse
