"""Forgetting: facts nobody used until they became doubtful go out of sight, and can be restored for ever."""

from __future__ import annotations

from recollect.flows.life.crossings import again, crossed, followed, life_of, standing
from recollect.flows.life.follow_ups import tended
from recollect.jobs.registry import planned
from recollect.model.change import Patch
from recollect.model.expectation import Version
from recollect.model.job import Job, Plan
from recollect.model.memory import Memory
from recollect.model.receipt import Report
from recollect.rules.life.salience import DAY, effective_confidence, last_use
from recollect.runtime import Runtime
from recollect.store.base import Reading


@planned("forget")
def forget(runtime: Runtime, view: Reading, this: Job) -> Plan:
    """Put facts out of sight whose effective confidence fell below 0.05, as nobody used them."""
    now, life = runtime.now(), life_of(runtime)
    line = life.lifecycle.forget_below
    found = crossed(view, standing(this.owner, life.lifecycle.forget_kinds), life.forgotten_at, now)

    def why(memory: Memory) -> str:
        sure, days = effective_confidence(memory, now, life.salience), (now - last_use(memory)) // DAY
        return f"confidence {sure:.3f} after {days} days without use, below {line:g}"

    reasons = [(memory, why(memory)) for memory in found.due]
    report = Report(
        job="forget",
        owner=this.owner,
        changed=len(reasons),
        text=f"Forgot {len(reasons)} memories whose confidence fell below {line:g}; restore brings them back."
        f"{followed(found.more)}",
        numbers={"forgotten": len(reasons), "waiting": found.more},
        steps=tuple(f"{memory.id}: {reason}" for memory, reason in reasons),
        again=again(runtime, this.owner, "forget", more=bool(found.more), later=found.later),
    )
    ends = tuple(
        Patch(memory.id, {"state": "deleted", "purge_at": None}, "forgotten", {"why": reason})
        for memory, reason in reasons
    )
    expect = tuple(Version(memory.id, memory.version) for memory in found.due)
    return Plan(report, (*ends, *tended(runtime, this.owner, ends)), expect)
