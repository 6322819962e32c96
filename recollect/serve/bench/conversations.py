"""What every benchmark reads: conversations as they were said, and the questions about them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from recollect.model.values import dataclass

BEGINNING = datetime(2020, 1, 1, 9, tzinfo=UTC)
"""When a conversation without times begins."""
BETWEEN_MESSAGES, BETWEEN_SESSIONS, BETWEEN_TURNS = timedelta(minutes=1), timedelta(days=1), timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    id: str
    session: str
    role: str
    actor: str
    content: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what answers it: messages, and the sessions of them; `stale` holds what was true before.

    One without evidence is not scored. `at` is when it is asked; None is after the last message.
    """

    text: str
    kind: str
    evidence: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    at: datetime | None = None
    answer: str = ""
    """What is to be answered, for benchmarks that let a model answer; empty where nobody says."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said, oldest first, and what is asked about it."""

    name: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]
