"""Several rankings into one: what every signal says of every candidate, weighed for the query at hand.

A feature is standardised over the candidates (how many deviations above their mean it is), so that what tells
candidates apart counts and what is the same for all counts nothing: a channel that is not decisive for this query
falls silent by itself. The weights were learnt on conversations of two kinds at once; `docs/why/fusion.md` tells how.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from recollect.model.values import bounded, dataclass
from recollect.text.arrays import Flags, Ints, Reals, np

FEATURES: dict[str, tuple[str, float]] = {
    "words": ("words", 0.0),
    "names": ("names", 0.05),
    "window_words": ("window", 0.45),
    "cover": ("words", 0.25),
    "meaning": ("meaning", 0.9),
    "window_meaning": ("window", 0.15),
    "session_words": ("session", 0.3),
    "session_meaning": ("session", 0.25),
    "speaker": ("speaker", 0.4),
    "date": ("date", 0.9),
    "answers": ("shape", 0.15),
    "long": ("shape", -0.4),
    "person": ("role", 0.85),
    "asks": ("shape", -0.1),
    "personal": ("shape", 0.2),
    "timed": ("shape", 0.5),
    "numbered": ("shape", 0.3),
}
"""Each feature of a candidate: the signal it belongs to, and its weight."""

ROW: dict[str, int] = {name: at for at, name in enumerate(FEATURES)}
"""Where each feature stands among the rows of a matrix."""

SAID = slice(ROW["words"], ROW["window_words"] + 1)
"""The rows that say whether a word or a name of the query is in a candidate or beside it."""
FACED = slice(ROW["long"], ROW["numbered"] + 1)
"""The rows of what is known of a text by itself, in the order of `recollect.rules.find.marks.facets`."""
SIGNALS: tuple[str, ...] = (*dict.fromkeys(signal for signal, _ in FEATURES.values()), "newer")


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """How the signals of a search are weighed against each other."""

    method: Literal["standard", "rank"] = "standard"
    """`standard` adds standardised scores with learnt weights; `rank` is reciprocal rank fusion of three channels."""
    rank_constant: int = bounded(60)
    """The k of reciprocal rank fusion: the greater, the less the first ranks stand out."""
    per_channel: int = 100
    """How many candidates words and meaning hand on, each."""
    similarity_min: float = 0.2
    """From which similarity on a memory may be found by its meaning alone, no word or name in common."""
    off: tuple[str, ...] = ()
    """Signals to leave out: words, meaning, names, window, session, speaker, date, role, shape, newer."""


def blank(many: int) -> Reals:
    """Give a matrix for what is known of so many candidates: a row a feature, nothing in it yet."""
    return np.zeros((len(FEATURES), many))


def standardised(values: Reals) -> Reals:
    """Give each row of values as deviations from its mean; what is not known, and what all share, counts nothing."""
    apart, spread = _apart(values)
    apart /= spread[..., None]
    return apart


def _apart(values: Reals) -> tuple[Reals, Reals]:
    """Give how far each value is from the mean of its row, and how far they are on average; endless for not at all."""
    each = np.ones(values.shape[-1])  # adding up as a product with ones takes half the time
    count: Any = max(len(each), 1)
    mean = values.dot(each) / count
    if not np.isfinite(mean).all():  # of some rows not everything is known
        known = np.isfinite(values)
        count = np.maximum(known.astype(float).dot(each), 1.0)
        values = np.where(known, values, 0.0)
        apart = (values - (values.dot(each) / count)[..., None]) * known
    else:
        apart = values - mean[..., None]
    spread = np.sqrt((apart * apart).dot(each) / count)
    return apart, np.where(spread > 1e-9, spread, np.inf)


def weighed(values: Reals, gates: Mapping[str, float], policy: FusionPolicy) -> Reals:
    """Give what each feature adds to each candidate's score; `gates` say how much a feature matters to this query."""
    weights = [weight * (signal not in policy.off) for signal, weight in FEATURES.values()]
    for name, gate in gates.items():
        weights[ROW[name]] *= gate
    apart, spread = _apart(values)
    apart *= (np.array(weights) / spread)[:, None]
    return apart


def by_rank(values: Reals, gates: Mapping[str, float], policy: FusionPolicy) -> Reals:
    """Give what each channel adds by reciprocal rank; equal scores share a rank, and nothing found adds nothing."""
    adds = np.zeros_like(values)
    for name in ("words", "meaning", "names"):
        if name not in policy.off:
            row = values[ROW[name]]
            found = np.flatnonzero(row > 0)
            if len(found):
                adds[ROW[name], found] = 1.0 / (policy.rank_constant + ranked(row[found]))
    return adds


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
