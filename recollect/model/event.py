"""Events: what was searched, judged, skipped or failed, how calls of tools ended, and what was learnt from that."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from recollect.model.values import dataclass


class Event(NamedTuple):
    """One thing that happened to an owner without changing what is remembered."""

    owner: str
    node: str
    """Where it happened: a verb, a job, or who was asked."""
    op: str
    """What it was: search, list, classify, skip, run, embed, or for what a model was asked."""
    status: str
    """How it ended: ok, empty, skipped, failed, or what the gate said."""
    session: str = ""
    memory_id: str = ""
    category: str = ""
    sim: float | None = None
    """How near in meaning a search's best hit was."""


USUAL: tuple[str, ...] = ("day", "node", "op", "status")
"""What events are counted by unless something else is asked for."""


@dataclass(frozen=True, slots=True)
class Activity:
    """How often something happened; what was not asked for by name is left empty."""

    count: int
    day: str = ""
    """As ISO date, in UTC."""
    owner: str = ""
    node: str = ""
    op: str = ""
    status: str = ""
    category: str = ""
    sim: float | None = None
    """How near in meaning the best hits of the searches were, on average."""
    compared: int = 0
    """How many of them compared meanings."""


@dataclass(frozen=True, slots=True)
class Old:
    """What has been kept long enough: how much of it, up to which revision or millisecond, and what comes after."""

    count: int = 0
    upto: int = 0
    more: bool = False
    """Whether there is more than was asked for."""
    next_at: int | None = None
    """When the oldest of the rest was written, in milliseconds."""


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
