"""What a model has in sight of one conversation, the states an agent saves of itself, and how a workspace stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """What is known of the window of one session."""

    session: str
    agent: str = ""
    seen_rev: int = 0
    """Up to which revision the model was told what changed."""
    messages: tuple[str, ...] | None = None
    """The messages in sight, in order; None while nobody chose, and all of the session's are."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of an agent at one moment of a session."""

    session: str
    ns: str
    id: str
    """Sorts by the time it was saved."""
    parent: str
    data: Any
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Clash:
    """Two changes of one passage: which stands, and which is kept on record beside it."""

    path: str
    reason: str
    kept: str
    """The id of the memory that stands."""
    other: str
    """The id of the one that does not; empty where that side had deleted the passage."""
    at: datetime | None = None
    kept_text: str = ""
    other_text: str = ""


@dataclass(frozen=True, slots=True)
class Synced:
    """What one sync of a folder did."""

    folder: str
    read: tuple[str, ...] = ()
    """Files whose changes by hand were taken into the store."""
    written: tuple[str, ...] = ()
    """Files that were written because the store had changed."""
    removed: tuple[str, ...] = ()
    """Files that were taken away because the store holds nothing of them any more."""
    clashes: tuple[Clash, ...] = ()
    waiting: tuple[str, ...] = ()
    """Files that were being written meanwhile, left for the next time."""
    problems: tuple[str, ...] = ()
    """What could not be read or written, and why."""
    rev: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything was read, written or removed."""
        return bool(self.read or self.written or self.removed)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a folder stands to the store, without changing either."""

    folder: str
    project: str
    adopted: bool
    known: bool
    """Whether it was ever synced."""
    files: int
    passages: int
    edited: tuple[str, ...] = ()
    """Files changed by hand since the last sync."""
    behind: tuple[str, ...] = ()
    """Files the store has changed since."""
    clashes: tuple[Clash, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section found by a search: where it stands, and the line that says most about what was asked."""

    file: str
    heading: str
    snippet: str
    score: float
    id: str
