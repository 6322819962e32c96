"""Portraits: every night a model says in a few sentences what is known of those who matter, where enough is new."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.flows.asking import ask, unable
from recollect.flows.find.founded import dropped
from recollect.flows.people.portraits import Drawn, Due, Subject, drawn, due
from recollect.jobs.deep.held import write
from recollect.jobs.registry import job
from recollect.model.asking import Failed, OverBudget, Refused, Value
from recollect.model.job import Job
from recollect.model.proposals import Portrayed
from recollect.model.receipt import Report
from recollect.prompts.quoting import described
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime

NAME = "portray"


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say of whom a model would be asked; where none is, the run can be rehearsed."""
    with runtime.store.view() as view:
        found = due(runtime, view, this.owner)
    if not found.subjects or unable(runtime, "summarizer"):
        return None
    text = f"Would ask a model about {len(found.subjects)} who matter."
    steps = tuple(f"{one.entity.id}: {len(one.facts)} facts" for one in found.subjects)
    return Report(job=NAME, owner=this.owner, changed=len(found.subjects), text=text, steps=steps)


@job(NAME, preview=preview)
def portray(runtime: Runtime, this: Job) -> Report:
    """Let a model say what is known of those who matter, and protect them; drop what rests on what is gone."""
    with runtime.store.view() as view:
        found = due(runtime, view, this.owner)
    write(runtime, this, *dropped(found.unfounded))
    gone = tuple(f"{one.id}: what it rested on is gone" for one in found.unfounded)
    if found.subjects and (why := unable(runtime, "summarizer")):
        text = f"Skipped: {why}."
        return Report(
            job=NAME, owner=this.owner, status="skipped", skipped=why, changed=len(gone), text=text, steps=gone
        )
    done: list[Drawn] = []
    problem: OverBudget | Failed | Refused | None = None
    size = runtime.settings.portraits.per_question
    for at in range(0, len(found.subjects), size):
        answer = _asked(runtime, this, found.subjects[at : at + size])
        if not isinstance(answer, Drawn):
            problem = answer
            break
        done.append(answer)
    return _told(runtime, this, found, done, problem, gone)


def _asked(runtime: Runtime, this: Job, subjects: Sequence[Subject]) -> Drawn | OverBudget | Failed | Refused:
    """Ask about some, in one question, and write down what is kept of the answer."""
    known = described((one.entity.name, one.entity.type, one.lines) for one in subjects)
    question = runtime.prompt(NAME).question(entities=known)
    answer = ask(runtime, this.owner, question, job=NAME)
    if isinstance(answer, OverBudget | Failed | Refused):
        return answer
    told = answer.value if isinstance(answer, Value) else Portrayed([])
    made = drawn(runtime, this.owner, subjects, told, question.version)
    write(runtime, this, made.changes, made.expect)
    return made


def _told(
    runtime: Runtime,
    this: Job,
    found: Due,
    done: Sequence[Drawn],
    problem: OverBudget | Failed | Refused | None,
    gone: tuple[str, ...],
) -> Report:
    made = [one for some in done for one in some.made]
    text = f"Wrote {len(made)} portraits of {len(found.subjects)} who matter." if found.subjects else "Nothing is new."
    text += f" Dropped {len(gone)}: what they rested on is gone." if gone else ""
    text += f" {found.more} wait for the next night." if found.more else ""
    plain = {one for some in done for one in some.plain}
    steps = (*(f"{one}: portrayed{', in the words of its facts' if one in plain else ''}" for one in made), *gone)
    wait = len(made) < len(found.subjects) or found.more
    later = next_time(this.owner, NAME, runtime.now(), runtime.settings.jobs) if wait else None
    if problem is not None and not made:
        over = isinstance(problem, OverBudget)
        return Report(
            job=NAME, owner=this.owner, status="skipped" if over else "failed", skipped=problem.reason if over else "",
            text=f"No portraits: {problem.reason}", changed=len(gone), steps=gone,
        )  # fmt: skip
    text += f" Of the others nothing: {problem.reason}" if problem is not None else ""
    numbers = {"portraits": len(made), "waiting": found.more}
    changed = len(made) + len(gone)
    return Report(job=NAME, owner=this.owner, text=text, changed=changed, numbers=numbers, steps=steps, again=later)
