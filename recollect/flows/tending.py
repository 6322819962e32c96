"""What memories that were just written will need later: jobs that look after them, each at its next time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recollect.model.change import Change, Enqueue, Patch, Put
from recollect.model.memory import Memory
from recollect.rules.lifecycle import FADING, MS
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
    now, policy = runtime.now(), runtime.settings.jobs
    wanted: dict[str, datetime] = {}
    for change in changes:
        if isinstance(change, Put):
            wanted.update(dict.fromkeys(_of(runtime, change.memory), now))
        elif isinstance(change, Patch) and change.values.get("state", "active") != "active":
            if change.values["state"] == "deleted" and (gone := change.values.get("purge_at")) is not None:
                wanted["purge"] = min(gone - MS, wanted.get("purge", gone))
        elif isinstance(change, Patch) and not _TURNS.isdisjoint(change.values):
            wanted.update(dict.fromkeys(LIFE, now))
    times = {name: next_time(owner, name, after, policy) for name, after in sorted(wanted.items())}
    return tuple(Enqueue(name, at) for name, at in times.items() if at is not None)


def _of(runtime: Runtime, memory: Memory) -> tuple[str, ...]:
    settings = runtime.settings
    if memory.state != "active":
        return ()
    if memory.kind in FADING:
        return () if protected(memory, settings.salience) else LIFE
    # What does not fade by nature expires only by a rule that names its kind.
    return ("ttl",) if any(rule.kind == memory.kind and rule.expire_after for rule in settings.retention.rules) else ()
