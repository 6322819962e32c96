"""Running what is due once, or what is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.errors import NotFound
from recollect.flows.admin.queue import stopped
from recollect.flows.life.replan import replan
from recollect.jobs.registry import Task, tasks
from recollect.jobs.run import rehearsed, run
from recollect.model.clock import checked_time
from recollect.model.job import Job
from recollect.model.owner import SYSTEM, split_owner
from recollect.model.receipt import Report
from recollect.rules.gate import checks
from recollect.rules.life.schedule import standing, turned_off
from recollect.runtime import Runtime
from recollect.store.base import Counters

MOST = 10_000
"""How many due jobs are looked for at first; when there are more, all of them are."""


def run_jobs(
    runtime: Runtime, names: Sequence[str] | None, now: datetime | None, *, dry: bool = False, owner: str = ""
) -> list[Report]:
    """Run what is due; a named job runs at once for every owner, due or not. Gives a report per run.

    With an owner, only its jobs are run. A dry run changes nothing: its reports say what a run would do.
    """
    known = tasks()
    chosen = None if names is None else checks.several("job", names, tuple(known))
    if now is not None:
        moment = checked_time("now", now)
        runtime = replace(runtime, clock=lambda: moment)
    if chosen is None and not dry:
        replan(runtime)
    with runtime.store.view() as view:
        held = stopped(runtime, view)
    if chosen is None:
        todo = _due(runtime, owner, [name for name in known if name not in held])
    else:
        todo = [job for name in chosen for job in _named(runtime, known[name], owner)]
    force = chosen is not None
    if dry:
        reports = _rehearsed(runtime, todo, force=force)
    else:
        reports = [(job, run(runtime, known[job.name], job, force=force)) for job in todo]
    told = [(job, report or (_elsewhere(job, known[job.name]) if force else None)) for job, report in reports]
    off = turned_off(runtime.settings.jobs)
    return [
        _told(report, "turned off" if job.name in off else "paused") if job.name in held else report
        for job, report in told
        if report is not None
    ]


def _elsewhere(job: Job, task: Task) -> Report:
    """Tell why a job that was named did not run."""
    reason = "others kept changing what it is about" if task.plan else "another worker has it"
    return Report(job=job.name, owner=job.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}.")


def _rehearsed(runtime: Runtime, todo: Sequence[Job], *, force: bool) -> list[tuple[Job, Report | None]]:
    """Rehearse each owner's jobs, one after the other as they would run; give the reports in the order of the jobs."""
    known, several = tasks(), dict[str, list[Job]]()
    for job in todo:
        several.setdefault(job.owner, []).append(job)
    told = {
        (job.owner, job.name, job.key): report
        for mine in several.values()
        for job, report in zip(
            mine, rehearsed(runtime, [(known[job.name], job) for job in mine], force=force), strict=True
        )
    }
    return [(job, told[job.owner, job.name, job.key]) for job in todo]


def _told(report: Report, how: str) -> Report:
    if report.status == "skipped":
        return report
    return replace(report, text=f"{report.text} It is {how}, and ran because it was named.")


def _due(runtime: Runtime, owner: str, names: Sequence[str]) -> list[Job]:
    now = runtime.now()
    with runtime.store.view() as view:
        if not names:
            return []
        if not owner:
            most = MOST
            while len(found := view.due(now, names, limit=most)) == most:
                most *= 4
            return found
        mine = [job for job in view.jobs(owner) if job.name in names and standing(job, now, ()) == "due"]
        return sorted(mine, key=lambda job: job.due_at)


def _named(runtime: Runtime, task: Task, owner: str) -> list[Job]:
    """Give the jobs of this name, waiting or not: one for every owner that has none waiting."""
    with runtime.store.view() as view:
        if owner and not task.system and view.counters(owner) == Counters():
            raise NotFound(f"there is no user {split_owner(owner)[1] or owner!r} here: check the name and the tenant")
        owners = [owner] if owner else view.owners()
        owners = [SYSTEM] if task.system else owners
        rows = [job for owner in owners for job in view.jobs(owner) if job.name == task.name]
    rows = [job for job in rows if not (task.whole and job.key)]  # what keys name is done by the run without one
    waiting = {job.owner for job in rows}
    now = runtime.now()
    fresh = [Job(owner, task.name, "", now, "", None, 0, {}, None, None) for owner in owners if owner not in waiting]
    return sorted((*rows, *fresh), key=lambda job: (job.owner, job.key))
