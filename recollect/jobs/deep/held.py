"""What a held job writes before its end: only while it has its lease, and to be undone with its run."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import Conflict
from recollect.model.change import Change, Write
from recollect.model.expectation import Expectation, Leased
from recollect.model.job import Job
from recollect.model.receipt import Receipt
from recollect.runtime import Runtime
from recollect.store.base import Queue


def write(runtime: Runtime, this: Job, changes: Sequence[Change], expect: Sequence[Expectation]) -> None:
    """Commit changes of a run, if there are any."""
    if changes:
        runtime.store.commit(held_write(runtime, this, changes, expect))


def held_write(runtime: Runtime, this: Job, changes: Sequence[Change], expect: Sequence[Expectation]) -> Write:
    """Give what writes changes of a run."""
    return Write(
        owner=this.owner, at=runtime.now(), node=this.name, changes=tuple(changes), actor=this.name,
        expect=(Leased(this.name, this.key, this.lease_token), *expect), run=this.lease_token,
        receipt=Receipt(outcome="stored", op="none"),
    )  # fmt: skip


def still_held(view: Queue, this: Job) -> None:
    """Raise `Conflict` where the lease was lost: whoever has it now does the work."""
    row = view.job(this.owner, this.name, this.key)
    if row is None or row.lease_token != this.lease_token:
        raise Conflict(f"the lease of job {this.name} was lost")
