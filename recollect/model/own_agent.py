"""What an agent that consolidates by itself is answered: plain values, each one contract of its tools."""

from __future__ import annotations

from recollect.model.values import dataclass

PAGE = 30
"""How many messages an agent reads at once unless it asks for more or fewer."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One message, as such an agent reads it."""

    id: str
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Episodes:
    """Some messages of a session, and where to go on."""

    session_id: str
    episodes: tuple[Episode, ...]
    total: int
    has_more: bool
    next_offset: int


@dataclass(frozen=True, slots=True)
class SavedFact:
    """What became of one fact of a batch."""

    id: str
    preview: str
    confidence: float
    duplicate: bool
    index: int = 0
    """Which fact of the batch it was, from 0 on."""
    supersedes: str = ""
    """The memory whose place it took, or part of which it is now."""


@dataclass(frozen=True, slots=True)
class SavedFacts:
    """What became of a batch: blank ones are left out without a word, others are saved, known, or an error."""

    saved: tuple[SavedFact, ...]
    saved_count: int
    skipped_duplicates: int
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rival:
    """A fact another one may contradict."""

    id: str
    content: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Rivals:
    """Facts of other sessions near a new one; whether they contradict it is for the agent to say."""

    fact_id: str
    candidates: tuple[Rival, ...]
    skipped: str = ""
    """Why nothing was looked for."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A session marked as worked through, with how many facts stand that were learnt in it."""

    session_id: str
    messages: int
    facts_saved: int
