"""The digest of MEMORY.md: every few hours a model writes what is worth knowing for good, where a workspace is used."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TypeAlias

from recollect.errors import Conflict
from recollect.flows.asking import ask, unable
from recollect.flows.find.founded import GONE, dropped
from recollect.flows.learn.looking_back import Made
from recollect.flows.window.workspace.curating import Head, curated, heads
from recollect.jobs.deep.held import write
from recollect.jobs.registry import job
from recollect.model.asking import Failed, OverBudget, Refused, Value
from recollect.model.job import Job
from recollect.model.proposals import Thought
from recollect.model.receipt import Report
from recollect.prompts.quoting import numbered
from recollect.runtime import Runtime

NAME = "curate"
UNUSED = "nobody uses a workspace here"
Outcome: TypeAlias = Made | str | OverBudget | Failed | Refused
"""What came of one digest: it was written, or why it was not."""


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say for which projects a model would be asked; where none is, the run can be rehearsed."""
    found = _looked(runtime, this)
    due = [one for one in found if not one.why]
    if not due or unable(runtime, "summarizer"):
        return None
    gone = sum(len(one.unfounded) for one in found)
    steps = tuple(f"{one.name}: {len(one.facts)} facts would be shown" for one in due)
    text = f"Would ask a model for {len(due)} digests."
    return Report(job=NAME, owner=this.owner, changed=len(due) + gone, text=text, steps=steps)


@job(NAME, preview=preview)
def curate(runtime: Runtime, this: Job) -> Report:
    """Write the digest in the head of MEMORY.md with a model, where a workspace is used and enough is new."""
    found = _looked(runtime, this)
    unfounded = [memory for one in found for memory in one.unfounded]
    write(runtime, this, *dropped(unfounded))
    steps = [f"{one.id}: {GONE}" for one in unfounded]
    due = [one for one in found if not one.why]
    if due and (why := unable(runtime, "summarizer")):
        return _skipped(this, why, steps)
    told: list[tuple[str, Outcome]] = []
    for head in due:
        told.append((head.name, _asked(runtime, this, head)))
        if isinstance(told[-1][1], OverBudget):
            break
    steps += [f"{name}: {_in_words(done)}" for name, done in told]
    steps += [f"{one.name}: {one.why}" for one in found if one.why]
    return _told(runtime, this, found, told, tuple(steps), len(unfounded))


def _told(
    runtime: Runtime,
    this: Job,
    found: Sequence[Head],
    told: Sequence[tuple[str, Outcome]],
    steps: tuple[str, ...],
    gone: int,
) -> Report:
    """Tell what was done: a failure is tried again after a while, a budget at the next time."""
    made = sum(isinstance(done, Made) for _, done in told)
    over = next((done.reason for _, done in told if isinstance(done, OverBudget)), "")
    failed = any(isinstance(done, Failed | Refused) for _, done in told)
    if over and not made and not failed:
        return _skipped(this, over, steps)
    why = _why(found, told)
    text = f"Wrote {made} of {len(found)} digests." if made else "No digest was written."
    text += f" Dropped {gone}: {GONE}." if gone else ""
    text += f" The reason: {why}." if why else ""
    again = min((one.again for one in found if one.again is not None), default=None)
    if failed:
        again = runtime.now() + timedelta(minutes=runtime.settings.workspace.curate_retry_minutes)
    return Report(
        job=NAME, owner=this.owner, status="failed" if failed else "ok", changed=made + gone, text=text, steps=steps,
        skipped="" if failed else why, numbers={"digests": made, "dropped": gone}, again=again,
    )  # fmt: skip


def _in_words(done: Outcome) -> str:
    if isinstance(done, Made):
        return f"{done.id} was written, and rests on {done.sources} facts"
    return done if isinstance(done, str) else done.reason


def _why(found: Sequence[Head], told: Sequence[tuple[str, Outcome]]) -> str:
    """Say why there is no digest where there could be one; of several the steps tell."""
    if not found:
        return UNUSED
    left = [*(one.why for one in found if one.why), *(_in_words(one) for _, one in told if not isinstance(one, Made))]
    return left[0] if len(found) == 1 and left else ""


def _skipped(this: Job, why: str, steps: Sequence[str]) -> Report:
    gone = sum(one.endswith(GONE) for one in steps)
    return Report(
        job=NAME, owner=this.owner, status="skipped", skipped=why, changed=gone, text=f"Skipped: {why}.",
        steps=tuple(steps),
    )  # fmt: skip


def _looked(runtime: Runtime, this: Job) -> list[Head]:
    with runtime.store.view() as view:
        return heads(runtime, view, this.owner)


def _asked(runtime: Runtime, this: Job, head: Head) -> Outcome:
    """Ask for one digest, and write down what is kept of the answer."""
    digest = head.old.content if head.old is not None else ""
    question = runtime.prompt(NAME).question(digest=digest, memories=numbered(head.lines))
    answer = ask(runtime, this.owner, question, job=NAME)
    if isinstance(answer, OverBudget | Failed | Refused):
        return answer
    told = answer.value if isinstance(answer, Value) else Thought([])
    made = curated(runtime, this.owner, head, told, question.version)
    if isinstance(made, Made):
        try:
            write(runtime, this, made.changes, made.expect)
        except Conflict as error:
            return Failed(f"what it rests on was changed meanwhile ({error})")
    return made
