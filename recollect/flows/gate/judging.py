"""Judging: pairs of memories that rules cannot tell apart are put before a model, several in one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from recollect.flows.gate.conflicts import merge_into, told
from recollect.flows.gate.pending import GATE, STOOD
from recollect.flows.gate.verdict import confirmed, held, retire
from recollect.model.change import Change, Connect, Cut, Enqueue, Expectation, Patch, Version
from recollect.model.kinds import EXPLICIT
from recollect.model.memory import Link, Memory
from recollect.model.proposals import Judged, Verdicts
from recollect.model.values import dataclass
from recollect.prompts.quoting import pairs as laid_out
from recollect.rules.life.salience import protected
from recollect.runtime import Runtime
from recollect.store.base import Administration, Reading

MOST_PAIRS = 10
"""How many pairs one question holds."""
POOL = 200
ROUND = 0.25
"""By how much a pair's link grows when a question about it brought no verdict; judged, it has the strength 1."""
ROUNDS = 3
"""How often a pair is asked about without a verdict before it is left as it is."""
AGAIN = timedelta(days=14)
"""After how long a judged pair may be asked about again, where a question has room."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that may be one, or of which one may have replaced the other."""

    link: Link
    older: Memory
    newer: Memory


@dataclass(frozen=True, slots=True)
class Docket:
    """What is before the judge."""

    pairs: tuple[Pair, ...]
    stale: tuple[Link, ...]
    """Pairs of which one is no longer active: there is nothing left to judge."""
    more: bool
    """Whether there are pairs beyond these."""
    fresh: int = 0
    """How many of the pairs were not judged before; the others fill the question."""

    @property
    def text(self) -> str:
        """The pairs as a model reads them."""
        return laid_out([(one.older.content, one.newer.content, confirmed(one.older)) for one in self.pairs])


@dataclass(frozen=True, slots=True)
class Applied:
    """What verdicts come to."""

    changes: tuple[Change, ...] = ()
    expect: tuple[Expectation, ...] = ()
    counts: dict[str, int] | None = None
    steps: tuple[str, ...] = ()
    open: int = 0
    """How many pairs got no verdict and will be asked about again."""


def docket(runtime: Runtime, view: Administration, owner: str) -> Docket:
    """Find the pairs that are to be judged next; free places go to those judged long ago."""
    links = view.unjudged(owner, POOL)
    pairs, stale = _standing(runtime, view, owner, links)
    fresh = pairs[:MOST_PAIRS]
    old: list[Pair] = []
    if fresh and len(fresh) < MOST_PAIRS:
        judged = view.unjudged(owner, POOL, judged_before=runtime.now() - AGAIN)
        old, _ = _standing(runtime, view, owner, judged)
    asked = (*fresh, *old[: MOST_PAIRS - len(fresh)])
    more = len(pairs) > MOST_PAIRS or len(links) == POOL
    return Docket(asked, tuple(stale), more, len(fresh))


def _standing(runtime: Runtime, view: Reading, owner: str, links: Sequence[Link]) -> tuple[list[Pair], list[Link]]:
    """Tell pairs whose memories both stand from those of which one is gone."""
    found = {one.id: one for one in view.get(owner, sorted({end for one in links for end in (one.from_id, one.to_id)}))}
    pairs: list[Pair] = []
    stale: list[Link] = []
    for link in links:
        ends = [found[end] for end in (link.from_id, link.to_id) if end in found and found[end].state == "active"]
        if len(ends) < 2:
            stale.append(link)
        else:
            older, newer = sorted(ends, key=lambda one: (told(runtime, one), one.created_at, one.id))
            pairs.append(Pair(link, older, newer))
    return pairs, stale


def applied(runtime: Runtime, view: Reading, before: Docket, verdicts: Judged | None, version: str) -> Applied:
    """Turn verdicts into changes; a pair one of whose memories another verdict has moved waits for the next time.

    A pair without a verdict is asked about again, a few times.
    """
    said: dict[int, Verdicts] = {one.pair: one.verdict for one in verdicts.verdicts} if verdicts else {}
    changes: list[Change] = [Cut(link.from_id, link.to_id, "compared") for link in before.stale]
    expect: dict[str, Version] = {}
    counts: dict[str, int] = {}
    steps: list[str] = []
    moved: set[str] = set()
    left = 0
    for number, pair in enumerate(before.pairs, 1):
        ruling, link = said.get(number), pair.link
        if ruling is None or {pair.older.id, pair.newer.id} & moved:
            if ruling is None and number <= before.fresh:
                changes.append(Connect(link.from_id, link.to_id, "compared", link.strength + ROUND))
                left += link.strength + ROUND < ROUND * ROUNDS
            continue
        name, made = _ruled(runtime, view, pair, ruling)
        counts[name] = counts.get(name, 0) + 1
        steps.append(f"{name}: {pair.older.id} and {pair.newer.id}")
        changes += [_marked(change, version) for change in made]
        # Made anew, the link tells when the pair was judged.
        changes += [Cut(link.from_id, link.to_id, "compared"), Connect(link.from_id, link.to_id, "compared", 1.0)]
        expect |= {one.id: Version(one.id, one.version) for one in (pair.older, pair.newer)}
        moved |= {change.id for change in made if isinstance(change, Patch)}
    return Applied(tuple(changes), tuple(expect.values()), counts, tuple(steps), left)


def _ruled(runtime: Runtime, view: Reading, pair: Pair, ruling: Verdicts) -> tuple[str, Sequence[Change]]:
    """Carry out one verdict, as far as rules allow it."""
    older, newer = pair.older, pair.newer
    salience = runtime.settings.salience
    if ruling == "same":
        return _merged(runtime, view, older, newer)
    if ruling == "both_true":
        return "both_true", ()
    himself = newer.source in EXPLICIT
    firm = held(older, himself, salience)
    if (firm and himself) or (older.source in EXPLICIT and not himself):
        return "left", ()  # what the user saved himself is not taken away on a model's word
    if firm:
        return "proposed", _proposed(runtime, older, newer)
    return "newer_replaces", (
        retire(older, newer.id, max(older.valid_from, newer.valid_from)),
        Connect(newer.id, older.id, "supersedes"),
    )


def _merged(runtime: Runtime, view: Reading, older: Memory, newer: Memory) -> tuple[str, Sequence[Change]]:
    """Make one of two that say the same: the fuller stays, else the older; no tag and no weight is lost."""
    # A model may overlook a number, a name or a negation; and what is protected does not merge by itself.
    overlap = runtime.reader.overlap(older.content, newer.content)
    fuller = overlap == "more" or set(older.tags) < set(newer.tags)
    whole, part = (newer, older) if fuller else (older, newer)
    if overlap == "differ" or protected(part, runtime.settings.salience) or not set(part.tags) <= set(whole.tags):
        return "both_true", ()
    weight = max(part.importance or 1, whole.importance or 1)
    heavier = (
        [Patch(whole.id, {"importance": weight}, "updated", {"with": part.id})]
        if weight > (whole.importance or 1)
        else []
    )
    return "same", (*_kept(view, part, whole), *heavier, *merge_into(part, whole))


def _kept(view: Reading, part: Memory, whole: Memory) -> list[Change]:
    """Let what remains rest on what the other one rested on too."""
    found = [link for link in view.links(part.owner, [part.id]) if link.from_id == part.id]
    return [Connect(whole.id, one.to_id, one.type, one.strength) for one in found if one.type == "derived_from"]


def _proposed(runtime: Runtime, older: Memory, newer: Memory) -> tuple[Change, ...]:
    """Let the newer wait for the owner's word: what it would change was confirmed or is protected."""
    until = runtime.now() + timedelta(days=runtime.settings.consent.days)
    why = f"it changes {older.id}, which was confirmed or is protected"
    noted = {"reason": why, "replaces": [older.id], STOOD: True}
    values = {"state": "proposed", "purge_at": until, "attributes": {**newer.attributes, GATE: noted}}
    return Patch(newer.id, values, "proposed", {"replaces": older.id}), Enqueue("expire", until)


def _marked(change: Change, version: str) -> Change:
    """Note which question a change came of."""
    return replace(change, meta={**change.meta, "prompt": version}) if isinstance(change, Patch) else change
