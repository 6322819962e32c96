"""The queue seen from outside: how jobs stand, which are paused, and those put aside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.flows.admin.wording import WORDS
from recollect.flows.life.cursors import PLACE
from recollect.flows.life.replan import PLAN
from recollect.model.change import IMPORT, Change, Dequeue, Enqueue, Write
from recollect.model.clock import LATEST
from recollect.model.job import Job
from recollect.model.owner import SYSTEM
from recollect.rules.life.schedule import standing, turned_off
from recollect.runtime import Runtime
from recollect.store.base import Queue

PAUSE = "pause"
"""Rows of this name, of the database itself, name in their key a job that is paused."""
_OWN = (PAUSE, IMPORT, PLACE, PLAN, WORDS)
"""Rows that are no jobs."""
MOST = 100_000


def paused(view: Queue) -> frozenset[str]:
    """Give the names of the jobs that are paused."""
    return frozenset(job.key for job in view.jobs(SYSTEM) if job.name == PAUSE)


def stopped(runtime: Runtime, view: Queue) -> frozenset[str]:
    """Give the jobs that no worker runs by itself: those paused, and those whose time is set to empty."""
    return paused(view) | turned_off(runtime.settings.jobs)


def jobs(runtime: Runtime, owner: str | None, limit: int = MOST) -> list[Job]:
    """Give the jobs of an owner, or those of all that are due first, each with how it stands."""
    now = runtime.now()
    with runtime.store.view() as view:
        rows = view.due(LATEST, limit=limit) if owner is None else view.jobs(owner)[:limit]
        return list(_standing(rows, now, stopped(runtime, view)))


def _standing(rows: Iterable[Job], now: datetime, held: frozenset[str]) -> Iterable[Job]:
    return (replace(row, state=standing(row, now, held)) for row in rows if row.name not in _OWN)


def pause(runtime: Runtime, names: Sequence[str]) -> list[str]:
    """Let no worker run these jobs by itself, until they are resumed; give all that are paused."""
    return _system(runtime, [Enqueue(PAUSE, LATEST, name) for name in names])


def resume(runtime: Runtime, names: Sequence[str]) -> list[str]:
    """Let workers run these jobs again; give those that are still paused."""
    return _system(runtime, [Dequeue(PAUSE, name) for name in names])


def _system(runtime: Runtime, changes: Sequence[Change]) -> list[str]:
    if changes:
        runtime.store.commit(Write(owner=SYSTEM, at=runtime.now(), node="jobs", changes=tuple(changes)))
    with runtime.store.view() as view:
        return sorted(paused(view))


def retry(runtime: Runtime, names: Sequence[str], owner: str | None) -> list[Job]:
    """Make jobs due again that were put aside after too many failures, and give them."""
    now = runtime.now()
    with runtime.store.view() as view:
        rows = view.due(LATEST, tuple(names), MOST, since=LATEST) if owner is None else view.jobs(owner)
        dead = [job for job in _standing(rows, now, frozenset()) if job.state == "dead"]
    chosen = [job for job in dead if not names or job.name in names]
    for job in chosen:
        again = Enqueue(job.name, now, job.key, job.payload)
        runtime.store.commit(Write(owner=job.owner, at=now, node="jobs", changes=(again,)))
    return chosen
