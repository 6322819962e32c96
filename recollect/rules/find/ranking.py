"""Ranking: a pure function of one snapshot, and why each candidate stands where it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recollect.model.hit import Signal
from recollect.model.values import dataclass
from recollect.rules.find.fusion import FEATURES, HEAD, ROW, SAID, Best, FusionPolicy, by_rank, lifts, weighed
from recollect.rules.find.marks import CHANGED, PERSON
from recollect.rules.find.signals import Asks, Evidence, gather
from recollect.rules.find.snapshot import Snapshot
from recollect.text.arrays import Flags, Ints, Reals, best_first, np

ROUNDED = 1e-4
"""How exact the similarity of vectors is that are kept with half precision: a text may be no nearer to itself."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of a search, best first, and what each feature added to each."""

    evidence: Evidence
    adds: Reals
    newer: Reals | None
    """What lifts newer candidates above older ones, where the question is how things are."""
    total: Reals
    order: Ints
    good: Flags
    """Which candidates something speaks for; `order` holds no others."""

    @property
    def weight(self) -> Reals:
        """What all features add to each candidate, before anything is lifted."""
        return np.asarray(np.add.reduce(self.adds, axis=0))

    def parts(self, at: int) -> dict[str, float]:
        """Give what each signal that said anything added to one candidate."""
        found: dict[str, float] = {}
        for name, (signal, _) in FEATURES.items():
            if self.evidence.knows(name):
                found[signal] = found.get(signal, 0.0) + float(self.adds[ROW[name], at])
        if self.newer is not None:
            found["newer"] = float(self.newer[at])
        return found


def rank(snapshot: Snapshot, asks: Asks, policy: FusionPolicy, least: float | None = None) -> Ranking:
    """Weigh the evidence and put the candidates in order, of equals the newer first; `least` is a similarity."""
    standard = policy.method == "standard"
    evidence = gather(snapshot, asks)
    adds = (weighed if standard else by_rank)(evidence.values, evidence.gates, policy)
    total = np.add.reduce(adds, axis=0)
    lifting = standard and "newer" not in policy.off and asks.form.now and len(total) > 1
    good = _good_enough(evidence, policy, least)
    return _ordered(evidence, adds, np.zeros(len(total)) if lifting else None, total, good)


def _ordered(evidence: Evidence, adds: Reals, newer: Reals | None, total: Reals, good: Flags) -> Ranking:
    total = total.round(9)
    order = best_first(total)
    return Ranking(evidence, adds, newer, total, order[good.take(order)], good)


def _good_enough(evidence: Evidence, policy: FusionPolicy, least: float | None) -> Flags:
    """Tell which candidates something speaks for: a word, a name, or a meaning that is near enough."""
    similar = evidence.of("meaning")  # what is not known is never enough
    if least is not None:
        return np.asarray(similar >= least - ROUNDED)
    said = np.logical_or.reduce(evidence.values[SAID] > 0)
    return np.asarray(said | (similar >= policy.similarity_min))


def contested(snapshot: Snapshot, total: Reals) -> Ints | None:
    """Give the best few documents under some scores, if the older of one author's stands ahead of the newer.

    Whether they say much the same, so that the newer shall overtake, only their vectors can tell.
    """
    docs = snapshot.docs[_head(total)]
    author, order = _authors(snapshot, docs), _times(snapshot, docs)
    behind = (order[None, :] > order[:, None]) & (author[None, :] == author[:, None])
    return docs if np.triu(behind, 1).any() else None  # else what is newer is ahead already


def overtaking(snapshot: Snapshot, total: Reals, alike: Reals) -> Reals:
    """Give what lifts the newer of the contested above the older; `alike` is how alike they are, each to each."""
    top, matched = _head(total), snapshot.found.matched
    docs = snapshot.docs[top]
    best = Best(
        score=total[top],
        order=_times(snapshot, docs),
        cosine=alike,
        matched=matched.weights[:, None] * matched.holds(docs),
        change=(snapshot.columns.column["marks"][docs] & CHANGED > 0).astype(float),
        author=_authors(snapshot, docs),
        said=snapshot.columns.are("kind", "episode", docs),
    )
    newer = np.zeros(len(total))
    newer[top] = lifts(best)
    return newer


def lifted(snapshot: Snapshot, ranking: Ranking, alike: Reals) -> Ranking:
    """Give a ranking in which the newer of the contested may have overtaken the older."""
    newer = overtaking(snapshot, ranking.weight, alike)
    return _ordered(ranking.evidence, ranking.adds, newer, ranking.weight + newer, ranking.good)


def _head(total: Reals) -> Ints:
    """Give the places of the best few."""
    return np.argsort(-total, kind="stable")[:HEAD]


def _authors(snapshot: Snapshot, docs: Ints) -> Ints:
    """Tell apart who said each of some documents; a machine is another author than the person it speaks for."""
    column = snapshot.columns.column
    return np.asarray(column["actor"][docs] * 2 + (column["marks"][docs] & PERSON > 0))


def _times(snapshot: Snapshot, docs: Ints) -> Ints:
    """Give the places of some documents in time, greater is newer."""
    return np.argsort(np.lexsort((docs, snapshot.columns.column["event"][docs])))


class Reasons(Mapping[str, Signal]):
    """What each signal found in one candidate and what it added; worked out when somebody asks."""

    def __init__(self, ranking: Ranking, at: int, off: Sequence[str], adds: Mapping[str, float]) -> None:
        self._ranking, self._at, self._off, self._adds = ranking, at, off, adds

    def _parts(self) -> dict[str, float]:
        return {name: part for name, part in self._ranking.parts(self._at).items() if name not in self._off}

    @property
    def similar(self) -> float | None:
        """How near the candidate is in meaning; None where that is not known."""
        near = float(self._ranking.evidence.of("meaning")[self._at])
        return near if near == near else None

    def __getitem__(self, name: str) -> Signal:
        if name in self._adds:
            return Signal(0, self._adds[name], self._adds[name])
        part = self._parts()[name]
        # Of a signal made of several features the sum is all there is to tell.
        values = np.nan_to_num(self._ranking.evidence.of(name)) if name in FEATURES else self._sums(name)
        ahead = int((values > values[self._at] + 1e-9).sum())  # the least of rounding is no difference
        return Signal(ahead + 1, float(values[self._at]), part)

    def _sums(self, name: str) -> Reals:
        if name == "newer" and self._ranking.newer is not None:
            return self._ranking.newer
        return np.asarray(
            self._ranking.adds[[ROW[one] for one, (signal, _) in FEATURES.items() if signal == name]].sum(axis=0)
        )

    def __iter__(self) -> Iterator[str]:
        return iter((*self._parts(), *self._adds))

    def __len__(self) -> int:
        return len(self._parts()) + len(self._adds)

    def __repr__(self) -> str:
        return repr(dict(self))
