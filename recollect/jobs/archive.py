"""Archiving: the texts of what matters least leave the database of an owner who has very much."""

from __future__ import annotations

from recollect.errors import Conflict
from recollect.flows.life.archive import Chosen, chosen, move_out
from recollect.flows.life.crossings import again
from recollect.flows.life.shelves import UNSET, shred
from recollect.jobs.registry import job
from recollect.model.expectation import Leased
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime

TRIES = 3


def look(runtime: Runtime, this: Job) -> Report:
    """Say what a run would move out."""
    if runtime.archive is None:
        return _skipped(this)
    with runtime.store.view() as view:
        return _report(runtime, this, chosen(runtime, view, this.owner))


@job("archive", preview=look)
def archive(runtime: Runtime, this: Job) -> Report:
    """Move the texts of the least important memories beyond the first 5,000 into the archive, verified first."""
    if runtime.archive is None:
        return _skipped(this)
    shred(runtime, this.owner)  # a run that was cut off may have left the text of what was erased since
    for _ in range(TRIES):
        with runtime.store.view() as view:
            found = chosen(runtime, view, this.owner)
        if not found.memories:
            return _report(runtime, this, found)
        try:
            held = Leased(this.name, this.key, this.lease_token)
            move_out(runtime, this.owner, found, "archive", this.lease_token, held)
            return _report(runtime, this, found)
        except Conflict:  # one of them was used or changed meanwhile: look again
            continue
    raise Conflict("the memories to be archived kept changing: nothing was moved")


def _report(runtime: Runtime, this: Job, found: Chosen) -> Report:
    many = len(found.memories)
    beyond = runtime.settings.archive.beyond
    text = f"There is nothing to archive: {beyond:,} memories of the long tier stay, and what matters most beyond them."
    text = f"Moved the texts of {many} memories into the archive." if many else text
    text += f" {found.more:,} more follow: a run fills one file." if found.more else ""
    return Report(
        job="archive",
        owner=this.owner,
        changed=many,
        text=text,
        numbers={"moved": many, "waiting": found.more},
        steps=tuple(f"{one.id}: {found.why[one.id]}" for one in found.memories),
        again=again(runtime, this.owner, "archive", more=bool(found.more), later=found.later),
    )


def _skipped(this: Job) -> Report:
    return Report(job="archive", owner=this.owner, status="skipped", skipped=UNSET, text=f"Skipped: {UNSET}.")
