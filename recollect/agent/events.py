"""What an agent tells of while it works, for a terminal or a page to show."""

from __future__ import annotations

from typing import TypeAlias

from recollect.flows.window.compact import Compaction
from recollect.model.hit import Context
from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Recalled:
    """Memory was put before the user's message."""

    context: Context


@dataclass(frozen=True, slots=True)
class Piece:
    """The next piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A tool is called."""

    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A tool has answered."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Flagged:
    """A guard stepped in."""

    guard: str
    reason: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What the user said was kept, as it is on record."""

    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """A line about what happens to memory."""

    text: str


@dataclass(frozen=True, slots=True)
class Compacted:
    """The window was full, and what was old in it was summed up."""

    what: Compaction


Event: TypeAlias = Recalled | Piece | Called | Returned | Flagged | Kept | Status | Compacted
