"""Several rankings into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.model.hit import Signal


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """How the channels of a search are weighed against each other."""

    rank_constant: int = 60
    """The k of reciprocal rank fusion: the greater, the less the first ranks stand out."""
    words: float = 1.0
    """The weight of the ranking by words."""
    names: float = 0.5
    """The weight of the ranking by names."""
    per_channel: int = 50
    """How many hits each ranking hands on."""


def fuse(
    channels: Mapping[str, Sequence[tuple[int, float]]], limit: int, policy: FusionPolicy
) -> list[tuple[int, float, dict[str, Signal]]]:
    """Fuse rankings of (document, score) by reciprocal rank and keep the best.

    Equal scores share a rank, so that what a channel cannot tell apart it leaves to the others; of equals in
    the end the newer document goes first.
    """
    weights = {"words": policy.words, "names": policy.names}
    total: dict[int, float] = {}
    for channel, ranked in channels.items():
        weight, place, before = weights[channel], policy.rank_constant, None
        for doc, score in ranked:
            place += score != before
            before = score
            total[doc] = total.get(doc, 0.0) + weight / place
    best = [-doc for _, doc in sorted((-score, -doc) for doc, score in total.items())[:limit]]
    why: dict[int, dict[str, Signal]] = {doc: {} for doc in best}
    for channel, ranked in channels.items():
        rank, before = 0, None
        for doc, score in ranked:
            rank += score != before
            before = score
            if doc in why:
                why[doc][channel] = Signal(rank, score)
    return [(doc, total[doc], why[doc]) for doc in best]
