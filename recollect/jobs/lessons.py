"""Lessons: results of tools and what is said of the work are read a moment after they came, and put into words."""

from __future__ import annotations

from recollect.flows.learn.lessons import JOB
from recollect.flows.learn.practice import practise
from recollect.jobs.registry import job
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say that a model would be asked; without one, what it would do can be rehearsed."""
    if runtime.llm is None or not this.key.startswith("les_"):
        return None
    return Report(job=JOB, owner=this.owner, text="Would ask a model what a lesson says.")


@job(JOB, preview=preview)
def learn_from_work(runtime: Runtime, this: Job) -> Report:
    """Learn from failed tools, corrections and praise, and let go of lessons that are over."""
    if not this.key:
        return Report(job=JOB, owner=this.owner, text="No message is waiting.")
    done = practise(runtime, this)
    if isinstance(done, str):
        return Report(job=JOB, owner=this.owner, text=done)
    over = done.op == "succeeded"
    changed = done.count if over else int(done.outcome in ("stored", "superseded", "merged"))
    text = f"A tool succeeded, {done.count} lesson(s) let go." if over else f"Learnt a lesson: {done.op}."
    return Report(job=JOB, owner=this.owner, changed=changed, text=text)
