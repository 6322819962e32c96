"""One message of a conversation, as extraction reads it."""

from __future__ import annotations

from datetime import datetime

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """A message: who said what, and when."""

    id: str
    role: str
    """`user`, `assistant`, `tool`, `system`, or whatever the conversation calls its speakers."""
    actor: str
    """The name of who spoke; may be empty."""
    content: str
    at: datetime
    """When it was said; aware."""
