"""Theory of mind: what a model takes somebody to feel and prefer, hedged, of little weight, and never in the way."""

from __future__ import annotations

from recollect.flows.asking import absent, ask, unable
from recollect.flows.find.founded import GONE, dropped
from recollect.flows.learn.inferring import Lately, inferred, lately, signalled, unfounded
from recollect.jobs.deep.held import write
from recollect.jobs.registry import job
from recollect.model.asking import Failed, OverBudget, Refused, Value
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.prompts.quoting import numbered
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say what a model would be asked about; where none is asked, the run can be rehearsed."""
    with runtime.store.view() as view:
        found = lately(runtime, view, this.owner)
    if _not_now(runtime, found):
        return None
    return Report(job="infer", owner=this.owner, text=f"Would ask a model about {len(found.listed)} memories.")


@job("infer", preview=preview)
def infer(runtime: Runtime, this: Job) -> Report:
    """Ask a model what somebody seems to feel and prefer; drop what rested on what is gone."""
    with runtime.store.view() as view:
        found = lately(runtime, view, this.owner)
        gone = unfounded(view, this.owner, runtime.now())
    changes, expect = dropped(gone)
    if why := _not_now(runtime, found):
        write(runtime, this, changes, expect)
        if why == absent(runtime) and found.listed:
            return Report(job="infer", owner=this.owner, status="skipped", skipped=why, text=f"Skipped: {why}.")
        later = next_time(this.owner, "infer", found.again, runtime.settings.jobs) if found.again else None
        text = f"Skipped: {why}." + (f" Dropped {len(gone)} insights." if gone else "")
        steps = tuple(f"{one.id}: {GONE}" for one in gone)
        return Report(
            job="infer", owner=this.owner, changed=len(gone), skipped=why, text=text, again=later, steps=steps
        )
    question = runtime.prompt("infer").question(memories=numbered(found.lines), conversation=found.said)
    answer = ask(runtime, this.owner, question, job="infer")
    if isinstance(answer, OverBudget):
        return Report(job="infer", owner=this.owner, status="skipped", skipped=answer.reason, text=answer.reason)
    if isinstance(answer, Failed | Refused):
        return Report(job="infer", owner=this.owner, status="failed", text=f"No insights: {answer.reason}")
    assert isinstance(answer, Value)
    made = inferred(runtime, this.owner, found, answer.value, question.version)
    changes += [change for one in made for change in one.made.changes]
    expect += [one for each in made for one in each.made.expect if one not in expect]
    write(runtime, this, changes, expect)
    signals = signalled(runtime, this, made)
    text = f"Kept {len(made)} insights about {len(found.listed)} memories." + (
        f" Dropped {len(gone)}: what they rested on is gone." if gone else ""
    )
    steps = (*(f"{one.made.id}: made" for one in made), *(f"{one.id}: {GONE}" for one in gone))
    text += f" {len(signals)} speak for a field of the profile, as one signal each." if signals else ""
    return Report(job="infer", owner=this.owner, changed=len(made) + len(gone), text=text, steps=steps)


def _not_now(runtime: Runtime, found: Lately) -> str:
    return found.why or unable(runtime, "reasoning")
