"""Running what is due, or what is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.jobs.registry import Task, tasks
from recollect.jobs.run import run, shown
from recollect.model.clock import checked_time
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.rules import checks
from recollect.runtime import Runtime

SYSTEM = ""
MOST = 10_000


def run_jobs(runtime: Runtime, names: Sequence[str] | None, now: datetime | None, *, dry: bool = False) -> list[Report]:
    """Run what is due; a named job runs at once for every owner, due or not. Gives a report per run.

    A dry run changes nothing: its reports say what a run would do.
    """
    known = tasks()
    chosen = None if names is None else checks.several("job", names, tuple(known))
    if now is not None:
        moment = checked_time("now", now)
        runtime = replace(runtime, clock=lambda: moment)
    if chosen is not None:
        todo = [(known[name], job) for name in chosen for job in _named(runtime, known[name])]
    else:
        with runtime.store.view() as view:
            todo = [(known[job.name], job) for job in view.due(runtime.now(), tuple(known), limit=MOST)]
    if dry:
        return [shown(runtime, task, job) for task, job in todo]
    reports = [run(runtime, task, job, force=chosen is not None) for task, job in todo]
    return [report for report in reports if report is not None]


def _named(runtime: Runtime, task: Task) -> list[Job]:
    """Give the jobs of this name, waiting or not: one for every owner that has none waiting."""
    with runtime.store.view() as view:
        owners = [SYSTEM] if task.system else view.owners()
        rows = [job for owner in owners for job in view.jobs(owner) if job.name == task.name]
    rows = [job for job in rows if not (task.whole and job.key)]  # what keys name is done by the run without one
    waiting = {job.owner for job in rows}
    now = runtime.now()
    fresh = [Job(owner, task.name, "", now, "", None, 0, {}, None, None) for owner in owners if owner not in waiting]
    return sorted((*rows, *fresh), key=lambda job: (job.owner, job.key))
