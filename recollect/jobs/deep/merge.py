"""Merging: every night what may be one is found: memories go before the judges, topics before the owner."""

from __future__ import annotations

from recollect.flows.gate.conflicts import anybody_judges
from recollect.flows.keep.filing import questions
from recollect.flows.learn.pairing import Paired, paired
from recollect.jobs.registry import planned
from recollect.model.change import Connect, Enqueue
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime
from recollect.store.base import View


@planned("merge")
def merge(runtime: Runtime, view: View, this: Job) -> Plan:
    """Bring pairs of memories that are alike before the judges, fifty a day at most, and topics into the inbox."""
    asked = questions(runtime, view, this.owner)
    if not anybody_judges(runtime) and not asked:
        reason = "no model is set for the role judge, and no embedder, whose judge could be asked"
        return Plan(Report(job="merge", owner=this.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}."))
    found = paired(runtime, view, this.owner) if anybody_judges(runtime) else Paired([], 0)
    links = tuple(Connect(newer.id, older.id, "compared", 0.0) for older, newer, _ in found.pairs)
    full = len(links) >= runtime.settings.merging.pairs > 0
    report = Report(
        job="merge",
        owner=this.owner,
        changed=len(links) + len(asked),
        text=f"Looked at {found.looked} memories: {len(links)} pairs go before the judges."
        + (f" {len(asked)} questions about topics wait in the inbox." if asked else ""),
        numbers={"looked": found.looked, "pairs": len(links), "topics": len(asked)},
        steps=(
            *(f"{older.id} and {newer.id}: alike by {alike:.2f}" for older, newer, alike in found.pairs),
            *(f"{put.memory.id}: topics that may be one" for put in asked),
        ),
        again=next_time(this.owner, "merge", runtime.now(), runtime.settings.jobs) if full else None,
    )
    ends = (Enqueue("expire", put.memory.purge_at) for put in asked if put.memory.purge_at is not None)
    return Plan(report, (*links, *((Enqueue("judge", runtime.now()),) if links else ()), *asked, *ends))
