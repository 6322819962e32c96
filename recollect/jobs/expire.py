"""Expiring: what nobody answered in time waits no longer."""

from __future__ import annotations

from recollect.flows.gate.pending import PENDING, STOOD, end, noted
from recollect.flows.life.crossings import crossed
from recollect.flows.life.follow_ups import tended
from recollect.jobs.registry import planned
from recollect.model.change import Patch
from recollect.model.clock import EPOCH
from recollect.model.expectation import Version
from recollect.model.filter import Filter
from recollect.model.job import Job, Plan
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.receipt import Report
from recollect.rules.gate.hashes import hash_of
from recollect.runtime import Runtime
from recollect.store.base import Reading


@planned("expire")
def expire(runtime: Runtime, view: Reading, this: Job) -> Plan:
    """End the waiting of proposals and quarantined claims whose time has run out."""
    where = Filter(owner=this.owner, now=EPOCH, states=PENDING, kinds=tuple(KINDS))
    found = crossed(view, where, lambda memory: memory.purge_at, runtime.now())
    whole = view.get(this.owner, [one.id for one in found.due])
    ends = tuple(_ended(runtime, view, one) for one in whole)
    report = Report(
        job="expire",
        owner=this.owner,
        changed=len(ends),
        text=f"Expired {len(ends)} that nobody answered." if ends else "Nothing has run out.",
        numbers={"expired": len(ends), "waiting": found.more},
        steps=tuple(f"{one.id}: {one.state}, and nobody answered in time" for one in found.due),
        again=runtime.now() if found.more else found.later,  # at the very moment: it has no time of day
    )
    expect = tuple(Version(one.id, one.version) for one in found.due)
    return Plan(report, (*ends, *tended(runtime, this.owner, ends)), expect)


def _ended(runtime: Runtime, view: Reading, memory: Memory) -> Patch:
    """End the waiting of one: what stood before it was made to wait stands again, unless another says so by now."""
    why = {"was": memory.state, "why": "nobody answered in time"}
    stood = noted(memory).get(STOOD) and not memory.key
    if not stood or view.active_with_hash(memory.owner, memory.kind, hash_of(memory), runtime.now()):
        return end(runtime, memory, "expired", why)
    return Patch(memory.id, {"state": "active", "purge_at": None}, "expired", why)
