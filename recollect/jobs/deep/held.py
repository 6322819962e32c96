"""What a held job writes before its end: only while it has its lease, and to be undone with its run."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.change import Change, Write
from recollect.model.expectation import Expectation, Leased
from recollect.model.job import Job
from recollect.runtime import Runtime


def write(runtime: Runtime, this: Job, changes: Sequence[Change], expect: Sequence[Expectation]) -> None:
    """Commit changes of a run, if there are any."""
    if changes:
        held = Leased(this.name, this.key, this.lease_token)
        runtime.store.commit(
            Write(
                owner=this.owner, at=runtime.now(), node=this.name, changes=tuple(changes), expect=(held, *expect),
                actor=this.name, run=this.lease_token,
            )
        )  # fmt: skip
