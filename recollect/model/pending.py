"""What waits in the inbox of an owner."""

from __future__ import annotations

from datetime import datetime

from recollect.model.memory import Memory
from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Pending:
    """A memory that waits: why, until when, and what it would take the place of."""

    memory: Memory
    """In state `proposed`, for the owner's word, or `quarantined`, for want of evidence."""
    reason: str
    expires: datetime | None
    replaces: tuple[str, ...] = ()
    """The ids of the memories that stand now."""
