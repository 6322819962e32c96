"""What waits: proposals for the owner's word, and claims kept apart for want of evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from recollect.flows.gate.verdict import Batch, Verdict
from recollect.model.change import Change, Connect, Enqueue, Patch, Put
from recollect.model.expectation import Expectation, Fresh
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.receipt import Outcome, Receipt
from recollect.rules.gate.hashes import hash_of
from recollect.runtime import Runtime
from recollect.store.base import Reading

PENDING = ("proposed", "quarantined")
MOST = 1000
GATE = "gate"
"""Where the attributes of a memory that waits, or waited, keep why: a reason, what it would replace, the turns."""
FORGETS = "forgets"
"""Noted of a question: what is forgotten when it is accepted."""
TOPICS = "topics"
"""Noted of a question: topics that may be one: accepted, what is under any of them goes under the first."""
STOOD = "stood"
"""Noted of what stood already when it was made to wait: when nobody answers, it stands again."""
_OUTCOMES: dict[str, Outcome] = {"proposed": "queued", "quarantined": "quarantined"}


def pending(put: Put, state: str, reason: str, until: datetime, **ids: Sequence[str]) -> Put:
    """Make a memory one that waits, and say why and how long; `ids` are what it would replace or forget, its turns."""
    noted: dict[str, Any] = {"reason": reason} | {name: list(some) for name, some in ids.items() if some}
    memory = put.memory
    waits = replace(memory, state=state, purge_at=until, attributes={**memory.attributes, GATE: noted})
    return replace(put, memory=waits)


def noted(memory: Memory) -> Mapping[str, Any]:
    """Give what the gate noted of a memory that waits; nothing where there is nothing, or something else."""
    found = memory.attributes.get(GATE)
    return found if isinstance(found, Mapping) else {}


def named(memory: Memory, what: str) -> tuple[str, ...]:
    """Give a list of ids out of what the gate noted."""
    found = noted(memory).get(what, ())
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list | tuple) else ()


def lies(memory: Memory, now: datetime) -> bool:
    """Tell whether a memory waits and its time has not run out."""
    return memory.state in PENDING and (memory.purge_at is None or memory.purge_at > now)


def waiting(
    view: Reading,
    owner: str,
    now: datetime,
    batch: Batch | None = None,
    states: Sequence[str] = PENDING,
    kind: str = "",
    key: str = "",
) -> list[Memory]:
    """Give what waits, of a kind, for a slot or anywhere, the newest first, as a batch leaves it."""
    batch = batch or Batch()
    # The index of states begins with the kind.
    where = Filter(owner=owner, now=now, states=tuple(states), key=key, kinds=(kind,) if kind else tuple(KINDS))
    made = [put.memory for put in reversed(batch.puts)]
    once = {one.id: batch.now.get(one.id, one) for one in (*made, *view.page(where, "recent", MOST))}
    found = [one for one in once.values() if one.state in states and lies(one, now)]
    return [one for one in found if (not kind or one.kind == kind) and (not key or one.key == key)]


def end(runtime: Runtime, memory: Memory, op: str, meta: Mapping[str, Any]) -> Patch:
    """Let what waited wait no longer; nobody believed it, so after a while its text goes for good."""
    gone = runtime.now() + timedelta(days=runtime.settings.lifecycle.purge_days)
    return Patch(memory.id, {"state": "deleted", "purge_at": gone}, op, meta)


def absorbed(memory: Memory, op: str, by: str) -> tuple[Change, ...]:
    """Let what waited become part of the memory that says so now."""
    gone = Patch(memory.id, {"state": "merged", "purge_at": None}, op, {"into": by})
    return gone, Connect(memory.id, by, "merged_into")


def propose(
    runtime: Runtime, view: Reading, batch: Batch, put: Put, current: Memory | None, notes: tuple[str, ...] = ()
) -> Verdict:
    """Let a memory wait, once; of proposals for the same place the newest is the one that waits."""
    memory = put.memory
    reason = str(noted(memory).get("reason", ""))
    outcome = _OUTCOMES[memory.state]
    other = current.id if current else ""
    others = waiting(view, memory.owner, memory.created_at, batch, (memory.state,), memory.kind)
    for one in others:
        if one.key == memory.key and hash_of(one) == put.content_hash:
            return Verdict(Receipt(outcome=outcome, op="none", id=one.id, other=other, reason=reason, warnings=notes))
    older = [batch.see(one) for one in others if memory.state == "proposed" and _same_place(one, memory)]
    assert memory.purge_at is not None
    changes: tuple[Change, ...] = (
        *(end(runtime, one, "replaced", {"by": memory.id}) for one in older),
        put,
        Enqueue("expire", memory.purge_at),
    )
    stored = [*older, *([current] if current else ())]
    expect: tuple[Expectation, ...] = (*batch.unchanged(stored), Fresh(memory.kind, view.counters(memory.owner).rev))
    receipt = Receipt(outcome=outcome, op=memory.state, id=memory.id, other=other, reason=reason, warnings=notes)
    return Verdict(receipt, changes, expect, put)


def _same_place(one: Memory, other: Memory) -> bool:
    """Tell whether two proposals would fill one slot, or replace one memory."""
    if one.key or other.key:
        return (one.kind, one.agent, one.key) == (other.kind, other.agent, other.key)
    return not set(named(one, "replaces")).isdisjoint(named(other, "replaces"))
