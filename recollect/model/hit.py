"""What looking gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from recollect.model.memory import Memory
from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Signal:
    """What one signal of a search said about one hit."""

    rank: int
    """The hit's place by this signal alone, among the candidates; equals share a place, 0 where it ranks nothing."""
    score: float
    """What was measured: BM25 for words, the cosine for meaning, the number of names; else the same as `boost`."""
    boost: float = 0.0
    """What it added to the hit's score."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found, with its score and the reasons for it."""

    memory: Memory
    score: float
    why: Mapping[str, Signal] = field(default_factory=dict)
    folded: tuple[str, ...] = ()
    """Ids of memories that say the same, word for word or as the note a claim was made of, and were left out for it."""
    outdated_by: str = ""
    """The id of a newer memory that may have taken this one's place; it stands before this one."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was found by a query, or why it was not."""

    memory: Memory
    returned: bool
    rank: int
    """Its place among all candidates, 0 if it was none."""
    score: float
    why: Mapping[str, Signal]
    excluded_by: tuple[str, ...]
    """The conditions it does not meet."""
    text: str
    """The answer in words."""


@dataclass(frozen=True, slots=True)
class Part:
    """One section of a context, as it stands there."""

    name: str
    text: str
    ids: tuple[str, ...]
    tokens: int = 0
    """How many tokens it takes."""


@dataclass(frozen=True, slots=True)
class Context:
    """Memory laid out for a prompt, inside its token budget.

    `stable` changes only when core blocks do, so a prompt cache can keep it; `volatile` is made for
    this one request. `ids` are the memories shown and `rev` the revision they were read at.
    """

    stable: str
    volatile: str
    ids: tuple[str, ...]
    rev: int
    tokens: int
    sections: tuple[Part, ...] = ()
    """What is volatile, section by section, in the order they stand."""
    left_out: tuple[str, ...] = ()
    """The memories, or sections without a memory, that had no room; `blocks` when blocks were cut."""
    problems: tuple[str, ...] = ()
    """What could not be laid out, and why."""

    def __str__(self) -> str:
        return "\n\n".join(part for part in (self.stable, self.volatile) if part)


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, and the cursor the next part is asked for with; empty when there is no more."""

    memories: tuple[Memory, ...]
    next: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal: what happened to a memory, who did it, and what was there before."""

    rev: int
    seq: int
    at: datetime
    op: str
    memory_id: str
    node: str
    actor: str
    session: str
    status: str
    before: Mapping[str, Any] | None
    meta: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Changes:
    """A part of what happened in a stretch of time, the newest first, and the cursor of the next part."""

    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...] = ()
    """The memories the lines tell of, as they stand now; those that are gone are not among them."""
    next: str = ""


@dataclass(frozen=True, slots=True)
class Stats:
    """How much one owner's memory holds."""

    owner: str
    rev: int
    kinds: Mapping[str, int]
    tiers: Mapping[str, int]
    states: Mapping[str, int]
    sessions: int
    entities: int
    latest: datetime | None

    @property
    def total(self) -> int:
        """Active memories of all kinds."""
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class Growth:
    """How many memories of one kind were made on one day, whatever became of them."""

    day: str
    """As ISO date, in UTC."""
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer from memory; `hits` are what it rests on, numbered from 1 as in the text."""

    question: str
    answer: str
    """Sentences with [n] behind each; empty where no model was asked or none could answer."""
    unknown: str
    """What is not in memory."""
    hits: tuple[Hit, ...]
    model: str = ""
    """Who answered; empty where nobody was asked."""
    problem: str = ""
    """Why no model has answered."""


@dataclass(frozen=True, slots=True)
class Worn:
    """A fact that time and disuse have made doubtful, and how sure it still is."""

    memory: Memory
    confidence: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, and the memories that were learnt from it."""

    number: int
    """Its place in the owner's memory; what comes later has a greater one."""
    message: Memory
    learnt: tuple[Memory, ...] = ()
