"""Reflection: once a week a model looks back on what was learnt, and what it says stands in the context."""

from __future__ import annotations

from datetime import timedelta

from recollect.flows.asking import ask, unable
from recollect.flows.learn.looking_back import Week, reflected, week
from recollect.jobs.deep.held import write
from recollect.jobs.registry import job
from recollect.model.asking import Failed, OverBudget, Refused, Value
from recollect.model.job import Job
from recollect.model.proposals import Thought
from recollect.model.receipt import Report
from recollect.prompts.quoting import numbered
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report:
    """Say what a model would be asked about, or why it would not be."""
    with runtime.store.view() as view:
        found = week(runtime, view, this.owner)
    if why := _not_now(runtime, found):
        return _left(runtime, this, found, why)
    return Report(job="reflect", owner=this.owner, text=f"Would ask a model about {len(found.listed)} memories.")


@job("reflect", preview=preview)
def reflect(runtime: Runtime, this: Job) -> Report:
    """Look back on the week: three to five sentences by a model, with what they rest on."""
    with runtime.store.view() as view:
        found = week(runtime, view, this.owner)
    if why := _not_now(runtime, found):
        return _left(runtime, this, found, why)
    question = runtime.prompt("reflect").question(memories=numbered(found.lines))
    answer = ask(runtime, this.owner, question, job="reflect")
    if isinstance(answer, OverBudget):
        return _skipped(this, answer.reason)
    if isinstance(answer, Failed | Refused):
        return Report(job="reflect", owner=this.owner, status="failed", text=f"No reflection: {answer.reason}")
    assert isinstance(answer, Value)
    return _written(runtime, this, found, answer.value, question.version)


def _written(runtime: Runtime, this: Job, found: Week, thought: Thought, version: str) -> Report:
    made = reflected(runtime, this.owner, found, thought, version)
    if isinstance(made, str):
        return Report(job="reflect", owner=this.owner, text=f"Nothing was kept: {made}.", skipped=made)
    write(runtime, this, made.changes, made.expect)
    text = f"Reflected on {len(found.listed)} memories of a week: {found.facts} facts, {made.sources} cited."
    numbers = {"facts": found.facts, "episodes": found.episodes, "cited": made.sources}
    return Report(job="reflect", owner=this.owner, changed=1, text=text, numbers=numbers, steps=(f"{made.id}: made",))


def _not_now(runtime: Runtime, found: Week) -> str:
    """Say why there is nothing to ask; empty when there is."""
    policy = runtime.settings.reflection
    if found.last is not None and runtime.now() - found.last < timedelta(days=policy.between_days):
        return f"the last reflection is less than {policy.between_days:g} days old"
    if found.facts < policy.least_facts:
        return f"there are {found.facts} facts of the last {policy.days:g} days, and {policy.least_facts} are needed"
    return unable(runtime, "summarizer")


def _left(runtime: Runtime, this: Job, found: Week, why: str) -> Report:
    """Tell why nothing is asked; where that is only a matter of time, it looks again then."""
    if found.facts >= runtime.settings.reflection.least_facts and runtime.llm is None:
        return _skipped(this, why)
    later = None
    if found.last is not None and found.facts:
        from_then = found.last + timedelta(days=runtime.settings.reflection.between_days)
        later = next_time(this.owner, "reflect", max(from_then, runtime.now()), runtime.settings.jobs)
    return Report(job="reflect", owner=this.owner, skipped=why, text=f"Skipped: {why}.", again=later)


def _skipped(this: Job, reason: str) -> Report:
    return Report(job="reflect", owner=this.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}.")
