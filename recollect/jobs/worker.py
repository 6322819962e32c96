"""Running what is due: lease, run, report, finish; a job that fails comes back later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.errors import Conflict
from recollect.jobs.registry import Task, tasks
from recollect.model.change import Enqueue, Finish, Lease, Write
from recollect.model.clock import checked_time
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.rules import checks
from recollect.runtime import Runtime

LEASE = timedelta(minutes=5)
RETRY = timedelta(minutes=1)
SYSTEM = ""


def run_jobs(runtime: Runtime, names: Sequence[str] | None, now: datetime | None) -> list[Report]:
    """Run what is due; a named job runs at once for every owner, due or not. Gives a report per run."""
    known = tasks()
    chosen = None if names is None else checks.several("job", names, tuple(known))
    if now is not None:
        moment = checked_time("now", now)
        runtime = replace(runtime, clock=lambda: moment)
    if chosen is not None:
        return [report for name in chosen for report in _run_named(runtime, known[name])]
    return _run_all(runtime, _due(runtime, known), force=False)


def _due(runtime: Runtime, known: dict[str, Task]) -> list[Job]:
    with runtime.store.view() as view:
        return view.due(runtime.now(), tuple(known), limit=10_000)


def _run_named(runtime: Runtime, task: Task) -> list[Report]:
    with runtime.store.view() as view:
        owners = [SYSTEM] if task.system else view.owners()
        jobs = [job for owner in owners for job in view.jobs(owner) if job.name == task.name]
    waiting = {job.owner for job in jobs if not (task.whole and job.key)}
    now = runtime.now()
    for owner in owners:
        if owner not in waiting:
            runtime.store.commit(Write(owner=owner, at=now, node="jobs", changes=(Enqueue(task.name, now),)))
    with runtime.store.view() as view:
        jobs = [job for owner in owners for job in view.jobs(owner) if job.name == task.name]
    return _run_all(runtime, jobs, force=True)


def _run_all(runtime: Runtime, jobs: Iterable[Job], *, force: bool) -> list[Report]:
    reports = []
    for job in jobs:
        report = _run(runtime, job, force=force)
        if report is not None:
            reports.append(report)
    return reports


def _run(runtime: Runtime, job: Job, *, force: bool) -> Report | None:
    """Take the job, if nobody else has, and run it; its effects check the lease in their own commit."""
    now, token = runtime.now(), runtime.token()
    lease = Lease(job.name, job.key, token, now + LEASE, force)
    try:
        runtime.store.commit(Write(owner=job.owner, at=now, node="jobs", changes=(lease,)))
    except Conflict:
        return None
    held = replace(job, lease_token=token, lease_until=now + LEASE, attempts=job.attempts + 1)
    try:
        report = tasks()[job.name].body(runtime, held)
    except Exception as error:
        report = Report(job=job.name, owner=job.owner, status="failed", text=f"{type(error).__name__}: {error}")
    again = None if report.status == "ok" else now + RETRY * 2 ** min(held.attempts - 1, 10)
    done = Finish(job.name, job.key, token, report.to_json(), again, held.attempts if again else 0)
    try:
        runtime.store.commit(Write(owner=job.owner, at=runtime.now(), node="jobs", changes=(done,)))
    except Conflict:
        return replace(report, status="failed", text=f"the lease was lost while running; {report.text}")
    return report
