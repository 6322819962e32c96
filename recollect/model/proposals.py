"""What a model may propose: the shapes its answers must have, item by item."""

from __future__ import annotations

from dataclasses import field
from datetime import date
from typing import Literal

from recollect.model.values import dataclass

Verdicts = Literal["same", "newer_replaces", "replaces_part", "both_true", "contradicts_confirmed"]
Slot = Literal["", "preferred_name", "pronouns", "city", "language", "timezone", "tone", "goals"]
"""The fields of a profile a model may fill."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact, event or procedure a model read out of a conversation; believed only once the gate has checked it."""

    content: str
    quote: str = ""
    turn: int = 0
    display: str = ""
    """The content once more, as it is said to the person it is about."""
    kind: Literal["fact", "event", "procedure"] = "fact"
    category: str = ""
    topic: str = ""
    importance: int = 5
    confidence: float = 0.8
    event_time: str | None = None
    entities: list[str] = field(default_factory=list)
    slot: Slot = ""
    """The field of the user's profile it fills, if any."""
    value: str = ""
    """What it fills it with."""
    repeats: int | str | None = None
    """The number of the known memory that says so already."""
    updates: int | str | None = None
    """The number of the known memory that holds no longer because of it."""

    def __post_init__(self) -> None:
        """Refuse a proposal that says nothing; bring numbers into range and drop a date that is none."""
        if not self.content.strip():
            raise ValueError("the content is empty")
        # A model that writes 11 of 10 means a lot; that is no reason to lose what it read.
        object.__setattr__(self, "importance", min(10, max(1, self.importance)))
        object.__setattr__(self, "confidence", min(1.0, max(0.0, self.confidence)) if self.confidence >= 0 else 0.0)
        object.__setattr__(self, "event_time", _day(self.event_time))


def _day(text: str | None) -> str | None:
    try:
        return date.fromisoformat((text or "")[:10]).isoformat()
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What one page of a conversation came to: the proposals, and the summary so far."""

    facts: list[Proposal]
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the two texts of one pair stand to each other."""

    pair: int
    verdict: Verdicts
    rest: str = ""
    """For `replaces_part`: what still holds of the older one, in its own words."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdicts over some pairs; a pair without one was not judged."""

    verdicts: list[Verdict]


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a model says a conversation came to, so that it can go on without its messages."""

    overview: str
    state: str
    next: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The numbers of passages, the best first."""

    ranked: list[int]


@dataclass(frozen=True, slots=True)
class Thing:
    """Something a model says a memory names; believed only where the text has it, letter for letter."""

    memory: int
    text: str
    type: Literal["person", "organization", "location", "project", "other"]
    canonical: str | None = None


@dataclass(frozen=True, slots=True)
class Things:
    """What some memories name."""

    things: list[Thing]


@dataclass(frozen=True, slots=True)
class Graded:
    """Whether an answer says what a reference says."""

    correct: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """One sentence of an answer, with the numbers of the memories it rests on."""

    text: str
    sources: list[int]

    def __post_init__(self) -> None:
        """Refuse a sentence that says nothing."""
        if not self.text.strip():
            raise ValueError("the text is empty")


@dataclass(frozen=True, slots=True)
class Thought:
    """An answer from memory: sentences with what they rest on, and what is not known."""

    sentences: list[Cited]
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Distilled:
    """What is to be done next time, and which earlier lessons cannot hold beside it."""

    lesson: str
    contradicts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Refuse a lesson that says nothing."""
        if not self.lesson.strip():
            raise ValueError("the lesson is empty")


@dataclass(frozen=True, slots=True)
class Inference:
    """Something a model takes to be so of somebody, with the numbers of what it rests on and how sure it is."""

    summary: str
    sources: list[int]
    tags: list[str] = field(default_factory=list)
    confidence: float = 0.5
    fills: str = ""
    """The field of the user's profile it speaks for and the value, as `tone: short`; empty for none."""

    def __post_init__(self) -> None:
        """Refuse one that says nothing, and bring its confidence into range."""
        if not self.summary.strip():
            raise ValueError("the summary is empty")
        object.__setattr__(self, "confidence", min(1.0, max(0.0, self.confidence)) if self.confidence >= 0 else 0.0)


@dataclass(frozen=True, slots=True)
class Inferred:
    """What a model infers of somebody's feelings, trust and manner; there may be nothing."""

    insights: list[Inference]


@dataclass(frozen=True, slots=True)
class Portrait:
    """What a model says of one of those it was shown, by its number."""

    entity: int
    text: str

    def __post_init__(self) -> None:
        """Refuse one that says nothing."""
        if not self.text.strip():
            raise ValueError("the text is empty")


@dataclass(frozen=True, slots=True)
class Portrayed:
    """What a model says of several people, projects, places and things; there may be nothing."""

    portraits: list[Portrait]


@dataclass(frozen=True, slots=True)
class TopicMerge:
    """Topics that mean the same, and the one that shall stand for them."""

    into: str
    topics: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Refuse a merge that names nothing."""
        if not self.into.strip() or not self.topics:
            raise ValueError("a merge names a topic and those it stands for")


@dataclass(frozen=True, slots=True)
class Regrouped:
    """How topics could be merged."""

    merges: list[TopicMerge]


@dataclass(frozen=True, slots=True)
class Reworded:
    """Other instructions for a question, as a model proposes them, and what they mend."""

    instructions: str
    why: str = ""

    def __post_init__(self) -> None:
        """Refuse instructions that say nothing."""
        if not self.instructions.strip():
            raise ValueError("the instructions are empty")
