"""Ageing: what nobody used for a while leaves the short tier, and so does what crowds it."""

from __future__ import annotations

from dataclasses import replace

from recollect.errors import Conflict, InvalidInput
from recollect.flows.life.crossings import again, life_of
from recollect.jobs.registry import Task, planned
from recollect.jobs.run import rehearsed, run
from recollect.model.change import Patch
from recollect.model.clock import EPOCH, iso
from recollect.model.expectation import Version
from recollect.model.filter import Filter
from recollect.model.job import Job, Plan
from recollect.model.kinds import KINDS
from recollect.model.receipt import Report
from recollect.rules.gate import checks
from recollect.rules.life.salience import last_use
from recollect.runtime import Runtime
from recollect.store.base import Reading, View

ASKED = "asked"
"""The key of a run with numbers of its own, which are its payload: it leaves the waiting run as it is."""
MOST = 10_000
LONGEST = 24 * 36_500.0


@planned("age")
def age(runtime: Runtime, view: Reading, this: Job) -> Plan:
    """Move memories unused for 48 hours from the short to the long tier, least important first."""
    life = life_of(runtime)
    policy = replace(life.lifecycle, **this.payload)
    # What is pinned or important stays anyway; messages are never there, and most of what there is are messages.
    unprotected, kinds = life.salience.protected_importance - 1, tuple(kind for kind in KINDS if kind != "episode")
    where = Filter(owner=this.owner, now=EPOCH, kinds=kinds, tiers=("short",), pinned=False, importance_max=unprotected)
    found = replace(life, lifecycle=policy).ageing(view.lives(where), runtime.now())
    text = f"Aged {len(found.old) + len(found.young)} memories from short-term to long-term"
    text += f" (threshold: {policy.age_after_hours:g}h)."
    if found.young:
        text += f" {len(found.young)} of them were younger: the tier held more than {policy.short_most}."
    text += " More follow: a run moves only so many." if found.more else ""
    chosen = [
        *((memory, f"not used since {iso(last_use(memory))}") for memory in found.old),
        *((memory, f"the tier held more than {policy.short_most}") for memory in found.young),
    ]
    report = Report(
        job="age",
        owner=this.owner,
        changed=len(chosen),
        text=text,
        numbers={"old": len(found.old), "crowded": len(found.young), "stay": found.stay},
        steps=tuple(f"{memory.id}: {why}" for memory, why in chosen),
        again=again(runtime, this.owner, "age", more=found.more, later=found.later),
    )
    return Plan(
        report,
        tuple(Patch(memory.id, {"tier": "long"}, "aged", {"why": why}) for memory, why in chosen),
        tuple(Version(memory.id, memory.version) for memory, _ in chosen),
    )


def at_once(runtime: Runtime, owner: str, after_hours: float | None, most: int | None, *, dry: bool) -> Report:
    """Run ageing for one owner now, with other numbers where they are given; the next run in time is not touched."""
    payload: dict[str, float | int] = {}
    if after_hours is not None:
        if isinstance(after_hours, bool) or not isinstance(after_hours, int | float) or not 0 <= after_hours <= LONGEST:
            raise InvalidInput(f"after_hours is {after_hours!r}: use a number of hours, 0 or more")
        payload["age_after_hours"] = float(after_hours)
    if most is not None:
        payload["age_most"] = checks.whole("most", most, 1, MOST)
    task, this = Task("age", "", plan=_once), Job(owner, "age", ASKED, runtime.now(), "", None, 0, payload, None, None)
    dry = checks.flag("dry", dry)
    report = rehearsed(runtime, [(task, this)], force=True)[0] if dry else run(runtime, task, this, force=True)
    if report is None:
        raise Conflict("others kept changing what was to be moved: nothing was moved, try again")
    return report


def _once(runtime: Runtime, view: View, this: Job) -> Plan:
    """Plan a run nobody asked to come back: the waiting one does that."""
    plan = age(runtime, view, this)
    return replace(plan, report=replace(plan.report, again=None))
