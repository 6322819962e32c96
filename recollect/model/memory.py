"""Memory, the one noun everything remembered is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from recollect.model.values import dataclass


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Something remembered: of a kind, in a tier, in a state, belonging to one owner.

    `importance` says how much it matters (1 to 10, None for raw messages), `confidence` how sure it is
    (0 to 1), `trust` how far its origin is believed (0 to 1). Stored values are the ones given; what
    time does to them is computed by `recollect.rules.life.salience` when it is asked for.
    """

    owner: str
    id: str
    kind: str
    content: str
    created_at: datetime
    updated_at: datetime
    event_time: datetime
    valid_from: datetime
    tier: str = "short"
    state: str = "active"
    agent: str = ""
    session: str = ""
    actor: str = ""
    role: str = ""
    source: str = "session"
    trust: float = 1.0
    category: str = "general"
    topic: str = ""
    key: str = ""
    project: str = ""
    archive: str = ""
    """The archive file that holds its whole text; empty while it stands here."""
    importance: int | None = None
    confidence: float = 1.0
    decay_rate: float = 0.0
    pinned: bool = False
    access_count: int = 0
    last_accessed: datetime | None = None
    valid_until: datetime | None = None
    purge_at: datetime | None = None
    version: int = 1
    tags: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)


COVERS, OUTDATED = "covers", "outdated_by"
"""The links from a claim to the note that says so in its speaker's words, and from a memory to the newer one that may
have taken its place: both stand."""


@dataclass(frozen=True, slots=True)
class Link:
    """A directed, typed edge between two memories, or from a memory to an entity."""

    from_id: str
    to_id: str
    type: str
    strength: float
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation of an owner with an agent."""

    id: str
    agent: str
    first_seen: datetime
    last_seen: datetime
    consolidated_upto: int
    """The number of the last message that was worked through; in an export, its place among the memories."""
    seen_rev: int
    messages: int = 0
    """How many messages it holds; counted where sessions are listed for people."""
    consolidated: int = 0
    """How many of them were worked through; the session is open while there are more."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A memory that waits: why, until when, and what it would take the place of."""

    memory: Memory
    """In state `proposed`, for the owner's word, or `quarantined`, for want of evidence."""
    reason: str
    expires: datetime | None
    replaces: tuple[str, ...] = ()
    """The ids of the memories that stand now."""
