"""Relating: the links of memories that changed are worked out anew."""

from __future__ import annotations

from recollect.flows.find.relating import changed, renewed
from recollect.flows.life.cursors import reach, reached
from recollect.jobs.registry import planned
from recollect.model.change import Change, Cut
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.runtime import Runtime
from recollect.store.base import View


@planned("relate")
def relate(runtime: Runtime, view: View, this: Job) -> Plan:
    """Link memories that changed to their nearest, and cut links to what stands no more."""
    since = reached(view, this.owner, "relate")
    ids, upto, more = changed(view, this.owner, since)
    done = renewed(runtime, view, this.owner, ids)
    cuts = sum(isinstance(change, Cut) for change in done.changes)
    ties = len(done.changes) - cuts
    report = Report(
        job="relate",
        owner=this.owner,
        changed=len(done.changes),
        text=f"Looked at {len(ids)} memories that changed: {ties} links made, {cuts} cut.",
        numbers={"looked_at": len(ids), "made": ties, "cut": cuts},
        steps=tuple(done.steps),
        again=runtime.now() if more else None,
    )
    place: tuple[Change, ...] = (reach("relate", upto),) if upto > since else ()
    return Plan(report, (*done.changes, *place), done.expect)
