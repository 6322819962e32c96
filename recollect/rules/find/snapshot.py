"""One moment of a search: what is asked of the store, and all that ranking looks at, as values."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from recollect.model.filter import Filter
from recollect.model.values import dataclass
from recollect.rules.find.columns import Columns
from recollect.rules.find.words import Matched
from recollect.text.arrays import Flags, Ints, Reals, np
from recollect.text.terms import TermsPolicy

AROUND = 20
"""Of how many of the best by words, and by meaning, the neighbours become candidates too."""


class Nearest(NamedTuple):
    """Documents and how similar each is, best first."""

    docs: Ints
    similar: Reals

    def pairs(self) -> list[tuple[int, float]]:
        """Give each document with its similarity."""
        return list(zip(self.docs.tolist(), self.similar.tolist(), strict=True))

    def first(self, limit: int) -> Nearest:
        """Give the best of them."""
        return Nearest(self.docs[:limit], self.similar[:limit])


@cache
def nobody() -> Nearest:
    """Give what is found where there is nothing."""
    return Nearest(np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Sought:
    """What a search asks of the store: a filter, and what each channel looks for under it."""

    where: Filter
    policy: TermsPolicy
    words: tuple[str, ...] = ()
    """The words that can find anything, each once."""
    tags: tuple[str, ...] = ()
    """The terms of the tags that were named."""
    calls: frozenset[str] = frozenset()
    """The words by which a speaker may be called."""
    names: tuple[str, ...] = ()
    """The folded names of entities that may be meant."""
    model: str = ""
    vector: Reals | None = None
    """The query's meaning, and whose vectors it is compared with; None where meaning is not asked."""
    nearest: int = 100
    """How many are found by meaning, at most."""
    per_channel: int = 100
    """How many every other channel hands on, at most."""
    beside: bool = True
    """Whether what stood beside the best is looked at too."""


@dataclass(frozen=True, slots=True)
class Found:
    """What each channel of a search found, before anything is weighed."""

    matched: Matched
    """The words: their postings and BM25."""
    near: Nearest
    """The documents nearest in meaning, best first."""
    named: dict[int, float]
    """The documents that mention names of the query, and how many, best first."""
    inherited: dict[int, float]
    """The documents that stand in the place of replaced ones the words found, with the scores of those."""
    speakers: list[int]
    """The numbers of the actors whom the query calls by name."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that ranking looks at, read in one moment under one filter."""

    sought: Sought
    columns: Columns
    """The owner's documents."""
    allowed: Flags
    """Which documents pass the filter, by document number."""
    found: Found
    docs: Ints
    """The candidates, ascending."""
    around: Ints
    """The candidates, and where asked for the messages around each, a row for every distance; 0 for none."""
    similar: Reals | None
    """How similar in meaning each of the first three rows of `around` is; NaN where there is no vector."""

    def messages(self) -> Flags:
        """Say of every candidate whether it is a raw message."""
        return self.columns.are("kind", "episode", self.docs)


def candidates(sought: Sought, columns: Columns, allowed: Flags, found: Found) -> Ints:
    """Choose what is looked at closely: the best of each channel, and where asked for what stood beside the very best.

    Ascending.
    """
    words, near = found.matched.best(sought.per_channel), found.near.docs
    chosen = np.zeros(columns.size, dtype=bool)
    chosen[words] = True
    chosen[near] = True
    if found.named or found.inherited:
        chosen[[*list(found.named)[: sought.per_channel], *found.inherited]] = True
    if sought.beside:
        best = np.concatenate((words[:AROUND], near[:AROUND])) if len(near) else words[:AROUND]
        chosen[columns.around(best, reach=1)] = True
    chosen &= allowed
    return chosen.nonzero()[0]
