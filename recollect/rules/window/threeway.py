"""Three-way comparison: which passages of a file a hand has changed since it was last in step with the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from recollect.model.kinds import KINDS
from recollect.model.values import dataclass
from recollect.rules.window.markdown import Passage

SORTS = (("doc",), ("blk",), ("les",), ("fact", "ev"))
"""What can take the place of what, by the beginnings of ids: a section is no fact that was edited."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A passage as file and store had it when they were last in step."""

    id: str
    file: str
    """The digest of its text in the file."""
    store: str
    """The digest of its text as the store gives it."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What a hand has done to a file: each passage with what it was, and what is gone."""

    passages: tuple[tuple[Passage, Entry | None], ...]
    """In the order of the file; None for one that is new."""
    gone: tuple[Entry, ...]


def edited(base: Sequence[Entry], found: Sequence[Passage], labels: Mapping[str, str]) -> Edited:
    """Hold the passages of a file against those it had. `labels` give heading or key of an entry by its id.

    What has the same text is the same, wherever it went; of the rest in one place, those of one label are, and then
    the first is the first.
    """
    known: dict[int, int] = {}
    match = SequenceMatcher(None, [one.file for one in base], [one.hash for one in found], autojunk=False)
    gaps: list[tuple[list[int], list[int]]] = []
    for op, i, j, a, b in match.get_opcodes():
        if op == "equal":
            known |= dict(zip(range(a, b), range(i, j), strict=True))
        else:
            gaps.append((list(range(i, j)), list(range(a, b))))
    taken = set(known.values())
    by_hash: dict[str, list[int]] = {}
    for at, one in enumerate(base):
        if at not in taken:
            by_hash.setdefault(one.file, []).append(at)
    for _, news in gaps:
        for at in news:
            if places := by_hash.get(found[at].hash):
                known[at] = places.pop(0)
    for gap in gaps:
        _paired(base, found, labels, known, gap)
    # What is left may have been moved and changed at once: then its heading or key tells.
    _paired(base, found, labels, known, (list(range(len(base))), list(range(len(found)))), named=True)
    taken = set(known.values())
    pairs = tuple((one, base[known[at]] if at in known else None) for at, one in enumerate(found))
    return Edited(pairs, tuple(one for at, one in enumerate(base) if at not in taken))


def _paired(
    base: Sequence[Entry],
    found: Sequence[Passage],
    labels: Mapping[str, str],
    known: dict[int, int],
    gap: tuple[list[int], list[int]],
    *,
    named: bool = False,
) -> None:
    for prefixes in SORTS:
        taken = set(known.values())
        olds = [at for at in gap[0] if at not in taken and base[at].id.startswith(prefixes)]
        news = [at for at in gap[1] if at not in known and KINDS[_kind(found[at])].prefix in prefixes]
        for at in list(news):
            mine = found[at].key or found[at].heading
            same = next((old for old in olds if mine and labels.get(base[old].id) == mine), None)
            if same is not None:
                known[at] = same
                olds.remove(same)
                news.remove(at)
        if not named:
            known |= dict(zip(news, olds, strict=False))


def _kind(passage: Passage) -> str:
    return "document" if passage.kind == "tool" else passage.kind


def between(places: Sequence[float | None]) -> list[float]:
    """Give each passage of a file its place: those that have one keep it while they rise, the others come between."""
    anchors: list[tuple[int, float]] = []
    for at, place in enumerate(places):
        if place is not None and (not anchors or place > anchors[-1][1]):
            anchors.append((at, place))
    out = [0.0] * len(places)
    for at, place in anchors:
        out[at] = place
    begin, low = -1, anchors[0][1] - len(places) - 1 if anchors else 0.0
    for end, high in [*anchors, (len(places), None)]:
        many = end - begin
        step = 1.0 if high is None else (high - low) / many
        for at in range(begin + 1, end):
            out[at] = low + step * (at - begin)
        begin, low = end, high if high is not None else low
    return out if all(one < other for one, other in pairwise(out)) else _renumbered(len(places))


def _renumbered(many: int) -> list[float]:
    return [float(at + 1) for at in range(many)]
