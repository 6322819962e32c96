"""Rivals: what a new fact changes, what it says more fully, and what somebody should be asked about."""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.errors import InvalidInput
from recollect.flows.find.neighbours import Near
from recollect.flows.gate.pending import pending, propose
from recollect.flows.gate.verdict import Batch, Verdict, confirmed, held, known, own_word, since, supersede
from recollect.model.change import Change, Connect, Enqueue, Patch, Put
from recollect.model.clock import parse_iso
from recollect.model.kinds import EXPLICIT
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.life.salience import protected
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.marks import CHANGED
from recollect.text.normal import jaccard, words

MOST_DOUBTS = 2
"""How many pairs a new memory may bring before a judge."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """How a new fact stands to those there are."""

    changed: tuple[Memory, ...] = ()
    """What it takes the place of."""
    known: str = ""
    """What says it all already."""
    shorter: Memory | None = None
    """What it says too, and more."""
    doubts: tuple[Memory, ...] = ()
    """What rules cannot tell it from; the likest first."""


def rivals(
    runtime: Runtime, memory: Memory, among: Sequence[Memory], near: Sequence[Near], names: Set[str] = frozenset()
) -> Rivals:
    """Hold a new fact against its peers by rules alone; `names` are those the user goes by."""
    if memory.kind != "fact":
        return Rivals()
    close = {other.id: similarity for other, similarity in near}
    changed: list[Memory] = []
    doubts: list[tuple[float, Memory]] = []
    judged, reader = judge_at_hand(runtime), runtime.reader
    for peer in among:
        there, here = reader.on_one_subject(peer.content, memory.content, names)
        relation = reader.clash(there, here)
        if relation is None:
            continue
        if relation.name == "changed":
            changed.append(peer)
        elif judged or relation.name != "distinct":
            alike = close.get(peer.id, 0.0) if close else jaccard(words(there), words(here))
            sort = reader.band(alike, there, here, runtime.settings.bands)
            if sort == "merge" and relation.name != "distinct" and reader.reworded(there, here):
                old, new = reader.gist(there), reader.gist(here)
                if new <= old:
                    return Rivals(known=peer.id)
                if old < new and fuller(runtime, peer, memory):
                    return Rivals(shorter=peer)
            if sort != "apart":
                doubts.append((alike, peer))
    doubts.sort(key=lambda one: -one[0])
    return Rivals(tuple(changed), doubts=tuple(peer for _, peer in doubts[:MOST_DOUBTS]))


def fuller(runtime: Runtime, old: Memory, new: Memory) -> bool:
    """Tell whether a near duplicate that says all of an old memory and more may stand for both.

    What is protected gives way to the owner's own words, as with a change; what was confirmed stands beside them.
    """
    himself = new.source in EXPLICIT or old.source not in EXPLICIT
    free = own_word(new) or not protected(old, runtime.settings.salience)
    return himself and free and not confirmed(old)


def admitted(
    runtime: Runtime,
    view: Reading,
    put: Put,
    found: Rivals,
    batch: Batch,
    more: tuple[Change, ...],
    notes: tuple[str, ...],
) -> Verdict:
    """Let a new fact in, in the way its rivals leave it; `more` is what comes along whichever way that is."""
    memory = put.memory
    if found.known:
        return known(found.known)
    if found.shorter is not None:
        return _fuller(put, found.shorter, batch, more, notes)
    newer = [old for old in found.changed if told(runtime, memory) < told(runtime, old)]
    if newer:
        return late(put, min(newer, key=lambda old: told(runtime, old)), batch, more, notes)
    firm = [old for old in found.changed if held(old, own_word(memory), runtime.settings.salience)]
    if firm:
        return _asked(runtime, view, put, found.changed, firm[0], batch)
    asking = doubtful(runtime, memory, found.doubts)
    expect = batch.unchanged(found.doubts if asking else ())
    if not found.changed:
        receipt = Receipt(outcome="stored", op="created", id=memory.id, warnings=notes)
        return Verdict(receipt, (put, *more, *asking), expect, put)
    olds = [batch.see(old) for old in found.changed]
    put = replace(put, memory=since(memory, olds))
    receipt = Receipt(outcome="superseded", op="superseded", id=memory.id, other=olds[0].id, warnings=notes)
    return Verdict(receipt, (*supersede(olds, put), *more, *asking), (*batch.unchanged(olds), *expect), put)


def told(runtime: Runtime, memory: Memory) -> datetime:
    """Give the moment a memory speaks of: when its turn was said, else when it happened.

    A text that tells of a change speaks of now, however long ago the change was.
    """
    with suppress(InvalidInput, TypeError):  # an attribute of that name may be anybody's
        if {"said", "turn"} <= memory.attributes.keys():
            return parse_iso(memory.attributes["said"])
    return _spoken(runtime, memory)


def _spoken(runtime: Runtime, memory: Memory) -> datetime:
    return memory.created_at if runtime.reader.marks(memory.content, "") & CHANGED else memory.event_time


def _fuller(put: Put, old: Memory, batch: Batch, more: tuple[Change, ...], notes: tuple[str, ...]) -> Verdict:
    """Let a fact that says all of an old one and more stand for both: no tag and no weight of the old is lost."""
    new = put.memory
    whole = replace(
        new,
        importance=max(new.importance or 1, old.importance or 1),
        tags=tuple(dict.fromkeys((*old.tags, *new.tags))),
    )
    put = replace(put, memory=whole)
    batch.see(old)
    changes = (*merge_into(old, whole), *more)
    receipt = Receipt(outcome="merged", op="merged", id=new.id, other=old.id, count=2, warnings=notes)
    return Verdict(receipt, (put, *changes), batch.unchanged([old]), put)


def merge_into(part: Memory, whole: Memory) -> tuple[Change, ...]:
    """Let one memory be a part of another from now on."""
    until = max(part.valid_from, whole.created_at)
    gone = Patch(part.id, {"state": "merged", "valid_until": until}, "merged", {"into": whole.id})
    return gone, Connect(part.id, whole.id, "merged_into")


def late(put: Put, newer: Memory, batch: Batch, more: tuple[Change, ...], notes: tuple[str, ...]) -> Verdict:
    """Keep what was told late as what was so before: the newer value stands."""
    memory = put.memory
    past = replace(memory, state="superseded", valid_until=max(memory.valid_from, newer.valid_from))
    put = replace(put, memory=past)
    reason = "told late: it is kept as what was so before, and the newer value stands"
    receipt = Receipt(outcome="stored", op="created", id=memory.id, other=newer.id, reason=reason, warnings=notes)
    changes = (put, *more, Connect(newer.id, memory.id, "supersedes"))
    return Verdict(receipt, changes, batch.unchanged([newer]), put)


def _asked(runtime: Runtime, view: Reading, put: Put, changed: Sequence[Memory], firm: Memory, batch: Batch) -> Verdict:
    """Propose what would demote a memory that was confirmed or is protected."""
    reason = f"it changes {firm.id}, which was confirmed or is protected: accept or reject it"
    until = put.memory.created_at + timedelta(days=runtime.settings.consent.days)
    waits = pending(put, "proposed", reason, until, replaces=[old.id for old in changed])
    return propose(runtime, view, batch, waits, firm)


def doubtful(runtime: Runtime, memory: Memory, doubts: Sequence[Memory]) -> tuple[Change, ...]:
    """Bring doubtful pairs before the judge, if there is one: a link of no strength is a pair not judged yet."""
    if not doubts or not judge_at_hand(runtime):
        return ()
    pairs = (Connect(memory.id, peer.id, "compared", 0.0) for peer in doubts)
    return (*pairs, Enqueue("judge", memory.created_at))


def judge_at_hand(runtime: Runtime) -> bool:
    """Tell whether there is a model that can be asked how two memories stand to each other."""
    return runtime.llm is not None and "judge" in runtime.llm.roles
