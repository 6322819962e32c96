"""Blocks in the prompt, the whole conversation behind it, and an archive: the tools Letta's agents know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import Field

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.hit import Hit
from recollect.text.patterns import pattern
from recollect.tools.blocks import Label
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import age, stamp

LONGEST_SHOWN = 500
LANGUAGE = pattern(r"[a-z]{2,3}")
SEARCHES = "conversation_search"
WIRE = "message"
"""The attribute that holds what a message is beside its text."""


@tool("Replace text in a block")
def memory_replace(
    space: Space,
    block: Label,
    old: Annotated[str, Field(description="The text to find, exactly; it must occur once.")],
    new: Annotated[str, Field(description='The text that stands there instead; "" takes it out.')],
) -> str:
    """Replace text in a memory block."""
    space.blocks.replace(block, old, new)
    return f"Successfully replaced text in '{block}' block."


@tool("Append to a block")
def memory_append(space: Space, block: Label, content: Annotated[str, Field(description="The text to append.")]) -> str:
    """Append text to a memory block, on a line of its own."""
    space.blocks.append(block, content)
    return f"Successfully appended to '{block}' block."


@tool("Insert into a block")
def memory_insert(
    space: Space,
    block: Label,
    content: Annotated[str, Field(description="The text to insert.")],
    line: Annotated[int, Field(description="Insert after this line; 0 for the top, -1 for the end.", ge=-1)] = -1,
) -> str:
    """Insert text at a line of a memory block."""
    space.blocks.insert(block, content, line)
    return f"Successfully inserted text into '{block}' block at line {'end' if line == -1 else line}."


@tool("Rewrite a block")
def memory_rethink(
    space: Space, block: Label, content: Annotated[str, Field(description="The whole new text.", min_length=1)]
) -> str:
    """Rewrite a memory block as a whole; one that is not there yet is made."""
    space.blocks.rethink(block, content)
    return f"Successfully rewrote '{block}' block."


@tool("Patch blocks")
def memory_apply_patch(
    space: Space,
    patch: Annotated[str, Field(description="A unified diff.", min_length=1)],
    block: Annotated[str, Field(description='The block; "" for a patch over several.', max_length=100)] = "",
) -> str:
    """Apply a unified diff to a memory block, or to several at once: all of it or nothing."""
    space.blocks.patch(block, patch)
    return f"Successfully patched {block or 'blocks'}."


@tool("Search the conversation", reads=True)
def conversation_search(
    space: Space,
    query: Annotated[str, Field(description="What to look for.", min_length=1)],
    limit: Annotated[int, Field(description="At most so many of each.", ge=1, le=50)] = 5,
) -> str:
    """Search the conversation's history, its messages and its summaries.

    Use it for what was said earlier and is no longer in view.
    """
    said = [hit for hit in space.recall(query, limit * 3, kinds="episode") if _told(hit)][:limit]
    sums = space.recall(query, limit, kinds="summary")
    if not said and not sums:
        return f"No messages or summaries match '{query}'."
    parts = [f"=== Messages ({len(said)}) ===", *_numbered(space, said)] if said else []
    if sums:
        parts += [f"=== Conversation Summaries ({len(sums)}) ===", *_numbered(space, sums)]
    return "\n".join(parts)


def _told(hit: Hit) -> bool:
    """Leave out what tools said, and messages that only called for this very search."""
    wire = hit.memory.attributes.get(WIRE)
    calls = wire.get("tool_calls") if isinstance(wire, Mapping) else None
    return hit.memory.role != "tool" and SEARCHES not in str(calls or "")


def _numbered(space: Space, hits: Sequence[Hit]) -> list[str]:
    now, lines = space.now, list[str]()
    for number, hit in enumerate(hits, 1):
        one = hit.memory
        who = one.role or one.kind
        head = f"{number}. [{stamp(one.event_time)}] ({age(one.event_time, now)}, {who}) (score: {hit.score:.2f})"
        lines += [head, one.content[:LONGEST_SHOWN]]
    return lines


@tool("Archive a passage")
def archival_insert(
    space: Space,
    content: Annotated[str, Field(description="The text to keep, of any length.", min_length=1)],
    tags: Annotated[str, Field(description='Tags, separated by commas; "" for none.')] = "",
) -> str:
    """Store information in long-term memory, to be found by meaning later."""
    receipt = space.remember(content, kind="passage", tags=_tags(tags))
    return f"Stored in archival memory with id {receipt.id}." if receipt.ok else f"Not stored: {receipt.reason}"


def _tags(given: str) -> list[str]:
    return [tag.strip() for tag in given.split(",") if tag.strip()]


@tool("Search the archive", reads=True)
def archival_search(
    space: Space,
    query: Annotated[str, Field(description="What to look for.", min_length=1)],
    top_k: Annotated[int, Field(description="At most so many.", ge=1, le=50)] = 5,
    tags: Annotated[str, Field(description='Only with one of these tags, separated by commas; "" for any.')] = "",
) -> str:
    """Search long-term memory by meaning and words."""
    wanted = _tags(tags)
    hits = (
        space.recall(query, top_k, kinds="passage", tags=wanted, any_tag=True)
        if wanted
        else space.recall(query, top_k, kinds="passage")
    )
    if not hits:
        return f"No archival memories match '{query}'."
    now, lines = space.now, [f"=== Archival Memories ({len(hits)}) ==="]
    for number, hit in enumerate(hits, 1):
        one = hit.memory
        told = f" [tags: {', '.join(one.tags)}]" if one.tags else ""
        head = f"{number}. [{stamp(one.event_time)}] ({age(one.event_time, now)}, score: {hit.score:.2f}){told}"
        lines += [head, one.content[:LONGEST_SHOWN]]
    return "\n".join(lines)


@tool("Set a preference", repeats=True)
def set_preference(
    space: Space,
    key: Annotated[Literal["timezone", "language", "display_name"], Field(description="What to set.")],
    value: Annotated[str, Field(description="Europe/Lisbon; en; or the name.", min_length=1, max_length=200)],
) -> str:
    """Set the user's time zone (IANA name), language (two or three small letters) or display name.

    Use it only when the user asks for it or states it plainly.
    """
    wanted = value.strip()
    if key == "timezone" and wanted not in available_timezones():
        raise InvalidInput(f"'{wanted}' is no IANA time zone: use a name such as Europe/Lisbon or America/New_York")
    if key == "language" and not LANGUAGE.fullmatch(wanted):
        raise InvalidInput(f"'{wanted}' is no language code: use two or three small letters, such as en")
    if not wanted:
        raise InvalidInput("'value' argument required")
    receipt = space.remember(wanted, key=key, category="preferences", source="directive")
    if receipt.outcome == "queued":
        return f"The preference {key} waits for the user's consent."
    if not receipt.ok:
        return f"The preference {key} was not set: {receipt.reason or receipt.outcome}"
    return f"Preference {key} set to {wanted}."


TOOLS: tuple[Tool, ...] = (
    memory_replace,
    memory_append,
    memory_insert,
    memory_rethink,
    memory_apply_patch,
    conversation_search,
    archival_insert,
    archival_search,
    set_preference,
)
