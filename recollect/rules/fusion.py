"""Several rankings into one: what every signal says of every candidate, weighed for the query at hand.

A feature is standardised over the candidates (how many deviations above their mean it is), so that what tells
candidates apart counts and what is the same for all counts nothing: a channel that is not decisive for this query
falls silent by itself. The weights were learnt on conversations of two kinds at once; `docs/why/fusion.md` tells how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from recollect.rules.numbers import Ints, Reals, np

FEATURES: dict[str, tuple[str, float]] = {
    "words": ("words", 0.2),
    "cover": ("words", 0.2),
    "meaning": ("meaning", 0.7),
    "names": ("names", 0.1),
    "window_words": ("window", 0.1),
    "window_cover": ("window", 0.4),
    "before_words": ("window", 0.2),
    "after_words": ("window", 0.05),
    "window_meaning": ("window", 0.1),
    "session_words": ("session", 0.35),
    "session_meaning": ("session", 0.15),
    "speaker": ("speaker", 0.45),
    "spoken_of": ("speaker", -0.35),
    "date": ("date", 0.9),
    "user": ("role", 0.7),
    "length": ("shape", -0.1),
    "asks": ("shape", -0.2),
    "answers": ("shape", 0.2),
    "personal": ("shape", 0.4),
    "timed": ("shape", 0.15),
}
"""Each feature of a candidate: the signal it belongs to, and its weight."""

SIGNALS: tuple[str, ...] = tuple(dict.fromkeys(signal for signal, _ in FEATURES.values()))


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """How the signals of a search are weighed against each other."""

    method: Literal["standard", "rank"] = "standard"
    """`standard` adds standardised scores with learnt weights; `rank` is reciprocal rank fusion of three channels."""
    rank_constant: int = 60
    """The k of reciprocal rank fusion: the greater, the less the first ranks stand out."""
    per_channel: int = 100
    """How many candidates words and meaning hand on, each."""
    similarity_min: float = 0.15
    """From which similarity on a memory may be found by its meaning alone, no word or name in common."""
    off: tuple[str, ...] = ()
    """Signals to leave out: words, meaning, names, window, session, speaker, date, role, shape."""


def standardised(values: Reals) -> Reals:
    """Give each value as deviations from the mean; what is not known, and what all share, counts nothing."""
    known = np.isfinite(values)
    if not known.any():
        return np.zeros(len(values))
    centre, spread = values[known].mean(), values[known].std()
    if spread < 1e-9:
        return np.zeros(len(values))
    return np.where(known, (values - centre) / spread, 0.0)


def weighed(features: Mapping[str, Reals], policy: FusionPolicy) -> dict[str, Reals]:
    """Give what each signal adds to each candidate's score."""
    parts: dict[str, Reals] = {}
    for name, (signal, weight) in FEATURES.items():
        if signal not in policy.off and name in features:
            part = weight * standardised(features[name])
            parts[signal] = parts[signal] + part if signal in parts else part
    return parts


def by_rank(features: Mapping[str, Reals], policy: FusionPolicy) -> dict[str, Reals]:
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
