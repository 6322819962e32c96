"""Consolidation: what conversations left behind becomes facts and a summary."""

from __future__ import annotations

from recollect.flows.learn.consolidate import JOB, NOTHING_NEW, Done, consolidate, report
from recollect.jobs.registry import job
from recollect.model.change import Enqueue, Write
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Count the messages a model would be asked about; without one, what it would do can be rehearsed."""
    if runtime.llm is None:
        return None
    with runtime.store.view() as view:
        counted = view.progress(this.owner)
    sessions = [this.key] if this.key else sorted(counted)
    left = {one: counted[one][0] - counted[one][1] for one in sessions if one in counted}
    many, of = sum(left.values()), sum(map(bool, left.values()))
    text = f"Would read {many} messages of {of} sessions with a model." if many else NOTHING_NEW
    return Report(job=JOB, owner=this.owner, text=text)


@job(JOB, preview=preview, whole=True)
def work_through(runtime: Runtime, this: Job) -> Report:
    """Turn the messages of a session into facts and a summary; without a session, of every one that is open."""
    most = runtime.settings.consolidation.pages_per_run
    done: list[Done] = []
    for session in [this.key] if this.key else _open(runtime, this.owner):
        if most <= 0 or (done and done[-1].more):
            done.append(Done(more=True))
            break
        done.append(consolidate(runtime, this.owner, session, this, most))
        most -= done[-1].pages
    if done and done[-1].more:  # asked for while it runs, it is due again as soon as it ends
        again = Enqueue(this.name, runtime.now(), this.key)
        runtime.store.commit(Write(owner=this.owner, at=runtime.now(), node="jobs", changes=(again,)))
    return report(this.owner, done)


def _open(runtime: Runtime, owner: str) -> list[str]:
    with runtime.store.view() as view:
        return [session for session, (many, done) in sorted(view.progress(owner).items()) if done < many]
