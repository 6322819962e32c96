"""When two texts say the same: equal in normal form, or nearly the same words and nothing that differs in sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.values import dataclass
from recollect.text.normal import jaccard, words

if TYPE_CHECKING:
    from recollect.language.reader import Pairs


@dataclass(frozen=True, slots=True)
class SimilarityPolicy:
    """When a new text counts as one already known."""

    jaccard: float = 0.75
    """From which share of common words two texts are near duplicates."""
    fewest_words: int = 5
    """Texts of fewer words are duplicates only when equal after normalising."""
    candidates: int = 20
    """How many of the most similar memories are compared."""


def same(one: str, other: str, policy: SimilarityPolicy, reader: Pairs) -> bool:
    """Tell whether two texts say the same: equal after normalising at any length, else nearly the same words.

    Texts that differ in a number, a negation or a name, or in the order of these, are never the same, however
    alike: such a difference is what a correction looks like. So is one word in the place of another (green for
    blue, after for before), and an order that says something else, while a word more or less, or another form of it,
    is not. In unspaced scripts any difference may be one.
    """
    a, b = words(one), words(other)
    if a == b:
        return True
    first, second = set(a), set(b)
    if min(len(first), len(second)) < policy.fewest_words or jaccard(first, second) < policy.jaccard:
        return False
    return reader.reworded(one, other)
