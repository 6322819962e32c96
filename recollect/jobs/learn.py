"""Learning while the conversation goes on: a message that may ask to be remembered is read a moment after it came."""

from __future__ import annotations

from recollect.flows.learn.message import JOB, learn
from recollect.jobs.registry import job
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say that a model would be asked; without one, what it would do can be rehearsed."""
    if not this.key or runtime.llm is None or runtime.settings.learning.mode != "all":
        return None
    return Report(job=JOB, owner=this.owner, text="Would ask a model what a message tells.")


@job(JOB, preview=preview)
def take_down(runtime: Runtime, this: Job) -> Report:
    """Save what a message asks to be remembered, and where that is set what else it tells."""
    if not this.key:
        return Report(job=JOB, owner=this.owner, text="No message is waiting.")
    learnt = learn(runtime, this)
    if isinstance(learnt, str):
        return Report(job=JOB, owner=this.owner, text=learnt)
    known = f", {learnt.duplicates} duplicate(s) skipped" if learnt.duplicates else ""
    answers = learnt.accepted + learnt.declined
    head = "Read an answer:" if answers else f"Read a message → {learnt.saved} memories saved{known}."
    text = " ".join((head, *learnt.told()))
    changed = learnt.saved + answers + learnt.taken_back + learnt.put_right
    return Report(job=JOB, owner=this.owner, changed=changed, text=text, numbers=learnt.numbers())
