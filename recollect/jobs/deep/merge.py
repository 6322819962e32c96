"""Merging: every night what may be one is found, and brought before the judges, who say whether it is."""

from __future__ import annotations

from recollect.flows.gate.conflicts import anybody_judges
from recollect.flows.learn.pairing import paired
from recollect.jobs.registry import planned
from recollect.model.change import Connect, Enqueue
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime
from recollect.store.base import View


@planned("merge")
def merge(runtime: Runtime, view: View, this: Job) -> Plan:
    """Bring pairs of memories that are alike before the judges, at most fifty a day for an owner."""
    if not anybody_judges(runtime):
        reason = "no model is set for the role judge, and no embedder, whose judge could be asked"
        return Plan(Report(job="merge", owner=this.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}."))
    found = paired(runtime, view, this.owner)
    links = tuple(Connect(newer.id, older.id, "compared", 0.0) for older, newer, _ in found.pairs)
    full = len(links) >= runtime.settings.merging.pairs > 0
    report = Report(
        job="merge",
        owner=this.owner,
        changed=len(links),
        text=f"Looked at {found.looked} memories: {len(links)} pairs go before the judges.",
        numbers={"looked": found.looked, "pairs": len(links)},
        steps=tuple(f"{older.id} and {newer.id}: alike by {alike:.2f}" for older, newer, alike in found.pairs),
        again=next_time(this.owner, "merge", runtime.now(), runtime.settings.jobs) if full else None,
    )
    return Plan(report, (*links, *((Enqueue("judge", runtime.now()),) if links else ())))
