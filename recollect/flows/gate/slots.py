"""Slots: a key holds one value; what concerns who somebody is changes only with the owner's word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from recollect.flows.gate.conflicts import late, told
from recollect.flows.gate.pending import GATE, absorbed, end, named, noted, pending, propose, waiting
from recollect.flows.gate.verdict import Batch, Verdict, held, known, own_word, since, supersede
from recollect.model.candidate import Candidate
from recollect.model.change import Change, Patch, Put
from recollect.model.clock import LATEST
from recollect.model.expectation import Expectation, Fresh
from recollect.model.kinds import EXPLICIT
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt
from recollect.rules.gate.consent import Decision, OpenProposal, decide
from recollect.rules.gate.similarity import same
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.normal import content_hash, jaccard, words

ALIKE = 0.9
"""From which share of common words two values of a slot may say the same: a slot is held to more than a free fact."""
EXACT = "document"
"""The kind whose slots are compared to the letter: case, indentation and punctuation belong to a text."""
SINCE = "something else was said of it since"


def slot(runtime: Runtime, view: Reading, put: Put, notes: tuple[str, ...], batch: Batch) -> Verdict:
    """Fill a slot, propose to, or leave it."""
    memory = put.memory
    himself = memory.source in EXPLICIT
    said = "turn" in memory.attributes
    before = [one.memory for one in batch.puts if place(one.memory) == place(memory)]
    if himself and not said and any(one.state == "active" for one in before):
        return Verdict(Receipt(outcome="rejected", reason="the batch writes the same key twice"))
    current = standing(view, memory, batch)
    stands = current is not None and (current.valid_until is None or current.valid_until > memory.created_at)
    if current is not None and stands and _again(put, current):
        return known(current.id)
    if said and himself and current is not None and stands and told(runtime, memory) < told(runtime, current):
        return late(put, current, batch, (), notes)
    asked = _asked(view, memory, batch)
    others = [*([current] if current and stands else ()), *asked]
    if said and not himself and (newer := _newer(runtime, memory, others)):
        return Verdict(Receipt(outcome="rejected", op="none", other=newer.id, reason=SINCE))
    if himself:
        return _filled(runtime, view, put, current, asked, batch, notes)
    if current is not None and stands and _alike(runtime, memory, [current]):
        return known(current.id)
    turn = str(memory.attributes.get("turn", ""))
    agreed = _alike(runtime, memory, asked)
    heard = replace(put, memory=replace(memory, content=agreed.content)) if agreed else put
    candidate = Candidate(content=heard.memory.content, key=memory.key, turn=turn, confidence=memory.confidence)
    proposals = [OpenProposal(one.key, one.content, named(one, "turns"), one.purge_at or LATEST) for one in asked]
    policy = runtime.settings.consent
    made = decide(candidate, "", proposals, memory.created_at, policy)
    firm = current is not None and stands and held(current, own_word(memory), runtime.settings.salience)
    if made.name == "apply" and not firm:
        return _filled(runtime, view, put, current, asked, batch, notes)
    if made.name in ("agree", "nothing"):
        return _heard(heard, current, asked, batch, turn, made)
    why = "it would change what was confirmed or is protected" if made.name == "apply" else made.reason
    until = memory.created_at + timedelta(days=policy.days)
    waits = pending(put, "proposed", why, until, turns=[turn] if turn else ())
    return propose(runtime, view, batch, waits, current, notes)


def _again(put: Put, current: Memory) -> bool:
    """Tell whether a slot is filled with the same, or the message that filled it read again: its speaker may go by
    another name since."""
    memory, turn = put.memory, put.memory.attributes.get("turn", "")
    if memory.kind == EXACT:
        return _wording(memory) == _wording(current)
    same = memory.content.split()[-1:] == current.content.split()[-1:]
    return content_hash(current.content) == content_hash(memory.content) or (
        bool(turn) and turn == current.attributes.get("turn") and same
    )


def _wording(memory: Memory) -> tuple[str, object]:
    """Give a document to the letter; one that is blank has its text beside it."""
    return memory.content, memory.attributes.get("text")


def _alike(runtime: Runtime, memory: Memory, others: Sequence[Memory]) -> Memory | None:
    """Give the value that says the same in nearly the same words: what an agent words anew is no other value."""
    if memory.kind == EXACT:
        return None
    return next((one for one in others if _says_same(runtime, one.content, memory.content)), None)


def _says_same(runtime: Runtime, one: str, other: str) -> bool:
    """Tell whether two values say the same: for certain, or nearly all words and no number, name or negation apart."""
    if same(one, other, runtime.reader):
        return True
    here, there = runtime.reader.told(one), runtime.reader.told(other)
    apart = (here.numbers, here.names, here.negated) != (there.numbers, there.names, there.negated)
    return not apart and jaccard(words(one), words(other)) >= ALIKE


def _newer(runtime: Runtime, memory: Memory, others: Sequence[Memory]) -> Memory | None:
    """Give what was told of a slot after this was said, and says something else."""
    said, at = words(memory.content), told(runtime, memory)
    return next((one for one in others if at < told(runtime, one) and words(one.content) != said), None)


def place(memory: Memory) -> tuple[str, str, str]:
    """Give what names a slot of an owner."""
    return memory.agent, memory.kind, memory.key


def standing(view: Reading, memory: Memory, batch: Batch | None = None) -> Memory | None:
    """Give what fills a memory's slot, as a batch leaves it."""
    batch = batch or Batch()
    for one in batch.now.values():
        if one.state == "active" and place(one) == place(memory):
            return one
    stored = view.slot(memory.owner, *place(memory))
    return None if stored is None or batch.now.get(stored.id, stored).state != "active" else stored


def holder(view: Reading, put: Put, batch: Batch) -> str:
    """Give the slot that says what a free memory says, in the same words: it need not be kept twice; empty for none."""
    memory = put.memory
    for one in batch.puts:
        if one.memory.key and one.memory.state == "active" and one.content_hash == put.content_hash:
            return one.memory.id
    stored = view.slot_with_hash(memory.owner, memory.kind, put.content_hash, memory.created_at)
    gone = stored is not None and stored in batch.now and batch.now[stored].state != "active"
    return "" if stored is None or gone else stored


def _beside(view: Reading, put: Put, batch: Batch) -> list[Memory]:
    """Give what says outside the slot what fills it, in the same words: the slot takes its place."""
    memory = put.memory
    fresh = [one.memory for one in batch.puts if not one.memory.key and one.content_hash == put.content_hash]
    stored = view.active_with_hash(memory.owner, memory.kind, put.content_hash, memory.created_at)
    found = [*fresh, *(view.get(memory.owner, [stored]) if stored else ())]
    return [one for one in map(batch.see, found) if one.state == "active" and one.kind == memory.kind]


def _asked(view: Reading, memory: Memory, batch: Batch) -> list[Memory]:
    """Give the proposals that wait for this slot."""
    found = waiting(view, memory.owner, memory.created_at, batch, ("proposed",), memory.kind, memory.key)
    return [one for one in found if place(one) == place(memory)]


def _filled(
    runtime: Runtime,
    view: Reading,
    put: Put,
    current: Memory | None,
    asked: Sequence[Memory],
    batch: Batch,
    notes: tuple[str, ...],
) -> Verdict:
    """Fill the slot: what stood there gives way, and proposals for it are answered by that."""
    memory = put.memory
    answered: list[Change] = []
    asked = [one for one in asked if one is not _newer(runtime, memory, [one])]
    for one in asked:
        batch.see(one)
        if words(one.content) == words(memory.content):
            answered += absorbed(one, "accepted", memory.id)
        else:
            answered.append(end(runtime, one, "replaced", {"by": memory.id}))
    expect: tuple[Expectation, ...] = batch.unchanged(asked)
    if memory.source not in EXPLICIT:
        expect += (Fresh(memory.kind, view.counters(memory.owner).rev),)
    same = _beside(view, put, batch)
    if same:
        weight = max((one.importance or 0 for one in (memory, *same)), default=0) or None
        put = replace(put, memory=replace(memory, importance=weight, pinned=any(one.pinned for one in (memory, *same))))
    olds = [*([batch.see(current)] if current else ()), *same]
    if not olds:
        receipt = Receipt(outcome="stored", op="created", id=memory.id, warnings=notes)
        return Verdict(receipt, (put, *answered), expect, put)
    put = replace(put, memory=since(put.memory, olds))
    receipt = Receipt(outcome="superseded", op="superseded", id=memory.id, other=olds[0].id, warnings=notes)
    changes = (*supersede(olds, put), *answered)
    return Verdict(receipt, changes, (*batch.unchanged(olds), *expect), put)


def _heard(
    put: Put, current: Memory | None, asked: Sequence[Memory], batch: Batch, turn: str, made: Decision
) -> Verdict:
    """Count another turn for the proposal there is, or take no notice of the same turn."""
    same = next(one for one in asked if words(one.content) == words(put.memory.content))
    other = current.id if current else ""
    receipt = Receipt(outcome="queued", op="none", id=same.id, other=other, reason=made.reason)
    if made.name == "nothing":
        return Verdict(receipt)
    batch.see(same)
    heard = {**noted(same), "turns": [*named(same, "turns"), turn]}
    patch = Patch(same.id, {"attributes": {**same.attributes, GATE: heard}}, "agreed", {"turn": turn})
    return Verdict(replace(receipt, op="agreed"), (patch,), batch.unchanged([same]))
