"""How far a job has come in an owner's journal: a row beside the job's own, which outlives its runs and failures."""

from __future__ import annotations

from datetime import timedelta

from recollect.model.change import Enqueue
from recollect.model.clock import LATEST
from recollect.store.base import Queue

PLACE = "place"
"""Rows of this name name a job in their key, and in their payload the last revision it has looked at."""
_NEVER = LATEST + timedelta(days=1)


def reached(view: Queue, owner: str, job: str) -> int:
    """Give the last revision a job has looked at; 0 when it has looked at none."""
    row = view.job(owner, PLACE, job)
    return int(row.payload.get("upto", 0)) if row else 0


def reach(job: str, upto: int) -> Enqueue:
    """Give the change that keeps how far a job has come; it goes into the commit of what was found there."""
    return Enqueue(PLACE, _NEVER, job, {"upto": upto})
