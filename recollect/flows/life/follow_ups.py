"""What memories that were just written will need later: jobs that look after them, each at its next time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from recollect.flows.find.neighbours import RELATED_KINDS
from recollect.flows.life.crossings import life_of
from recollect.flows.people.naming import anybody
from recollect.model.change import Change, Enqueue, Patch, Put, Remove
from recollect.model.memory import Memory
from recollect.rules.life.archiving import ArchivePolicy
from recollect.rules.life.lifecycle import MS
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime

READ_KINDS = ("fact", "episode")
"""The kinds that are read again for names."""
LIFE = ("age", "forget", "ttl")
"""The jobs that move memories on, or put them out of sight."""
THOUGHT = ("reflect", "infer", "merge", "portray", "curate")
"""The jobs that look back on what was learnt, where there is a model."""
RESTING = ("infer", "portray", "curate")
"""Those of them that take away what rests on something gone."""
_TURNS = frozenset(("state", "tier", "pinned", "importance", "confidence", "decay_rate"))
"""The columns whose change can bring a memory under one of these jobs again."""


def tended(runtime: Runtime, owner: str, changes: Iterable[Change], now: datetime | None = None) -> tuple[Enqueue, ...]:
    """Give the jobs that must look at this owner because of these changes.

    Each runs once, at its first time from the moment on that something can have happened to a memory, and then says
    itself when it must look again: an owner nobody writes to sleeps.
    """
    wanted: dict[str, datetime] = {}
    now, days = now or runtime.now(), runtime.settings.record.journal_days
    for change in changes:
        if days:  # the journal's lines of it are not kept for ever
            wanted["trim"] = now + timedelta(days=days)
        for name, moment in _moments(runtime, change, now + MS).items():
            wanted[name] = min(moment, wanted.get(name, moment))
    times = {
        name: next_time(owner, name, moment - MS, runtime.settings.jobs) for name, moment in sorted(wanted.items())
    }
    return tuple(Enqueue(name, at) for name, at in times.items() if at is not None)


def awaited(runtime: Runtime, owner: str, name: str) -> tuple[Enqueue, ...]:
    """Give a job of an owner at its next time; nothing where it has none."""
    at = next_time(owner, name, runtime.now(), runtime.settings.jobs)
    return (Enqueue(name, at),) if at is not None else ()


def _moments(runtime: Runtime, change: Change, soon: datetime) -> dict[str, datetime]:
    """Give from which moment on a job has something to see of a change; `soon` is the first there is."""
    if isinstance(change, Put):
        return _of(runtime, change.memory, soon) if change.memory.state == "active" else {}
    if isinstance(change, Remove) and runtime.llm is not None:
        return dict.fromkeys(RESTING, soon)
    if not isinstance(change, Patch):
        return {}
    related = {"relate": soon} if "state" in change.values else {}
    if change.values.get("state", "active") == "active":
        related |= {"archive": soon} if change.values.get("tier") == "long" and runtime.settings.archive.url else {}
        return related if _TURNS.isdisjoint(change.values) else related | dict.fromkeys(LIFE, soon)
    if change.values["state"] == "deleted" and runtime.llm is not None:  # what was inferred from it goes, too
        related |= dict.fromkeys(RESTING, soon)
    gone = change.values.get("purge_at")
    return related | ({"purge": gone} if change.values["state"] == "deleted" and gone is not None else {})


def _of(runtime: Runtime, memory: Memory, soon: datetime) -> dict[str, datetime]:
    """Give from which moment on each job has something to see of a new memory."""
    found: dict[str, datetime | None] = {
        "relate": soon if memory.kind in RELATED_KINDS else None,
        "enrich": soon if memory.kind in READ_KINDS and anybody(runtime) else None,
    }
    if memory.kind == "fact" and runtime.llm is not None:
        found |= dict.fromkeys(THOUGHT, soon)
    if memory.kind == "document" and runtime.llm is not None:  # it may be the first of a workspace
        found["curate"] = soon
    if runtime.settings.archive.url:
        found["archive"] = _archived_from(runtime.settings.archive, memory, soon)
    life = life_of(runtime)
    if life.ends(memory.kind) and not life.kept(memory):
        found["age"] = soon if memory.tier == "short" else None  # it looks at how many there are, too
        found |= {"forget": life.forgotten_at(memory), "ttl": life.expires_at(memory)}
    return {name: moment for name, moment in found.items() if moment is not None}


def _archived_from(policy: ArchivePolicy, memory: Memory, soon: datetime) -> datetime | None:
    """Give from which moment on a new memory may have to leave for the archive; None when it need not."""
    if memory.kind != "episode":
        return soon if memory.tier == "long" else None
    return memory.created_at + timedelta(days=policy.messages_after_days) if policy.messages_after_days else None
