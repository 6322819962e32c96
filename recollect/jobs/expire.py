"""Expiring: what nobody answered in time waits no longer."""

from __future__ import annotations

from recollect.flows.consent import expired
from recollect.jobs.registry import job
from recollect.model.change import Leased, Write
from recollect.model.job import Job
from recollect.model.receipt import Receipt, Report
from recollect.runtime import Runtime
from recollect.store.base import View


@job("expire")
def expire(runtime: Runtime, this: Job) -> Report:
    """End the waiting of proposals and quarantined claims whose time has run out."""

    def plan(view: View) -> Write | Receipt:
        changes = expired(runtime, view, this.owner)
        receipt = Receipt(outcome="stored", op="expired", count=len(changes))
        if not changes:
            return receipt
        return Write(
            owner=this.owner,
            at=runtime.now(),
            node="expire",
            changes=changes,
            expect=(Leased(this.name, this.key, this.lease_token),),
            actor="expire",
            receipt=receipt,
        )

    many = runtime.store.decide(this.owner, plan, runtime.now()).count
    text = f"Expired {many} that nobody answered." if many else "Nothing has run out."
    return Report(job="expire", owner=this.owner, changed=many, text=text)
