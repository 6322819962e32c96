"""Searching conversations and the archive: presets of one search, for agents that look for themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from recollect.errors import InvalidInput
from recollect.flows.find.filters import sight
from recollect.flows.find.recall import Wish, recall
from recollect.flows.keep.remember import remember
from recollect.flows.window.messages import WIRE
from recollect.model.clock import checked_time
from recollect.model.hit import Hit
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.runtime import Runtime

SEARCHES = ("conversation_search", "archival_search", "memory_search", "memory_recall")
"""Tools whose calls only repeat what was found: a message that makes one is not found itself."""
SPARE = 4
"""How many times as many are looked at, since some are left out."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for in conversations."""

    query: str
    limit: int
    roles: tuple[str, ...] = ()
    start: datetime | date | None = None
    end: datetime | date | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was found: messages, and summaries of conversations, each the best first."""

    messages: tuple[Hit, ...]
    summaries: tuple[Hit, ...]


def conversation_search(runtime: Runtime, scope: Scope, asked: Asked) -> Conversation:
    """Search what was said and what was summed up. Results of tools, and calls that search, are left out unless their
    role is asked for."""
    where = replace(
        sight(runtime, scope),
        kinds=("episode",),
        event_after=_moment("start", asked.start, last=False),
        event_before=_moment("end", asked.end, last=True),
    )
    roles = checks.several("role", list(asked.roles)) if asked.roles else ()
    spoken = recall(runtime, asked.query, where, Wish(asked.limit * SPARE), scope.session)
    told = [hit for hit in spoken if _told(hit.memory, roles)][: asked.limit]
    summed = replace(where, kinds=("summary",))
    summaries = [] if roles else recall(runtime, asked.query, summed, Wish(asked.limit), scope.session)
    return Conversation(tuple(told), tuple(summaries))


def _told(memory: Memory, roles: Sequence[str]) -> bool:
    if roles:
        return memory.role in roles
    wire = memory.attributes.get(WIRE)
    calls = wire.get("tool_calls", []) if isinstance(wire, dict) else []
    searches = any(
        str(call.get("function", {}).get("name", "")) in SEARCHES for call in calls if isinstance(call, dict)
    )
    return memory.role not in ("tool", "function") and not searches


def _moment(name: str, value: datetime | date | None, *, last: bool) -> datetime | None:
    """Give the end of a range: a day counts whole."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return checked_time(name, value)
    if not isinstance(value, date):
        raise InvalidInput(f"{name} must be a date or a moment, not {type(value).__name__}")
    begin = datetime.combine(value, time(), UTC)
    return begin + timedelta(days=1, milliseconds=-1) if last else begin


def archival_insert(
    runtime: Runtime, scope: Scope, content: str, tags: Sequence[str] | str, request_id: str
) -> Receipt:
    """Put a passage into the archive; tags may be a list or one text with commas."""
    given = tags.split(",") if isinstance(tags, str) else tags
    wanted = [tag.strip() for tag in given if isinstance(tag, str) and tag.strip()]
    return remember(runtime, scope, content, {"kind": "passage", "tags": wanted, "source": "agent"}, request_id)


def archival_search(runtime: Runtime, scope: Scope, query: str, top_k: int, tags: Sequence[str] | str) -> list[Hit]:
    """Find passages of the archive; of several tags any will do, none filters nothing, and a blank query finds none."""
    given = tags.split(",") if isinstance(tags, str) else tags
    wanted = checks.tags([tag for tag in given if isinstance(tag, str) and tag.strip()])
    if not query.strip():
        return []
    where = replace(sight(runtime, scope), kinds=("passage",), tags=wanted, any_tag=True)
    return recall(runtime, query, where, Wish(top_k), scope.session)
