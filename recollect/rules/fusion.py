"""Several rankings into one: what every signal says of every candidate, weighed for the query at hand.

A feature is standardised over the candidates (how many deviations above their mean it is), so that what tells
candidates apart counts and what is the same for all counts nothing: a channel that is not decisive for this query
falls silent by itself. The weights were learnt on conversations of two kinds at once; `docs/why/fusion.md` tells how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from recollect.rules.numbers import Flags, Ints, Reals, np

FEATURES: dict[str, tuple[str, float]] = {
    "words": ("words", 0.0),
    "cover": ("words", 0.25),
    "meaning": ("meaning", 0.65),
    "names": ("names", 0.1),
    "window_words": ("window", 0.5),
    "window_meaning": ("window", 0.2),
    "session_words": ("session", 0.25),
    "session_meaning": ("session", 0.1),
    "speaker": ("speaker", 0.6),
    "date": ("date", 0.9),
    "person": ("role", 1.15),
    "long": ("shape", -0.5),
    "asks": ("shape", -0.15),
    "answers": ("shape", 0.2),
    "personal": ("shape", 0.4),
    "timed": ("shape", 0.6),
    "numbered": ("shape", 0.3),
}
"""Each feature of a candidate: the signal it belongs to, and its weight."""

SIGNALS: tuple[str, ...] = (*dict.fromkeys(signal for signal, _ in FEATURES.values()), "newer")


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """How the signals of a search are weighed against each other."""

    method: Literal["standard", "rank"] = "standard"
    """`standard` adds standardised scores with learnt weights; `rank` is reciprocal rank fusion of three channels."""
    rank_constant: int = 60
    """The k of reciprocal rank fusion: the greater, the less the first ranks stand out."""
    per_channel: int = 100
    """How many candidates words and meaning hand on, each."""
    similarity_min: float = 0.2
    """From which similarity on a memory may be found by its meaning alone, no word or name in common."""
    off: tuple[str, ...] = ()
    """Signals to leave out: words, meaning, names, window, session, speaker, date, role, shape, newer."""


def standardised(values: Reals) -> Reals:
    """Give each row of values as deviations from its mean; what is not known, and what all share, counts nothing."""
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=-1, keepdims=True), 1)
    seen = np.where(known, values, 0.0)
    apart = np.where(known, seen - seen.sum(axis=-1, keepdims=True) / count, 0.0)
    spread = np.sqrt((apart * apart).sum(axis=-1, keepdims=True) / count)
    return np.asarray(np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 1e-9))


def weighed(features: Mapping[str, Reals], gates: Mapping[str, float], policy: FusionPolicy) -> dict[str, Reals]:
    """Give what each signal adds to each candidate's score; `gates` say how much a feature matters to this query."""
    used = [name for name, (signal, _) in FEATURES.items() if name in features and signal not in policy.off]
    if not used:
        return {}
    signals = list(dict.fromkeys(FEATURES[name][0] for name in used))
    weights = np.zeros((len(signals), len(used)))
    for at, name in enumerate(used):
        signal, weight = FEATURES[name]
        weights[signals.index(signal), at] = weight * gates.get(name, 1.0)
    return dict(zip(signals, weights @ standardised(np.stack([features[name] for name in used])), strict=True))


def by_rank(features: Mapping[str, Reals], gates: Mapping[str, float], policy: FusionPolicy) -> dict[str, Reals]:
    """Give what each channel adds by reciprocal rank; equal scores share a rank, and nothing found adds nothing."""
    parts: dict[str, Reals] = {}
    for name in ("words", "meaning", "names"):
        if name in policy.off or name not in features:
            continue
        values = np.where(np.isfinite(features[name]), features[name], 0.0)
        found = values > 0
        ranks = ranked(values)
        parts[name] = np.where(found, 1.0 / (policy.rank_constant + ranks), 0.0)
    return parts


def ranked(values: Reals) -> Ints:
    """Give the rank of each value, 1 for the greatest; equal values share theirs."""
    distinct = np.unique(-values)
    return np.asarray(np.searchsorted(distinct, -values) + 1)


HEAD = 3
"""Only so many of the best can be overtaken by what is newer."""
ALIKE, ALIKE_KEPT, SOFT = 0.45, 0.9, 0.05
"""How alike two messages must be for half the gap between them to be lifted; how alike two memories that were worded
to be kept, since all that is kept of one person sounds alike; and how sharp that edge is."""
SHARED, CHANGED = 0.3, 0.1
"""What common query words, and words of change in the newer one, add to likeness."""
MARGIN = 0.3
"""How far above the older one a full lift goes."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best candidates of a search, for the question which of them the others have overtaken."""

    score: Reals
    order: Ints
    """Their places in time, greater is newer."""
    cosine: Reals
    """How alike their vectors are, each with each."""
    matched: Reals
    """Query terms by candidates: the weight of the term where it is in the candidate."""
    change: Reals
    author: Ints
    said: Flags
    """Which are raw messages."""


def lifts(best: Best) -> Reals:
    """Give what lifts the newer of two who say much the same above the older, if the same person said both."""
    own = best.matched.sum(axis=0)
    both = np.minimum(best.matched[:, :, None], best.matched[:, None, :]).sum(axis=0)
    shared = both / np.maximum(1e-9, own[:, None] + own[None, :] - both)
    alike = best.cosine + SHARED * shared + CHANGED * (best.change[:, None] - best.change[None, :])
    enough = np.where(best.said[:, None] & best.said[None, :], ALIKE, ALIKE_KEPT)
    share = 1 / (1 + np.exp(-(alike - enough) / SOFT))
    gap = best.score[None, :] - best.score[:, None]
    newer = best.order[:, None] > best.order[None, :]
    may = newer & (best.author[:, None] == best.author[None, :]) & (gap >= 0)
    return np.asarray(np.where(may, share * (gap + MARGIN), 0.0).max(axis=1))
