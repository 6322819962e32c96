"""Shredding: what was erased or purged leaves the files of the archive, too."""

from __future__ import annotations

from recollect.flows.life.shelves import Shredded, shred
from recollect.jobs.registry import job
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report:
    """Say that it would look into the files; how many texts go shows only then."""
    return Report(job="shred", changed=int(bool(_owner(this))), text="Would take what is gone out of the archive.")


@job("shred", preview=preview, system=True)
def shredding(runtime: Runtime, this: Job) -> Report:
    """Take the texts of memories that were erased or purged out of the files of the archive."""
    done = shred(runtime, _owner(this)) if _owner(this) else Shredded()
    if done.problems:
        raise_on = "; ".join(done.problems)
        return Report(job="shred", status="failed", text=f"Erased text may be left in the archive: {raise_on}")
    text = f"Took {done.texts} texts out of the archive."
    return Report(job="shred", changed=int(bool(_owner(this))), text=text, numbers={"texts": done.texts})


def _owner(this: Job) -> str:
    """Give whose files it is for: whoever removes memories leaves a row that says so."""
    return str(this.payload.get("owner", ""))
