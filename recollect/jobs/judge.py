"""Judging: pairs of memories that are alike are put before a model, one question a run, or before the learnt judge."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from recollect.errors import Conflict
from recollect.flows.asking import ask
from recollect.flows.gate.conflicts import anybody_judges, model_judges
from recollect.flows.gate.judging import Applied, Docket, applied, docket
from recollect.flows.life.follow_ups import tended
from recollect.jobs.registry import job
from recollect.model.asking import Failed, OverBudget, Value
from recollect.model.change import Enqueue, Write
from recollect.model.expectation import Leased
from recollect.model.job import Job
from recollect.model.proposals import Judged
from recollect.model.receipt import Report
from recollect.runtime import Runtime

_TOLD = {
    "same": "same", "newer_replaces": "replaced", "both_true": "both true", "proposed": "proposed",
    "left": "left: the user saved it", "maybe_outdated": "maybe outdated", "parted": "replaced in part",
}  # fmt: skip
_STANDING = ("both_true", "left")
LATER = timedelta(days=1)
"""After how long pairs without a verdict are asked about again."""


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say how many pairs a model would be asked about; where it is not asked, the run can be rehearsed."""
    with runtime.store.view() as view:
        before = docket(runtime, view, this.owner)
    if not before.pairs or not model_judges(runtime):
        return None
    text = f"Would ask a model how {len(before.pairs)} pairs of memories stand to each other."
    return Report(job="judge", owner=this.owner, text=text)


@job("judge", preview=preview)
def judge(runtime: Runtime, this: Job) -> Report:
    """Ask how pairs of memories stand to each other that are alike: a model, or where none is set the learnt judge."""
    if not anybody_judges(runtime):
        return _skipped(this, "no model is set for the role judge, and no embedder, whose judge could be asked")
    with runtime.store.view() as view:
        before = docket(runtime, view, this.owner)
    if not before.pairs and not before.stale:
        return Report(job="judge", owner=this.owner, text="There is nothing to judge.")
    verdicts: Judged | None = None
    version, problem = "", ""
    if before.pairs and model_judges(runtime):
        question = runtime.prompt("judge").question(pairs=before.text)
        answer = ask(runtime, this.owner, question, job="judge")
        version = question.version
        if isinstance(answer, OverBudget) and runtime.judge is None:
            return _skipped(this, answer.reason)
        if isinstance(answer, Failed):
            return Report(job="judge", owner=this.owner, status="failed", text=f"No verdicts: {answer.reason}")
        verdicts = answer.value if isinstance(answer, Value) else None
        problem = "" if verdicts and verdicts.verdicts else " The model gave no verdicts."
    return _written(runtime, this, before, verdicts, (version, problem))


def _written(runtime: Runtime, this: Job, before: Docket, verdicts: Judged | None, told: tuple[str, str]) -> Report:
    """Write what the verdicts come to; who was changed meanwhile is judged the next time."""
    version, problem = told
    with runtime.store.view() as view:
        done = applied(runtime, view, before, verdicts, version)
    now = runtime.now()
    again = (Enqueue("judge", now),) if before.more and done.counts else ()
    try:
        runtime.store.commit(
            Write(
                owner=this.owner,
                at=now,
                node="judge",
                changes=(*done.changes, *again, *tended(runtime, this.owner, done.changes)),
                expect=(Leased(this.name, this.key, this.lease_token), *done.expect),
                actor="judge",
                run=this.lease_token,
            )
        )
    except Conflict as error:
        return Report(job="judge", owner=this.owner, status="failed", text=f"Judged in vain: {error}.")
    waits = done.open or (before.more and not done.counts)
    return replace(_report(this, before, done, problem), again=now + LATER if waits else None)


def _report(this: Job, before: Docket, done: Applied, problem: str) -> Report:
    counts = done.counts or {}
    parts = [f"{many} {_TOLD[name]}" for name, many in sorted(counts.items())]
    text = f"Judged {sum(counts.values())} of {len(before.pairs)} pairs: {', '.join(parts) or 'none'}.{problem}"
    text += f" {done.open} without a verdict: asked again later." if done.open else ""
    changed = sum(many for name, many in counts.items() if name not in _STANDING)
    return Report(job="judge", owner=this.owner, changed=changed, text=text, numbers=counts, steps=done.steps)


def _skipped(this: Job, reason: str) -> Report:
    return Report(job="judge", owner=this.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}.")
