"""Ageing: what nobody used for a while leaves the short tier."""

from __future__ import annotations

from recollect.jobs.registry import planned
from recollect.model.change import Patch, Version
from recollect.model.filter import Filter
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.rules.lifecycle import ageing
from recollect.runtime import Runtime
from recollect.store.base import View

POOL = 5000


@planned("age")
def age(runtime: Runtime, view: View, this: Job) -> Plan:
    """Move memories unused for 48 hours from the short to the long tier, least important first."""
    settings, now = runtime.settings, runtime.now()
    # What is pinned or important stays anyway, and must not fill the pool.
    unprotected = settings.salience.protected_importance - 1
    where = Filter(owner=this.owner, now=now, tiers=("short",), pinned=False, importance_max=unprotected)
    chosen = ageing(view.page(where, "oldest", POOL), now, settings.lifecycle, settings.salience)
    hours = settings.lifecycle.age_after_hours
    text = f"Aged {len(chosen)} memories from short-term to long-term (threshold: {hours:g}h)."
    return Plan(
        Report(job="age", owner=this.owner, changed=len(chosen), text=text),
        tuple(Patch(memory.id, {"tier": "long"}, "aged") for memory in chosen),
        tuple(Version(memory.id, memory.version) for memory in chosen),
    )
