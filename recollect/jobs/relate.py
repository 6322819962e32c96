"""Relating: the links of memories that changed are worked out anew."""

from __future__ import annotations

from recollect.flows.relating import changed, renewed, revision_at
from recollect.jobs.registry import planned
from recollect.model.change import Cut
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.rules.schedule import last_time
from recollect.runtime import Runtime
from recollect.store.base import View


@planned("relate")
def relate(runtime: Runtime, view: View, this: Job) -> Plan:
    """Link memories that changed to their nearest, and cut links to what stands no more."""
    ids, upto, more = changed(view, this.owner, _since(runtime, view, this))
    done = renewed(runtime, view, this.owner, ids)
    cuts = sum(isinstance(change, Cut) for change in done.changes)
    ties = len(done.changes) - cuts
    report = Report(
        job="relate",
        owner=this.owner,
        changed=len(done.changes),
        text=f"Looked at {len(ids)} memories that changed: {ties} links made, {cuts} cut.",
        numbers={"looked_at": len(ids), "made": ties, "cut": cuts, **({"upto": upto} if more else {})},
        steps=tuple(done.steps),
        again=runtime.now() if more else None,
    )
    return Plan(report, tuple(done.changes), done.expect)


def _since(runtime: Runtime, view: View, this: Job) -> int:
    """Give the revision behind which memories have not been looked at.

    The row was made by the first change after the last run, so that lies before the time the row is due. Going one
    time further back leaves room for a run that failed; what was looked at before is only found to be in order.
    """
    moment, policy = this.due_at, runtime.settings.jobs
    for _ in range(2):
        moment = last_time(this.owner, this.name, moment, policy)
    numbers = (this.last_report or {}).get("numbers", {})
    return max(revision_at(view, this.owner, moment), int(numbers.get("upto", 0)))
