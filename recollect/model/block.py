"""A core block: a text with a label that always stands in the prompt."""

from __future__ import annotations

from datetime import datetime

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """One block as it stands, or as it stood at one of its versions."""

    label: str
    value: str
    description: str = ""
    limit: int = 20_000
    """How many characters it may hold."""
    read_only: bool = False
    """Whether edits are refused."""
    version: int = 0
    """How many edits made it; 0 for a default nobody has written yet."""
    own: bool = False
    """Whether it is the agent's own; a shared one is seen by all of the owner's agents."""
    hash: str = ""
    """Names exactly this value: an edit can be bound to it."""
    id: str = ""
    updated_at: datetime | None = None
