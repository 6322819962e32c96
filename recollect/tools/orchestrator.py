"""An agent that works with facts: search, save, correct, confirm, and what is known of people and things."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from recollect.errors import NotFound
from recollect.front.space import Space
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.values import dataclass
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import After, Before, MemoryId, conditions, saved, short, stamp

PREVIEW = 80
Limit = Annotated[int, Field(description="At most so many.", ge=1, le=50)]
Kind = Literal[
    "", "episode", "event", "fact", "insight", "reflection", "lesson", "procedure", "summary", "passage", "document",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """One memory found."""

    id: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a search found."""

    memories: tuple[Piece, ...]
    found: int


@tool("Search memory", reads=True)
def search_memory(
    space: Space,
    query: Annotated[str, Field(strict=True, description="What to look for, in words.", min_length=1)],
    kind: Annotated[Kind, Field(description='Only this kind; "" for the usual ones.')] = "",
    tag: Annotated[str, Field(description='Only with this tag; "" for any.')] = "",
    after: After = "",
    before: Before = "",
    limit: Limit = 10,
) -> Pieces:
    """Search what is remembered by words, meaning, names and times.

    Use it before answering from memory, and to get the id that correct_fact and confirm_fact need.
    """
    narrowed = conditions(space, {"kinds": kind, "tags": [tag] if tag else []}, after, before)
    hits = space.recall(query, limit, **narrowed)
    found = tuple(Piece(hit.memory.id, hit.memory.kind, hit.memory.content) for hit in hits)
    return Pieces(found, len(found))


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a fact."""

    memory_id: str
    content_preview: str
    success: bool
    message: str


@tool("Remember a fact")
def remember_fact(
    space: Space,
    content: Annotated[str, Field(strict=True, description="The fact, one self-contained sentence.", min_length=1)],
    confidence: Annotated[float, Field(description="How sure it is; lower for hedged statements.", ge=0, le=1)] = 1.0,
) -> Kept:
    """Keep a fact for later conversations.

    Use it when the user states something lasting. A fact that is known already is recognised.
    """
    receipt = space.remember(content, confidence=confidence)
    preview = content if len(content) <= PREVIEW else f"{content[:PREVIEW]}…"
    return Kept(receipt.id, preview, receipt.ok, saved(receipt).text())


@dataclass(frozen=True, slots=True)
class Corrected:
    """What became of a correction."""

    success: bool
    new_memory_id: str
    message: str


@tool("Correct a fact")
def correct_fact(
    space: Space,
    memory_id: MemoryId,
    new_content: Annotated[str, Field(strict=True, description="What is true now.", min_length=1)],
) -> Corrected:
    """Replace what a fact says; tags, topic and importance are carried over, and both are linked.

    Use it when the user says that a remembered fact is wrong or has changed. Search for its id first.
    """
    try:
        receipt = space.correct(memory_id, new_content)
    except NotFound as error:
        return Corrected(False, "", str(error))
    return Corrected(receipt.ok, receipt.id, saved(receipt).text())


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What became of a confirmation."""

    success: bool
    message: str


@tool("Confirm a fact", repeats=True)
def confirm_fact(space: Space, memory_id: MemoryId) -> Confirmed:
    """Make a fact certain: full confidence, and it fades no more.

    Use it when the user says that a remembered fact is right.
    """
    try:
        receipt = space.confirm(memory_id)
    except NotFound as error:
        return Confirmed(False, str(error))
    return Confirmed(receipt.ok, f"Confirmed {receipt.id}.")


@dataclass(frozen=True, slots=True)
class Counted:
    """How much is remembered, by kind."""

    counts: dict[str, int]
    total: int
    latest: str
    """When something was saved last, in ISO 8601; empty when nothing was."""


@tool("Memory statistics", reads=True)
def memory_stats(space: Space) -> Counted:
    """Count active memories by kind, and say when the latest was saved."""
    stats = space.stats()
    return Counted(dict(stats.kinds), stats.total, "" if stats.latest is None else stats.latest.isoformat())


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a person, project, place or thing."""

    found: bool
    name: str = ""
    type: str = ""
    aliases: tuple[str, ...] = ()
    mention_count: int = 0
    memories: tuple[Piece, ...] = ()
    summary: str = ""


@tool("What is known of someone or something", reads=True)
def get_entity_info(
    space: Space,
    name: Annotated[str, Field(description="A person, project, place or thing, by any of its names.", min_length=1)],
    kind: Annotated[str, Field(description='person, organization, location, project …; "" for any.')] = "",
    limit: Limit = 10,
) -> Known:
    """Give what is known of a name: its other names, how often it was mentioned, and the newest memories about it."""
    profile = space.entity(name, kind, limit)
    if profile is None:
        return Known(False)
    one = profile.entity
    pieces = tuple(Piece(memory.id, memory.kind, memory.content) for memory in profile.memories)
    return Known(True, one.name, one.type, one.aliases, one.mentions, pieces, one.summary)


@dataclass(frozen=True, slots=True)
class Weak:
    """One fact that has become doubtful."""

    id: str
    content: str
    confidence: float


@dataclass(frozen=True, slots=True)
class WeakFacts:
    """Facts that have become doubtful, the weakest first."""

    facts: tuple[Weak, ...]
    found: int


@tool("Doubtful facts", reads=True)
def weak_facts(
    space: Space,
    below: Annotated[float, Field(description="Confidence below this, as it is by now.", ge=0, le=1)] = 0.3,
    limit: Limit = 10,
) -> WeakFacts:
    """Give facts whose confidence has fallen, so that they can be confirmed, corrected or let go.

    Use it when there is time to ask the user whether old facts still hold.
    """
    facts = tuple(
        Weak(one.memory.id, one.memory.content, round(one.confidence, 3)) for one in space.weak_facts(below, limit)
    )
    return WeakFacts(facts, len(facts))


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened, and when."""

    id: str
    at: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """What happened, the earliest first."""

    entries: tuple[Moment, ...]
    found: int

    def text(self) -> str:
        """Give a line for each."""
        return "\n".join(f"{one.at} {short(one.content, 300)} [{one.id}]" for one in self.entries) or "Nothing found."


@tool("Timeline", reads=True)
def timeline(
    space: Space,
    topic: Annotated[str, Field(description='Part of a topic; "" for all.')] = "",
    after: After = "",
    before: Before = "",
    limit: Limit = 20,
) -> Timeline:
    """Give what happened in a time, in its order.

    Use it for questions such as "what did we do in May?" Search finds single facts better.
    """
    found = space.list(
        "event", limit, **conditions(space, {"topic": topic, "kinds": list(DEFAULT_KINDS)}, after, before)
    )
    entries = [
        Moment(one.id, stamp(one.event_time), one.kind, one.content)
        for one in sorted(found, key=lambda one: (one.event_time, one.id))
    ]
    return Timeline(tuple(entries), len(entries))


TOOLS: tuple[Tool, ...] = (
    search_memory,
    remember_fact,
    correct_fact,
    confirm_fact,
    memory_stats,
    get_entity_info,
    weak_facts,
    timeline,
)
