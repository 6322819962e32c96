"""How good a ranking is: the figures everybody uses, for one question and over many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log2
from statistics import fmean

from recollect.model.values import dataclass

NDCG_DEPTH, HIT_DEPTH, RECALL_DEPTH = 10, 5, 10


@dataclass(frozen=True, slots=True)
class Score:
    """What one ranking earned for one question; `newer_first` is None where nothing is out of date."""

    ndcg: float
    any5: float
    all5: float
    recall: float
    mrr: float
    newer_first: float | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The means over many questions, the mean of the kinds' means, and NDCG by kind."""

    questions: int
    ndcg: float
    over_kinds: float
    any5: float
    all5: float
    recall: float
    mrr: float
    updates: int
    newer_first: float | None
    kinds: Mapping[str, float]
    counts: Mapping[str, int]


def ndcg(ranked: Sequence[str], relevant: Collection[str], depth: int = NDCG_DEPTH) -> float:
    """Give the discounted gain of the first ranks as a share of the best there can be; a hit gains 1, a miss 0."""
    gained = sum(1 / log2(rank + 1) for rank, one in enumerate(ranked[:depth], 1) if one in relevant)
    best = sum(1 / log2(rank + 1) for rank in range(1, min(len(relevant), depth) + 1))
    return gained / best


def any_within(ranked: Sequence[str], relevant: Collection[str], depth: int = HIT_DEPTH) -> float:
    """Give 1 when a part of the evidence is among the first ranks."""
    return float(any(one in relevant for one in ranked[:depth]))


def all_within(ranked: Sequence[str], relevant: Collection[str], depth: int = HIT_DEPTH) -> float:
    """Give 1 when all of the evidence is among the first ranks."""
    return float(set(relevant) <= set(ranked[:depth]))


def recall(ranked: Sequence[str], relevant: Collection[str], depth: int = RECALL_DEPTH) -> float:
    """Give the share of the evidence that is among the first ranks."""
    return len(set(relevant) & set(ranked[:depth])) / len(relevant)


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Give 1 over the rank of the first hit, 0 when there is none."""
    return next((1 / rank for rank, one in enumerate(ranked, 1) if one in relevant), 0.0)


def newer_first(ranked: Sequence[str], newer: Collection[str], stale: Collection[str]) -> float:
    """Give 1 when the best evidence stands above the best of what is out of date; found neither, it is 0."""
    first = next((one for one in ranked if one in newer or one in stale), None)
    return float(first is not None and first in newer)


def score(ranked: Sequence[str], relevant: Collection[str], stale: Collection[str] = ()) -> Score:
    """Judge one ranking by its evidence, of which there must be some."""
    wanted = frozenset(relevant)
    old = frozenset(stale) - wanted
    return Score(
        ndcg=ndcg(ranked, wanted),
        any5=any_within(ranked, wanted),
        all5=all_within(ranked, wanted),
        recall=recall(ranked, wanted),
        mrr=reciprocal_rank(ranked, wanted),
        newer_first=newer_first(ranked, wanted, old) if old else None,
    )


def summary(scores: Iterable[tuple[str, Score]]) -> Summary | None:
    """Give the means over scores that each belong to a kind of question; None when there are none."""
    given = list(scores)
    if not given:
        return None
    kinds: dict[str, list[float]] = {}
    for kind, one in given:
        kinds.setdefault(kind, []).append(one.ndcg)
    means = {kind: fmean(kinds[kind]) for kind in sorted(kinds)}
    updates = [one.newer_first for _, one in given if one.newer_first is not None]
    return Summary(
        questions=len(given),
        ndcg=fmean(one.ndcg for _, one in given),
        over_kinds=fmean(means.values()),
        any5=fmean(one.any5 for _, one in given),
        all5=fmean(one.all5 for _, one in given),
        recall=fmean(one.recall for _, one in given),
        mrr=fmean(one.mrr for _, one in given),
        updates=len(updates),
        newer_first=fmean(updates) if updates else None,
        kinds=means,
        counts={kind: len(kinds[kind]) for kind in means},
    )
