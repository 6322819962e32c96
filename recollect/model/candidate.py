"""What extraction proposes to remember, before the gate has judged it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from recollect.model.values import dataclass

CandidateKind = Literal["fact", "event", "procedure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A statement somebody may want remembered, with the words it rests on."""

    content: str
    kind: CandidateKind = "fact"
    category: str = ""
    topic: str = ""
    importance: int | None = None
    confidence: float = 0.8
    event_time: datetime | None = None
    entities: tuple[str, ...] = ()
    quote: str = ""
    """The words of the source it rests on, as they were said."""
    key: str = ""
    """The slot it fills, such as `preferred_name`, `pronouns`, `city`, `language` or `timezone`."""
    turn: str = ""
    """The id of the turn it comes from."""
    explicit: bool = False
    """Whether the speaker asked for it to be remembered."""
    note: str = ""
    """The class of what somebody said, where this is it in his own words; empty for what a model says of it."""
    asked: str = ""
    """The question it answers."""
    updates: str = ""
    """The id of the memory it takes the place of, as a model says."""
    display: str = ""
    """The content as it is said to the person it is about."""
    repeats: str = ""
    """The id of the memory that says so already, as a model says."""
