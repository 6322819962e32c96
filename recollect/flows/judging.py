"""Judging: pairs of memories that rules cannot tell apart are put before a model, several in one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from recollect.flows.rivals import merge_into, told
from recollect.flows.verdict import confirmed, held, retire
from recollect.flows.waiting import GATE
from recollect.model.change import Change, Connect, Cut, Enqueue, Expectation, Patch, Version
from recollect.model.kinds import EXPLICIT
from recollect.model.memory import Link, Memory
from recollect.model.proposals import Judged, Verdicts
from recollect.prompts.quoting import pairs as laid_out
from recollect.rules.conflict import telling
from recollect.rules.salience import protected
from recollect.runtime import Runtime
from recollect.store.base import View

MOST_PAIRS = 10
"""How many pairs one question holds."""
POOL = 200


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


def docket(view: View, owner: str) -> Docket:
    """Find the pairs that are to be judged next."""
    links = view.unjudged(owner, POOL)
    found = {one.id: one for one in view.get(owner, sorted({end for one in links for end in (one.from_id, one.to_id)}))}
    pairs: list[Pair] = []
    stale: list[Link] = []
    for link in links:
        ends = [found[end] for end in (link.from_id, link.to_id) if end in found and found[end].state == "active"]
        if len(ends) < 2:
            stale.append(link)
        else:
            older, newer = sorted(ends, key=lambda one: (told(one), one.created_at, one.id))
            pairs.append(Pair(link, older, newer))
    return Docket(tuple(pairs[:MOST_PAIRS]), tuple(stale), len(pairs) > MOST_PAIRS or len(links) == POOL)


def applied(runtime: Runtime, view: View, before: Docket, verdicts: Judged | None, version: str) -> Applied:
    """Turn verdicts into changes; a pair one of whose memories another verdict has moved waits for the next time.

    Without verdicts the model declined to judge: the pairs stay side by side.
    """
    said: dict[int, Verdicts] = {one.pair: one.verdict for one in verdicts.verdicts} if verdicts else {}
    changes: list[Change] = [Cut(link.from_id, link.to_id, "compared") for link in before.stale]
    expect: dict[str, Version] = {}
    counts: dict[str, int] = {}
    moved: set[str] = set()
    for number, pair in enumerate(before.pairs, 1):
        ruling = said.get(number) if verdicts else "both_true"
        ends = {pair.older.id, pair.newer.id}
        if ruling is None or ends & moved:
            continue
        name, made = _ruled(runtime, view, pair, ruling)
        counts[name] = counts.get(name, 0) + 1
        changes += [_marked(change, version) for change in made]
        changes.append(Connect(pair.link.from_id, pair.link.to_id, "compared", 1.0))
        expect |= {one.id: Version(one.id, one.version) for one in (pair.older, pair.newer)}
        moved |= {change.id for change in made if isinstance(change, Patch)}
    return Applied(tuple(changes), tuple(expect.values()), counts)


def _ruled(runtime: Runtime, view: View, pair: Pair, ruling: Verdicts) -> tuple[str, Sequence[Change]]:
    """Carry out one verdict, as far as rules allow it."""
    older, newer = pair.older, pair.newer
    salience = runtime.settings.salience
    if ruling == "same":
        # A model may overlook a number or a negation; and what is protected does not merge by itself.
        if telling(older.content) != telling(newer.content) or protected(newer, salience):
            return "both_true", ()
        return "same", (*_kept(view, newer, older), *merge_into(newer, older))
    if ruling == "both_true":
        return "both_true", ()
    if held(older, newer.source in EXPLICIT, salience):
        return "proposed", _proposed(runtime, older, newer)
    return "newer_replaces", (
        retire(older, newer.id, max(older.valid_from, newer.valid_from)),
        Connect(newer.id, older.id, "supersedes"),
    )


def _kept(view: View, part: Memory, whole: Memory) -> list[Change]:
    """Let what remains rest on what the other one rested on too."""
    found = [link for link in view.links(part.owner, [part.id]) if link.from_id == part.id]
    return [Connect(whole.id, one.to_id, one.type, one.strength) for one in found if one.type == "derived_from"]


def _proposed(runtime: Runtime, older: Memory, newer: Memory) -> tuple[Change, ...]:
    """Let the newer wait for the owner's word: what it would change was confirmed or is protected."""
    until = runtime.now() + timedelta(days=runtime.settings.consent.days)
    noted = {"reason": f"it changes {older.id}, which was confirmed or is protected", "replaces": [older.id]}
    values = {"state": "proposed", "purge_at": until, "attributes": {**newer.attributes, GATE: noted}}
    return Patch(newer.id, values, "proposed", {"replaces": older.id}), Enqueue("expire", until)


def _marked(change: Change, version: str) -> Change:
    """Note which question a change came of."""
    return replace(change, meta={**change.meta, "prompt": version}) if isinstance(change, Patch) else change
