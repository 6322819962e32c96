"""Purging: what has reached its date goes for good. Its run cannot be undone."""

from __future__ import annotations

from recollect.errors import Conflict
from recollect.flows.admin.erase import SCRUB_AFTER, scrub_later
from recollect.flows.life.crossings import Crossed, again, crossed, followed
from recollect.flows.life.follow_ups import tended
from recollect.flows.life.shelves import shred_later
from recollect.jobs.registry import job
from recollect.model.change import Remove, Unlog, Write
from recollect.model.clock import EPOCH, iso
from recollect.model.expectation import Leased, Version
from recollect.model.filter import Filter
from recollect.model.job import Job
from recollect.model.kinds import KINDS
from recollect.model.receipt import Report
from recollect.runtime import Runtime

TRIES = 3


def look(runtime: Runtime, this: Job) -> Report:
    """Say what a run would remove."""
    return _report(runtime, this, _doomed(runtime, this.owner))


@job("purge", preview=look)
def purge(runtime: Runtime, this: Job) -> Report:
    """Remove for good what was put out of sight with a date that has passed; this cannot be undone."""
    for _ in range(TRIES):
        found = _doomed(runtime, this.owner)
        if not found.due:
            break
        try:
            _remove(runtime, this, found)
            break
        except Conflict:  # one was restored meanwhile: look again
            continue
    else:
        raise Conflict("the memories to be purged kept changing: nothing was removed")
    return _report(runtime, this, found)


def _doomed(runtime: Runtime, owner: str) -> Crossed:
    where = Filter(owner=owner, now=EPOCH, states=("deleted",), kinds=tuple(KINDS))
    with runtime.store.view() as view:
        return crossed(view, where, lambda memory: memory.purge_at, runtime.now())


def _remove(runtime: Runtime, this: Job, found: Crossed) -> None:
    scrub_later(runtime)
    shred_later(runtime, this.owner, SCRUB_AFTER)
    gone = (Remove(tuple(sorted(memory.id for memory in found.due)), "purged"), Unlog())
    runtime.store.commit(
        Write(
            owner=this.owner,
            at=runtime.now(),
            node="purge",
            changes=(*gone, *tended(runtime, this.owner, gone)),
            expect=(
                Leased(this.name, this.key, this.lease_token),
                *(Version(memory.id, memory.version) for memory in found.due),
            ),
            actor="purge",
            run=this.lease_token,
        )
    )


def _report(runtime: Runtime, this: Job, found: Crossed) -> Report:
    return Report(
        job="purge",
        owner=this.owner,
        changed=len(found.due),
        text=f"Purged {len(found.due)} memories for good; this cannot be undone.{followed(found.more)}",
        numbers={"purged": len(found.due), "waiting": found.more},
        steps=tuple(f"{memory.id}: its date was {iso(memory.purge_at)}" for memory in found.due if memory.purge_at),
        again=again(runtime, this.owner, "purge", more=bool(found.more), later=found.later),
    )
