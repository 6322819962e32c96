"""Tiered memory: a short-term tier that is always in view, a long-term one that is asked, and ageing between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from recollect.front.space import Space
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.text.terms import fold
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import After, Before, Importance, MemoryId, Saved, conditions, saved, short

PAGE = 1000
GROUPS = {"hour": "%H:00", "day_of_week": "%A", "date": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}


@tool("Save a memory")
def memory_save(
    space: Space,
    topic: Annotated[str, Field(description="A short label that groups it.", min_length=1, max_length=255)],
    content: Annotated[str, Field(strict=True, description="One concise sentence.", min_length=1)],
    importance: Importance = 5,
    source: Annotated[
        Literal["user", "session", "directive"], Field(description="Who it is from; directive for a standing order.")
    ] = "user",
) -> str:
    """Save one fact to short-term memory.

    Use it whenever the user tells something that later sessions need. Never claim that something was saved without
    calling it.
    """
    receipt = space.remember(content, topic=topic, importance=importance, source=source)
    if receipt.outcome == "duplicate":
        return f"Already persisted (id={receipt.id}): [{topic}] {content}. No action is needed."
    if receipt.outcome in ("stored", "superseded", "merged"):
        return f"Memory saved (id={receipt.id}): [{topic}] {content} (importance={importance})"
    return saved(receipt).text()


@tool("Recall memories by topic", reads=True)
def memory_recall(
    space: Space,
    topic: Annotated[str, Field(description='Part of a topic or of the text, in any case; "" for all.')] = "",
    tier: Annotated[str, Field(description="short, or long for what was aged.")] = "short",
    limit: Annotated[int, Field(description="At most so many rows.", ge=1, le=1000)] = 20,
) -> str:
    """Give memories of a tier by topic, the most important first.

    Use it when a topic is not among the memories in view. Short-term memories are in view already.
    """
    chosen = "long" if tier == "long" else "short"
    found: list[Memory] = []
    for memory in _ordered(space, chosen):
        if fold(topic) in fold(f"{memory.topic}\n{memory.content}"):
            found.append(memory)
        if len(found) == limit:
            break
    if not found:
        return f"No memories found (tier={chosen}, topic='{topic}')."
    lines = [f"[{memory.topic}] imp={memory.importance or 0} — {short(memory.content)}" for memory in found]
    return "\n".join((f"## {chosen}-term memory ({len(found)} rows)", *lines))


def _ordered(space: Space, tier: str) -> Iterator[Memory]:
    """Give a tier's memories page by page, the most important first."""
    offset = 0
    while page := space.list("importance", PAGE, offset, tiers=tier):
        yield from page
        offset += PAGE
        if len(page) < PAGE:
            return


@tool("Age memories", repeats=True)
def memory_age(
    space: Space,
    older_than_hours: Annotated[float, Field(description="What was not used for so long moves.", gt=0, le=1e6)] = 48,
    max_rows: Annotated[int, Field(description="At most so many rows.", ge=1, le=10_000)] = 100,
) -> str:
    """Move old short-term memories to the long-term tier.

    Use it when short-term memory has grown long. What is protected or important stays where it is.
    """
    report = space.age(older_than_hours, max_rows)
    return (
        f"Aged {report.changed} memories from short-term to long-term (threshold: {older_than_hours:g}h)."
        if report.status == "ok"
        else f"Aged 0 memories from short-term to long-term: {report.skipped or report.text}"
    )


@tool("Change a memory")
def memory_update(
    space: Space,
    id: MemoryId,
    tier: Annotated[str, Field(description='short, long or archive; "" leaves it.')] = "",
    importance: Annotated[int, Field(description="From 1 to 10; 0 leaves it.", ge=0, le=10)] = 0,
    content: Annotated[str, Field(strict=True, description='What it says from now on; "" leaves it.')] = "",
    topic: Annotated[str, Field(description='Its new topic; "" leaves it.')] = "",
) -> Saved:
    """Change the tier, importance, content or topic of a memory; 0 and "" leave a value as it is."""
    given = {"tier": tier, "importance": importance, "content": content, "topic": topic}
    return saved(space.update(id, **{name: value for name, value in given.items() if value}))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Group:
    """What falls into one hour, weekday, day, week or month."""

    group: str
    count: int
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """Memories by time."""

    group_by: str
    groups: tuple[Group, ...]
    total: int

    def text(self) -> str:
        """Give each group with the texts in it."""
        if not self.groups:
            return "No memories found in that time."
        return "\n".join(
            line
            for one in self.groups
            for line in (f"{one.group} ({one.count})", *(f"  {text}" for text in one.memories))
        )


@tool("Recall memories by time", reads=True)
def recall_temporal(
    space: Space,
    group_by: Annotated[
        Literal["hour", "day_of_week", "date", "week", "month"], Field(description="What they are grouped by, in UTC.")
    ] = "date",
    topic: Annotated[str, Field(description='Part of a topic; "" for all.')] = "",
    after: After = "",
    before: Before = "",
    limit: Annotated[int, Field(description="At most so many memories, the latest.", ge=1, le=1000)] = 100,
) -> Groups:
    """Give memories grouped by when they happened.

    Use it for questions about habits and times: what happens on Mondays, what was done in May.
    """
    narrowed = conditions(space, {"topic": topic, "kinds": list(DEFAULT_KINDS)}, after, before)
    found = space.list("event", limit, **narrowed)
    groups: dict[str, list[str]] = {}
    for memory in sorted(found, key=lambda one: one.event_time):
        groups.setdefault(memory.event_time.strftime(GROUPS[group_by]), []).append(short(memory.content, 200))
    made = tuple(Group(name, len(texts), tuple(texts)) for name, texts in groups.items())
    return Groups(group_by, made, len(found))


TOOLS: tuple[Tool, ...] = (memory_save, memory_recall, memory_age, memory_update, recall_temporal)
