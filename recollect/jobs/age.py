"""Ageing: what nobody used for a while leaves the short tier."""

from __future__ import annotations

from recollect.jobs.registry import job
from recollect.model.change import Leased, Patch, Write
from recollect.model.filter import Filter
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.rules.lifecycle import ageing
from recollect.runtime import Runtime

POOL = 5000


@job("age")
def age(runtime: Runtime, this: Job) -> Report:
    """Move memories unused for 48 hours from the short to the long tier, least important first."""
    settings, now = runtime.settings, runtime.now()
    runtime.store.flush()
    with runtime.store.view() as view:
        # What is pinned or important stays anyway, and must not fill the pool.
        unprotected = settings.salience.protected_importance - 1
        where = Filter(owner=this.owner, now=now, tiers=("short",), pinned=False, importance_max=unprotected)
        pool = view.page(where, "oldest", POOL)
    chosen = ageing(pool, now, settings.lifecycle, settings.salience)
    if chosen:
        runtime.store.commit(
            Write(
                owner=this.owner,
                at=now,
                node="age",
                changes=tuple(Patch(memory.id, {"tier": "long"}, "aged") for memory in chosen),
                expect=(Leased(this.name, this.key, this.lease_token),),
                actor="age",
            )
        )
    hours = settings.lifecycle.age_after_hours
    text = f"Aged {len(chosen)} memories from short-term to long-term (threshold: {hours:g}h)."
    return Report(job="age", owner=this.owner, changed=len(chosen), text=text)
