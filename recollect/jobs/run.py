"""One run of one job: planned and committed at once, or under a lease; what fails comes back later."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.errors import Closed, Conflict, RecollectError, Unavailable
from recollect.flows.noting import ended
from recollect.jobs.beat import beating
from recollect.jobs.registry import Task
from recollect.model.change import Enqueue, Finish, Lease, Settle, Write
from recollect.model.clock import LATEST
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.model.values import dataclass
from recollect.rules.life.schedule import next_time, wait_after, wait_again
from recollect.runtime import Runtime
from recollect.store.base import Store, View
from recollect.store.sql.apply import QUIET

TRIES = 3
"""How often a plan is made again when somebody wrote in between."""


def run(runtime: Runtime, task: Task, job: Job, *, force: bool) -> Report | None:
    """Run a job if it is still to be run; None when somebody else has it or has done it."""
    report = (_planned if task.plan else _held)(runtime, task, job, force=force)
    if report is not None:
        ended(runtime, replace(report, owner=job.owner))
    return report


def rehearsed(runtime: Runtime, jobs: Sequence[tuple[Task, Job]], *, force: bool) -> list[Report | None]:
    """Say what runs of one owner's jobs would do, one after the other, and change nothing."""
    runtime.store.flush()

    def act(store: Store) -> list[Report | None]:
        dry = replace(runtime, store=store)
        return [_rehearsed(dry, task, job, force=force) for task, job in jobs]

    return runtime.store.rehearse(act)


def _rehearsed(dry: Runtime, task: Task, job: Job, *, force: bool) -> Report | None:
    if task.plan:
        report = _planned(dry, task, job, force=force)
    else:
        assert task.preview is not None, f"the job {task.name} has no preview"
        report = task.preview(dry, job) or _held(dry, task, job, force=force, rehearsed=True)
    return replace(report, run="") if report else None


def run_together(runtime: Runtime, jobs: Sequence[tuple[Task, Job]]) -> list[Report | None]:
    """Run planned jobs of different owners: one look at all of them, and their commits handed in at once."""
    runtime.store.flush()
    with runtime.store.view() as view:
        drafts = [_drafted(runtime, view, task, job, force=False) for task, job in jobs]
    answers = iter(runtime.store.commit_all([one.write for one in drafts if isinstance(one, _Draft) and one.write]))
    reports: list[Report | None] = []
    for (task, job), draft in zip(jobs, drafts, strict=True):
        if not isinstance(draft, _Draft):
            reports.append(draft)
            continue
        answer = next(answers) if draft.write else None
        if isinstance(answer, Unavailable | Closed):
            raise answer
        if isinstance(answer, Conflict):  # somebody got in between: look again, alone
            reports.append(_planned(runtime, task, job, force=False))
        elif isinstance(answer, RecollectError):
            reports.append(_failed(runtime, job, draft.row, answer))
        else:
            reports.append(draft.report)
    for report in reports:
        if report is not None:
            ended(runtime, report)
    return reports


@dataclass(frozen=True, slots=True)
class _Draft:
    """A run that was planned: the row it is for, its report, and the commit that carries it out, if there is any."""

    row: Job | None
    report: Report
    write: Write | None


def _drafted(runtime: Runtime, view: View, task: Task, job: Job, *, force: bool) -> _Draft | Report | None:
    """Plan a run; the report of a failure where planning fails, None when it is not to be run any more."""
    assert task.plan is not None
    row = view.job(job.owner, job.name, job.key)
    if not force and (row is None or row.due_at != job.due_at):
        return None
    try:
        plan = task.plan(runtime, view, row or job)
    except Exception as error:
        return _failed(runtime, job, row, error)
    name = runtime.new_run()
    told = any(not isinstance(change, QUIET) for change in plan.changes)  # only what the journal tells can be undone
    report = replace(plan.report, run=name if told else "")
    changes = (*plan.changes, *_settled(runtime, job, row, report, view.counters(job.owner).rev))
    write = Write(
        owner=job.owner,
        at=runtime.now(),
        node=task.name,
        changes=changes,
        expect=plan.expect,
        actor=task.name,
        run=name,
    )
    return _Draft(row, report, write if changes else None)


def _planned(runtime: Runtime, task: Task, job: Job, *, force: bool) -> Report | None:
    """Look, and commit what follows from it with the end of the run."""
    runtime.store.flush()  # what was used a moment ago is not forgotten now
    for _ in range(TRIES):
        with runtime.store.view() as view:
            draft = _drafted(runtime, view, task, job, force=force)
        if not isinstance(draft, _Draft):
            return draft
        try:
            if draft.write:
                runtime.store.commit(draft.write)
            return draft.report
        except Conflict:
            continue
        except (Unavailable, Closed):
            raise
        except RecollectError as error:
            return _failed(runtime, job, draft.row, error)
    return None


def _settled(
    runtime: Runtime, job: Job, row: Job | None, report: Report, rev: int | None = None
) -> tuple[Settle | Enqueue, ...]:
    """End a run: its row goes or waits for its next time; a run that was named has none, and leaves one if it must."""
    if row is None:
        return (Enqueue(job.name, report.again, job.key),) if report.again else ()
    again, attempts = next_run(runtime, row, report, row.attempts + 1)
    meanwhile = None
    if report.status == "ok" and rev is not None:
        policy, now = runtime.settings.jobs, runtime.now()
        meanwhile = next_time(row.owner, row.name, now, policy) or now + wait_after(1, policy)
    return (Settle(row.name, row.key, row.due_at, report.to_json(), again, attempts, rev, meanwhile),)


def _failed(runtime: Runtime, job: Job, row: Job | None, error: Exception) -> Report:
    report = _complaint(job, error)
    if row is not None:
        changes = _settled(runtime, job, row, report)
        with suppress(Conflict):  # somebody else has it now
            runtime.store.commit(Write(owner=job.owner, at=runtime.now(), node="jobs", changes=changes))
    return report


def _held(runtime: Runtime, task: Task, job: Job, *, force: bool, rehearsed: bool = False) -> Report | None:
    """Take the job, if nobody else has, and run it; its effects check the lease in their own commits."""
    assert task.body is not None
    with runtime.store.view() as view:
        waited = view.job(job.owner, job.name, job.key) is not None
    begun = runtime.now()
    held = _taken(runtime, job, force=force)
    if held is None:
        return None
    if job.attempts >= runtime.settings.jobs.attempts and not force:
        # A job that fails is put aside when it does; this one never came so far.
        report = _complaint(job, RuntimeError(f"whoever ran it died, {job.attempts} times: it is put aside"))
    else:
        try:
            with nullcontext() if rehearsed else beating(runtime, held):
                report = task.body(runtime, held)
        except Exception as error:
            report = _complaint(job, error)
    with runtime.store.view() as view:  # only what the journal tells can be undone
        told = view.journal(job.owner, [held.lease_token], limit=1)
    report = replace(report, run=held.lease_token if told else "")
    again, attempts = next_run(runtime, job, report, held.attempts)
    if report.status == "skipped" and not waited:  # named, it could not run: nobody asked for another time
        again = report.again
    # Asked for while it ran, not for now: that was for its next time.
    meanwhile = next_time(job.owner, job.name, begun, runtime.settings.jobs)
    done = Finish(job.name, job.key, held.lease_token, report.to_json(), again, attempts, meanwhile)
    try:
        runtime.store.commit(Write(owner=job.owner, at=runtime.now(), node="jobs", changes=(done,)))
    except Conflict:
        return replace(report, status="failed", text=f"the lease was lost while running; {report.text}")
    return report


def _taken(runtime: Runtime, job: Job, *, force: bool) -> Job | None:
    """Take the lease of a job; None when somebody else has it, or another job of its owner runs."""
    now, token = runtime.now(), runtime.new_run()
    until = now + timedelta(seconds=runtime.settings.jobs.lease_seconds)
    taken = Lease(job.name, job.key, token, until, force, made=force)
    try:
        runtime.store.commit(Write(owner=job.owner, at=now, node="jobs", changes=(taken,)))
    except Conflict:
        return None
    return replace(job, lease_token=token, lease_until=until, attempts=job.attempts + 1)


def next_run(runtime: Runtime, job: Job, report: Report, attempts: int) -> tuple[datetime | None, int]:
    """Give when a job runs next, and how many failures in a row it has behind it by then.

    What went well comes back when it asks to. What was skipped waits for the job's time of day; where it has none, ever
    longer. What failed waits ever longer, at least as long as it asks to, and after too many failures lies aside, with
    its last report, until somebody runs it or new work comes.
    """
    policy, now = runtime.settings.jobs, runtime.now()
    if report.status == "ok":
        return report.again, 0
    if report.status == "skipped":
        return report.again or next_time(job.owner, job.name, now, policy) or now + wait_again(job, policy), 0
    if attempts >= policy.attempts:
        return LATEST, attempts
    return max(now + wait_after(attempts, policy), report.again or now), attempts


def _complaint(job: Job, error: Exception) -> Report:
    return Report(job=job.name, owner=job.owner, status="failed", text=f"{type(error).__name__}: {error}")
