"""What memories that were just written will need later: jobs that look after them, each at its next time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from recollect.model.change import Change, Enqueue, Patch, Put
from recollect.model.memory import Memory
from recollect.rules.salience import protected
from recollect.rules.schedule import next_time
from recollect.runtime import Runtime

LIFE = ("age", "forget", "ttl")
"""The jobs that move memories on, or put them out of sight."""
_TURNS = frozenset(("state", "tier", "pinned", "importance", "confidence", "decay_rate"))
"""The columns whose change can bring a memory under one of these jobs again."""


def tended(runtime: Runtime, owner: str, changes: Iterable[Change]) -> tuple[Enqueue, ...]:
    """Give the jobs that must look at this owner because of these changes.

    Each runs once at its next time and then says itself when it must look again, so an owner nobody writes to sleeps.
    """
    names: set[str] = set()
    some = False
    for change in changes:
        some = True
        if isinstance(change, Put):
            names.update(_of(runtime, change.memory))
        elif isinstance(change, Patch) and not _TURNS.isdisjoint(change.values):
            names.update(LIFE)
    now, policy = runtime.now(), runtime.settings.jobs
    times = {name: next_time(owner, name, now, policy) for name in sorted(names)}
    due = tuple(Enqueue(name, at) for name, at in times.items() if at is not None)
    return (*due, *trimming(runtime, owner)) if some else due


def trimming(runtime: Runtime, owner: str) -> tuple[Enqueue, ...]:
    """Give the job that cuts what is written into the journal now, where lines are not kept for ever."""
    days = runtime.settings.retention.journal_days
    at = next_time(owner, "trim", runtime.now() + timedelta(days=days), runtime.settings.jobs) if days else None
    return () if at is None else (Enqueue("trim", at),)


def _of(runtime: Runtime, memory: Memory) -> tuple[str, ...]:
    if memory.kind == "episode" or memory.state != "active" or protected(memory, runtime.settings.salience):
        return ()
    return LIFE
