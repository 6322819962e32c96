"""Time to live: what matters little and was not used for long goes out of sight, with a date to go for good."""

from __future__ import annotations

from datetime import timedelta

from recollect.flows.life.crossings import again, crossed, followed, life_of, standing
from recollect.flows.life.follow_ups import tended
from recollect.jobs.registry import planned
from recollect.model.change import Patch
from recollect.model.expectation import Version
from recollect.model.job import Job, Plan
from recollect.model.memory import Memory
from recollect.model.receipt import Report
from recollect.rules.life.salience import DAY, last_use
from recollect.runtime import Runtime
from recollect.store.base import Reading


@planned("ttl")
def ttl(runtime: Runtime, view: Reading, this: Job) -> Plan:
    """Put out of sight what was not used for 60 days and matters little; 30 days later it can be purged."""
    now, life = runtime.now(), life_of(runtime)
    found = crossed(view, standing(this.owner, life.mortal), life.expires_at, now)
    purge_at = now + timedelta(days=life.lifecycle.purge_days)

    def why(memory: Memory) -> str:
        weight = "" if memory.importance is None else f", importance {memory.importance}"
        return f"{(now - last_use(memory)) // DAY} days without use{weight}"

    reasons = [(memory, why(memory)) for memory in found.due]
    ends = tuple(
        Patch(memory.id, {"state": "deleted", "purge_at": purge_at}, "expired", {"why": reason})
        for memory, reason in reasons
    )
    text = f"Expired {len(ends)} memories that were not used for long; they can be restored "
    report = Report(
        job="ttl",
        owner=this.owner,
        changed=len(ends),
        text=f"{text}for {life.lifecycle.purge_days:g} days.{followed(found.more)}",
        numbers={"expired": len(ends), "waiting": found.more},
        steps=tuple(f"{memory.id}: {reason}" for memory, reason in reasons),
        again=again(runtime, this.owner, "ttl", more=bool(found.more), later=found.later),
    )
    expect = tuple(Version(memory.id, memory.version) for memory in found.due)
    return Plan(report, (*ends, *tended(runtime, this.owner, ends)), expect)
