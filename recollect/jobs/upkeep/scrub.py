"""Scrubbing: erased text that a reader kept alive in the files is driven out once the reader is gone."""

from __future__ import annotations

from recollect.jobs.registry import job
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report:
    """Say that it would scrub; whether a reader is in the way shows only then."""
    return Report(job="scrub", changed=_promised(this), text="Would drive erased text out of the files.")


@job("scrub", preview=preview, system=True)
def scrub(runtime: Runtime, this: Job) -> Report:
    """Drive erased text out of the files of the database."""
    if runtime.store.scrub():
        return Report(job="scrub", changed=_promised(this), text="Scrubbed: no erased text is left in the files.")
    reason = "another process is reading an older state of the database; it will be tried again"
    return Report(job="scrub", status="skipped", skipped=reason, text=f"Skipped: {reason}.")


def _promised(this: Job) -> int:
    """Count what waits for it: whoever removes text leaves a row with a key; by name it runs without one, too."""
    return int(bool(this.key))
