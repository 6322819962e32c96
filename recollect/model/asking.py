"""Asking a model: the question, the few ways it can end, and what it cost."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import Any, TypeAlias

from recollect.model.values import dataclass

ROLES: tuple[str, ...] = ("reasoning", "execution", "summarizer", "extractor", "judge")
"""What a model is asked for; each can have a model of its own."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: our instructions, somebody's data, and the shape the answer must have."""

    role: str
    instructions: str
    data: str
    schema: type[Any]
    """A dataclass or a pydantic model; its first field that is a list holds the items, checked one by one."""
    name: str = "answer"
    """What is asked, in one word; a model that answers by calling a tool calls this one."""
    version: str = ""
    """The prompt's version, journaled with what came of it."""
    max_items: int = 0
    """How many items are taken of an answer at most; 0 takes all."""
    max_tokens: int = 0
    """How long the answer may be; 0 leaves it to the settings."""
    temperature: float | None = None
    """How freely it may be worded; None leaves it to the settings."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking cost: every request counts, also those that brought nothing."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: int = 0
    """Millionths of a US dollar, of the calls whose price is known."""
    unpriced: int = 0
    """How many of the calls have a price nobody here knows."""

    @property
    def tokens(self) -> int:
        """How many tokens were read and written."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.money + other.money,
            self.unpriced + other.unpriced,
        )


@dataclass(frozen=True, slots=True)
class Value:
    """The model answered in the shape that was asked for."""

    value: Any
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """Who answered, as `provider:model`: not the first one when a fallback had to help."""
    dropped: int = 0
    """How many items were left out, because they had not the right shape or there were too many."""
    mended: bool = False
    """Whether the answer was cut off or malformed, and only what could be saved of it is here."""
    text: str = field(default="", repr=False)
    """What the model wrote, letter by letter, for the log of calls; empty where nobody told."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """The model answered, and said that there is nothing."""

    usage: Usage = field(default_factory=Usage)
    model: str = ""
    shaped: bool = True
    """Whether it said so in the shape that was asked for; a bare `null` is no empty list of items."""
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """The model, or the filter before it, declined to answer."""

    reason: str
    usage: Usage = field(default_factory=Usage)
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """No usable answer could be had, from no model that was tried; nothing follows from it."""

    reason: str
    usage: Usage = field(default_factory=Usage)
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class OverBudget:
    """Nobody was asked: the budget is spent, or would be by this question."""

    reason: str
    usage: Usage = field(default_factory=Usage)


Answer: TypeAlias = Value | Nothing | Refused | Failed | OverBudget
"""The ways a question can end, and there is no other: whatever a provider does, it is no exception."""


@dataclass(frozen=True, slots=True)
class Spending:
    """One line of the ledger: what a day, a role, a job and a session have cost."""

    day: str
    """As ISO date, in UTC."""
    role: str
    job: str = ""
    session: str = ""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Call:
    """One question that was put to a model, as the log of calls keeps it: without secrets."""

    id: str
    at: datetime
    role: str
    name: str
    """What was asked, in one word."""
    status: str
    """How it ended: answered, nothing, refused or failed."""
    model: str = ""
    """Who answered, as `provider:model`."""
    version: str = ""
    """The prompt's version."""
    job: str = ""
    session: str = ""
    milliseconds: int = 0
    """How long it took."""
    usage: Usage = field(default_factory=Usage)
    instructions: str = ""
    """Our instructions. A list leaves this and the texts below out: ask for one call to read them."""
    data: str = ""
    """Somebody's data: what was shown to the model, as data."""
    answer: str = ""
    """What the model wrote."""
    reason: str = ""
    """Why there is no answer."""


@dataclass(frozen=True, slots=True)
class CallLog:
    """A part of the log of calls, the newest first, and the cursor the next part is asked for with."""

    calls: tuple[Call, ...]
    next: str = ""
    kept: bool = False
    """Whether calls are kept at the moment: the setting `record.calls`."""
