"""When two texts are one: the same words but for endings and articles; and which pairs a judge should look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.values import dataclass
from recollect.text.normal import words
from recollect.text.patterns import pattern

if TYPE_CHECKING:
    from recollect.language.reader import Reader

_NUMBER = pattern(r"\d+")


@dataclass(frozen=True, slots=True)
class SimilarityPolicy:
    """How many memories a new one is held against."""

    candidates: int = 20
    """How many of the most similar memories are compared."""


@dataclass(frozen=True, slots=True)
class BandPolicy:
    """From which similarity on a judge is asked how two memories stand to each other."""

    ask: float = 0.60
    """At least so alike: asked about."""
    doubt: float = 0.30
    """At least so alike: asked about when they share a rare word or have a number that is equal or next to it."""
    rare_chars: int = 5
    """How long a shared word must be to count as rare."""


def same(one: str, other: str, reader: Reader) -> bool:
    """Tell whether two texts say the same for certain: the same words in the same order, but for endings and articles.

    Any other word may be the point, so it is left to a judge.
    """
    return words(one) == words(other) or reader.plain_words(one) == reader.plain_words(other)


def worth_asking(similarity: float, one: str, other: str, policy: BandPolicy) -> bool:
    """Tell whether somebody should be asked how two memories so alike stand to each other."""
    if similarity >= policy.ask:
        return True
    if similarity < policy.doubt:
        return False
    shared = {word for word in {*words(one)} & {*words(other)} if len(word) >= policy.rare_chars}
    numbers = ([int(number) for number in _NUMBER.findall(text)[:20]] for text in (one, other))
    first, second = numbers
    return bool(shared) or any(abs(a - b) <= 1 for a in first for b in second)
