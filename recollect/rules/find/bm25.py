"""Ranking by words: BM25 with the owner's own statistics, and what stands in for unknown words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from recollect.text.arrays import Ints, Reals, np
from recollect.text.later import Later
from recollect.text.terms import LONGEST_TERM, TermsPolicy, unspaced

SHORTEST_PART = 3
process: Any = Later("rapidfuzz.process")
distance: Any = Later("rapidfuzz.distance")
"""Most queries hold no word that is unknown, so that spellings are compared by few processes."""


def idf(docs: int, df: float) -> float:
    """Weigh a term by how few of the owner's memories hold it; never negative."""
    met = min(df, docs)
    return log((docs - met + 0.5) / (met + 0.5) + 1)


def rarest(frequencies: Mapping[str, int], wanted: Sequence[str], most: int) -> list[str]:
    """Keep the rarest terms of a long query, in their order; unknown ones count as rarest."""
    if len(wanted) <= most:
        return list(wanted)
    keep = set(sorted(wanted, key=lambda term: frequencies.get(term, 0))[:most])
    return [term for term in wanted if term in keep]


def saturated(tf: Reals, lengths: Ints | Reals, average_length: float, policy: TermsPolicy) -> Reals:
    """Let repeats of a word count ever less, and less in long texts: what BM25 multiplies the idf with."""
    flat, slope = policy.k1 * (1 - policy.b), policy.k1 * policy.b / max(average_length, 1.0)
    return np.asarray(tf * (policy.k1 + 1) / (tf + flat + slope * lengths))


def scores(docs: Ints, tf: Reals, weights: Reals, lengths: Ints, average_length: float, policy: TermsPolicy) -> Reals:
    """Add up BM25 by document number over postings: the document, the count and the term's idf of each."""
    parts = weights * saturated(tf, lengths.take(docs), average_length, policy)
    return np.asarray(np.bincount(docs, parts, minlength=len(lengths)), dtype=float)


def is_part(word: str) -> bool:
    """Tell whether an unknown query word is long enough to be looked for inside known terms."""
    return SHORTEST_PART <= len(word) <= LONGEST_TERM or unspaced(word)


def slips(term: str) -> int:
    """Say how many letters of a term may be off: none in short ones, two in long ones."""
    return 0 if len(term) < 5 else 1 if len(term) < 8 else 2


def near(term: str, known: Sequence[str], policy: TermsPolicy) -> dict[str, float]:
    """Find known terms a few letters off, with a weight that falls with the distance."""
    found = process.extract(
        term, known, scorer=distance.DamerauLevenshtein.distance, score_cutoff=slips(term), limit=policy.expansions
    )
    ordered = sorted(found, key=lambda one: (one[1], one[0]))
    return {match: policy.expansion_weight / max(1, edits) for match, edits, _ in ordered}
