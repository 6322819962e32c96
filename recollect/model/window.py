"""What a model has in sight of one conversation, and the states an agent saves of itself."""

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
