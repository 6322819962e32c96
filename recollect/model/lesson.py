"""How calls of tools ended, and what was learnt from work."""

from __future__ import annotations

from datetime import datetime

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one call of a tool ended. The arguments are known by their digest alone."""

    tool: str
    arguments: str
    success: bool
    at: datetime
    session: str = ""
    kind: str = ""
    """What failures of one kind share; empty for a success."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was learnt from a failure, a correction or praise."""

    id: str
    sort: str
    """`error`, `correction` or `win`."""
    text: str
    """Its fields, a line each."""
    lesson: str
    """What to do next time."""
    tool: str
    count: int
    """How often it was learnt."""
    first: datetime
    last: datetime
    state: str
    """`active`, `archived` or `retired`."""
    reason: str = ""
    """Why it was retired."""
