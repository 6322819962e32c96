"""Expiring: what nobody answered in time waits no longer."""

from __future__ import annotations

from recollect.flows.consent import expired
from recollect.flows.tending import tended
from recollect.flows.waiting import end
from recollect.jobs.registry import planned
from recollect.model.change import Version
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.runtime import Runtime
from recollect.store.base import View


@planned("expire")
def expire(runtime: Runtime, view: View, this: Job) -> Plan:
    """End the waiting of proposals and quarantined claims whose time has run out."""
    old = expired(runtime, view, this.owner)
    text = f"Expired {len(old)} that nobody answered." if old else "Nothing has run out."
    ends = tuple(end(runtime, one, "expired", {"was": one.state, "why": "nobody answered in time"}) for one in old)
    steps = tuple(f"{one.id}: {one.state}, and nobody answered in time" for one in old)
    return Plan(
        Report(job="expire", owner=this.owner, changed=len(old), text=text, steps=steps),
        (*ends, *tended(runtime, this.owner, ends)),
        tuple(Version(one.id, one.version) for one in old),
    )
