"""Ranking: a pure function of one snapshot, and why each candidate stands where it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import isnan, nan

from recollect.model.hit import Signal
from recollect.model.values import dataclass
from recollect.rules.find.fusion import FEATURES, HEAD, ROW, SAID, Best, FusionPolicy, by_rank, lifts, weighed
from recollect.rules.find.signals import Asks, Evidence, gather
from recollect.rules.find.snapshot import Snapshot
from recollect.text.arrays import Flags, Ints, Reals, best_first, np
from recollect.text.marks import CHANGED, PERSON

MEANING = ROW["meaning"]
ROUNDED = 1e-4
"""How exact the similarity of vectors is that are kept with half precision: a text may be no nearer to itself."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The candidates of a search and what each feature adds to each, before they are put in order."""

    evidence: Evidence
    adds: Reals
    total: Reals
    good: Flags
    """Which candidates something speaks for."""
    lifting: bool
    """Whether the question is how things are, so that what is newer may overtake what is older."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of a search, best first, and what each feature added to each."""

    evidence: Evidence
    adds: Reals
    newer: Reals | None
    """What lifts newer candidates above older ones, where the question is how things are."""
    total: Reals
    order: Ints
    """The places of the candidates something speaks for."""
    _kept: list[Told] = field(default_factory=list, repr=False, compare=False)
    """What the signals say of all candidates, once somebody has asked: all hits of a search share it."""

    def signals(self, at: int) -> dict[str, Signal]:
        """Give what each signal that says anything found in one candidate, and what it added."""
        if not self._kept:
            self._kept.append(self._told())
        told, adds = self._kept[0], self.adds[:, at].tolist()
        own = told.values[:, at]
        ahead = (told.values > own[:, None] + 1e-9).sum(axis=1)  # the least of rounding is no difference
        parts = dict.fromkeys(told.signals, 0.0)
        for name in told.features:
            parts[FEATURES[name][0]] += adds[ROW[name]]
        if self.newer is not None:
            parts["newer"] = float(self.newer[at])
        measured = zip(ahead.tolist(), own.tolist(), strict=True)
        return {
            name: Signal(many + 1, value, part)
            for (name, part), (many, value) in zip(parts.items(), measured, strict=True)
        }

    def _told(self) -> Told:
        finite = np.asarray(np.isfinite(self.evidence.values).any(axis=1))
        known = tuple(name for name in FEATURES if name in self.evidence.asked and finite[ROW[name]])
        found = tuple(dict.fromkeys(FEATURES[name][0] for name in known))
        signals = found if self.newer is None else (*found, "newer")
        values = [self._measured(signal) for signal in signals]
        return Told(known, signals, np.reshape(values, (len(signals), len(self.evidence.docs))))

    def _measured(self, signal: str) -> Reals:
        """Give what a signal measured in every candidate; of one made of several features, what they added."""
        if signal in FEATURES:
            known = self.evidence.of(signal)
            return np.where(np.isfinite(known), known, 0.0)
        if signal == "newer" and self.newer is not None:
            return self.newer
        rows = [ROW[one] for one, (of, _) in FEATURES.items() if of == signal]
        return np.asarray(self.adds[rows].sum(axis=0))


@dataclass(frozen=True, slots=True)
class Told:
    """What the signals of a search say: which features are known, which signals they make, a row of values each."""

    features: tuple[str, ...]
    signals: tuple[str, ...]
    values: Reals


def weigh(snapshot: Snapshot, asks: Asks, policy: FusionPolicy, least: float | None = None) -> Weighed:
    """Weigh what speaks for each candidate of a snapshot; `least` is how similar it must be, where that was asked."""
    standard = policy.method == "standard"
    evidence = gather(snapshot, asks)
    adds = (weighed if standard else by_rank)(evidence.values, evidence.gates, policy)
    lifting = standard and "newer" not in policy.off and asks.form.now and len(snapshot.docs) > 1
    return Weighed(evidence, adds, np.add.reduce(adds, axis=0), _good_enough(evidence, policy, least), lifting)


def _good_enough(evidence: Evidence, policy: FusionPolicy, least: float | None) -> Flags:
    """Tell which candidates something speaks for: a word, a name, or a meaning that is near enough."""
    similar = evidence.of("meaning")  # what is not known is never enough
    if least is not None:
        return np.asarray(similar >= least - ROUNDED)
    said = np.logical_or.reduce(evidence.values[SAID] > 0)
    return np.asarray(said | (similar >= policy.similarity_min))


def contested(snapshot: Snapshot, total: Reals) -> Ints | None:
    """Give the places of the best few under some scores, if the older of one author's stands ahead of the newer.

    Whether they say much the same, so that the newer shall overtake, only their vectors can tell.
    """
    top = (-total).argsort(kind="stable")[:HEAD]
    docs, column = snapshot.docs.take(top), snapshot.columns.column
    authors = _authors(snapshot, docs).tolist()
    moments = list(zip(column["event"].take(docs).tolist(), docs.tolist(), strict=True))
    for behind in range(1, len(authors)):
        for ahead in range(behind):
            if authors[ahead] == authors[behind] and moments[ahead] < moments[behind]:
                return top
    return None


def overtaking(snapshot: Snapshot, total: Reals, top: Ints, alike: Reals) -> Reals:
    """Give what lifts the newer of the contested above the older; `alike` is how alike they are, each to each."""
    column, matched = snapshot.columns.column, snapshot.found.matched
    docs = snapshot.docs.take(top)
    best = Best(
        score=total.take(top),
        order=np.lexsort((docs, column["event"].take(docs))).argsort(),
        cosine=alike,
        matched=matched.weights[:, None] * matched.holds(docs),
        change=(column["marks"].take(docs) & CHANGED > 0).astype(float),
        author=_authors(snapshot, docs),
        said=snapshot.columns.are("kind", "episode", docs),
    )
    newer = np.zeros(len(total))
    newer[top] = lifts(best)
    return newer


def _authors(snapshot: Snapshot, docs: Ints) -> Ints:
    """Tell apart who said each of some documents; a machine is another author than the person it speaks for."""
    column = snapshot.columns.column
    told = column["actor"].take(docs) * 2 + (column["marks"].take(docs) & PERSON > 0)
    # A section of a file does not take the place of one that was written earlier.
    return np.where(snapshot.columns.are("kind", "document", docs), -1 - docs, told)


def rank(weighed: Weighed, newer: Reals | None = None) -> Ranking:
    """Put the candidates something speaks for in order, of equals the newer first; `newer` lifts some of them."""
    total = weighed.total
    if newer is not None:
        total = total + newer
    elif weighed.lifting:
        newer = np.zeros(len(total))
    total = total.round(9)
    order = best_first(total)
    return Ranking(weighed.evidence, weighed.adds, newer, total, order[weighed.good.take(order)])


class Reasons(Mapping[str, Signal]):
    """What each signal found in one candidate and what it added; worked out when somebody asks."""

    def __init__(self, ranking: Ranking, at: int, off: Sequence[str], adds: Mapping[str, float]) -> None:
        self._ranking, self._at, self._off, self._adds = ranking, at, off, adds
        self._known: dict[str, Signal] | None = None

    def also(self, name: str, add: float) -> Reasons:
        """Give the same with one more signal, which was asked afterwards."""
        return Reasons(self._ranking, self._at, self._off, {**self._adds, name: add})

    def _signals(self) -> dict[str, Signal]:
        if self._known is None:
            found = self._ranking.signals(self._at)
            self._known = {name: one for name, one in found.items() if name not in self._off}
            self._known |= {name: Signal(0, add, add) for name, add in self._adds.items()}
        return self._known

    @property
    def similar(self) -> float | None:
        """How near the candidate is in meaning; None where that is not known."""
        evidence = self._ranking.evidence
        near = float(evidence.values[MEANING, self._at]) if "meaning" in evidence.asked else nan
        return None if isnan(near) else near

    def __getitem__(self, name: str) -> Signal:
        return self._signals()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals())

    def __len__(self) -> int:
        return len(self._signals())

    def __repr__(self) -> str:
        return repr(dict(self))
