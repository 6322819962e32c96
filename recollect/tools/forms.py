"""The forms answers take: how a memory, a receipt and a time are written for a model."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from recollect.front.space import Space
from recollect.model.hit import Hit
from recollect.model.memory import Memory
from recollect.model.options import Conditions
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass

LONGEST_LINE = 500
MOST_FAR = 3
_FAR = "Nothing in memory seems to be about this: say that you do not know. The nearest there is:"

MemoryId = Annotated[str, Field(description="The id of a memory, as memory_search gives it.", max_length=200)]
Tags = Annotated[list[str], Field(description="Labels; an empty list for none.", max_length=64)]
After = Annotated[
    str, Field(description='Only what is from then on: an ISO date, or words such as "last week"; "" for any time.')
]
Before = Annotated[str, Field(description='Only what is from before then, in the same forms; "" for any time.')]
Importance = Annotated[int, Field(description="How much it matters, from 1 (trifle) to 10 (critical).", ge=1, le=10)]


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a write."""

    outcome: str
    id: str
    other: str = ""
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def text(self) -> str:
        """Say it in a line, with what to do next."""
        line = _OUTCOMES[self.outcome].format(id=self.id, other=self.other, reason=self.reason)
        return " ".join((line, *(f"Note: {warning}." for warning in self.warnings)))


_OUTCOMES = {
    "stored": "Saved as {id}.",
    "duplicate": "Already known as {id}: no action is needed.",
    "merged": "Merged into {id}.",
    "superseded": "Saved as {id}, in the place of {other}.",
    "queued": "Kept as a proposal, {id}: {reason}. Ask the user; do not save it again.",
    "quarantined": "Kept apart as {id}: {reason}. It is not recalled until the user accepts it.",
    "rejected": "Not saved: {reason}.",
    "failed": "Not saved: {reason}. Try again later.",
}


def saved(receipt: Receipt) -> Saved:
    """Give a receipt in the form tools answer with."""
    return Saved(receipt.outcome, receipt.id, receipt.other, receipt.reason.rstrip("."), receipt.warnings)


@dataclass(frozen=True, slots=True)
class Shown:
    """One memory as a model sees it."""

    id: str
    kind: str
    content: str
    topic: str
    category: str
    tags: tuple[str, ...]
    importance: int
    date: str
    """The day it happened."""
    key: str = ""
    source: str = ""
    """Whose memory it comes from, where it is another's that was shared."""
    outdated_by: str = ""
    """The id of a newer memory that may have taken its place."""
    state: str = ""
    """What has become of it, where it no longer stands: deleted, superseded, merged, proposed, quarantined."""

    def line(self) -> str:
        """Put it on one line, its id first."""
        newer = f"maybe outdated by {self.outdated_by}" if self.outdated_by else ""
        about = [self.topic, self.date, " ".join(f"#{tag}" for tag in self.tags), self.source, newer]
        return f"[{self.id}] {short(self.content)} ({', '.join(one for one in about if one)})"


def shown(memory: Memory, source: str = "", newer: str = "") -> Shown:
    """Give a memory in the form tools show it."""
    return Shown(
        memory.id,
        memory.kind,
        memory.content,
        memory.topic,
        memory.category,
        memory.tags,
        memory.importance or 0,
        memory.event_time.date().isoformat(),
        memory.key,
        source,
        newer,
        "" if memory.state == "active" else memory.state,
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """Memories that were found, the best first."""

    memories: tuple[Shown, ...]
    found: int
    fits: bool = True
    """Whether any is about what was asked; else they are only the nearest there are."""

    def text(self) -> str:
        """Give a line for each, or say that there is nothing."""
        if not self.memories:
            return 'Nothing found. Try other words, kinds ["episode"] for what was said, or say that you do not know.'
        lines = [one.line() for one in self.memories]
        return "\n".join(lines if self.fits else [_FAR, *lines[:MOST_FAR]])


def listed(found: Iterable[Memory | Hit], *, fits: bool = True) -> Listed:
    """Give what was found in the form tools show it."""
    memories = tuple(shown(one.memory, newer=one.outdated_by) if isinstance(one, Hit) else shown(one) for one in found)
    return Listed(memories, len(memories), fits)


def short(text: str, most: int = LONGEST_LINE) -> str:
    """Put a text on one line, and not all of a very long one."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def conditions(space: Space, given: dict[str, Any], after: str = "", before: str = "") -> Conditions:
    """Give the conditions that were given, as keywords of `recall` and `list`; what is empty is no condition."""
    made = {name: value for name, value in given.items() if value not in ("", [], (), None)}
    if after.strip():
        made["event_after"] = space.moment(after)
    if before.strip():
        made["event_before"] = space.moment(before)
    return made  # type: ignore[return-value]


def stamp(moment: datetime) -> str:
    """Write a time for a model, in UTC."""
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def age(moment: datetime, now: datetime) -> str:
    """Say how long ago something was, in its largest unit."""
    past = max(now - moment, timedelta(0))
    if past >= timedelta(days=1):
        return f"{past.days}d ago"
    minutes = int(past.total_seconds() // 60)
    return f"{minutes // 60}h ago" if minutes >= 60 else f"{minutes}m ago"
