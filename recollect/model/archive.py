"""What can be said of the files of an archive."""

from __future__ import annotations

from datetime import datetime

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of an owner's archive."""

    name: str
    made_at: datetime | None
    """When it was written; None where its manifest cannot be read."""
    memories: int
    """How many memories have their text in it now."""
    spare: int = 0
    """How many texts it holds beside that: of memories that were restored, or of a run that was cut off."""
    size: int = 0
    """How many bytes it has."""
    problem: str = ""
    """What is wrong with it; empty when it was read and found whole, or not looked into."""
