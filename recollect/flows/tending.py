"""What memories that were just written will need later: jobs that look after them, each at its next time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from recollect.flows.naming import anybody
from recollect.flows.near import RELATED_KINDS
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
    for change in changes:
        if isinstance(change, Put):
            names.update(_of(runtime, change.memory))
        elif isinstance(change, Patch) and not _TURNS.isdisjoint(change.values):
            names.update(LIFE)
            if "state" in change.values:
                names.add("relate")
    now, policy = runtime.now(), runtime.settings.jobs
    times = {name: next_time(owner, name, now, policy) for name in sorted(names)}
    return tuple(Enqueue(name, at) for name, at in times.items() if at is not None)


def reread(runtime: Runtime, owner: str, now: datetime) -> tuple[Enqueue, ...]:
    """Let a message be read again for names at night, if anybody is there who can."""
    at = next_time(owner, "enrich", now, runtime.settings.jobs) if anybody(runtime) else None
    return () if at is None else (Enqueue("enrich", at),)


def _of(runtime: Runtime, memory: Memory) -> Iterator[str]:
    """Give the jobs that must look at a new memory."""
    if memory.state != "active":
        return
    if memory.kind in RELATED_KINDS:
        yield "relate"
    if memory.kind == "fact" and anybody(runtime):
        yield "enrich"
    if memory.kind != "episode" and not protected(memory, runtime.settings.salience):
        yield from LIFE
