"""Blocks in the prompt, the whole conversation behind it, and an archive: the tools Letta's agents know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import Field

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.hit import Hit
from recollect.model.receipt import Receipt
from recollect.text.patterns import pattern
from recollect.tools.blocks import Label
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import age, stamp

LONGEST_SHOWN = 500
LANGUAGE = pattern(r"[a-z]{2,3}")


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
    content: Annotated[str, Field(strict=True, description="The text to insert.")],
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


@tool("Edit blocks", destroys=True)
def memory(
    space: Space,
    command: Annotated[
        Literal["create", "str_replace", "insert", "delete", "rename"], Field(description="What to do with a block.")
    ],
    path: Annotated[str, Field(description="The block, such as persona; for rename the one it is.", max_length=100)],
    file_text: Annotated[str, Field(description="create: its text.")] = "",
    description: Annotated[str, Field(description='create, rename: what the block is for; "" leaves it.')] = "",
    old_str: Annotated[str, Field(description="str_replace: the text to find, exactly; it must occur once.")] = "",
    new_str: Annotated[str, Field(description='str_replace: what stands there instead; "" takes it out.')] = "",
    insert_line: Annotated[int, Field(description="insert: after this line; 0 for the top, -1 the end.", ge=-1)] = -1,
    insert_text: Annotated[str, Field(description="insert: the text.")] = "",
    new_path: Annotated[str, Field(description="rename: its new name.", max_length=100)] = "",
) -> str:  # long because it is five tools in one
    """Make, edit, rename or take away a memory block, by a command and what it needs.

    Use it where one tool is wanted for all of that; the others do the same, one each. A block that is taken away can
    be restored by the user.
    """
    name = path.removeprefix("/memories/").strip("/")
    commands: dict[str, Callable[[], str]] = {
        "create": lambda: _done(space.blocks.create(name, file_text, description), f"created the '{name}' block"),
        "str_replace": lambda: _done(space.blocks.replace(name, old_str, new_str), f"edited the '{name}' block"),
        "insert": lambda: _done(space.blocks.insert(name, insert_text, insert_line), f"edited the '{name}' block"),
        "delete": lambda: _done(space.blocks.delete(name), f"deleted the '{name}' block"),
        "rename": lambda: _renamed(space, name, new_path.removeprefix("/memories/").strip("/"), description),
    }
    if not name:
        raise InvalidInput("'path' argument required")
    return commands[command]()


def _done(receipt: Receipt, did: str) -> str:
    return f"Successfully {did}." if receipt.ok else f"Nothing was changed: {receipt.reason}"


def _renamed(space: Space, name: str, to: str, description: str) -> str:
    if not to and not description:
        raise InvalidInput("'new_path' argument required")
    told = [_done(space.blocks.rename(name, to), f"renamed '{name}' to '{to}'")] if to else []
    if description:
        told.append(_done(space.blocks.configure(to or name, description=description), "changed its description"))
    return " ".join(told)


@tool("Search the conversation", reads=True)
def conversation_search(
    space: Space,
    query: Annotated[str, Field(strict=True, description="What to look for.", min_length=1)],
    limit: Annotated[int, Field(description="At most so many of each.", ge=1, le=50)] = 5,
) -> str:
    """Search the conversation's history, its messages and its summaries.

    Use it for what was said earlier and is no longer in view.
    """
    found = space.messages.search(query, limit)
    said, sums = found.messages, found.summaries
    if not said and not sums:
        return f"No messages or summaries match '{query}'."
    parts = [f"=== Messages ({len(said)}) ===", *_numbered(space, said)] if said else []
    if sums:
        parts += [f"=== Conversation Summaries ({len(sums)}) ===", *_numbered(space, sums)]
    return "\n".join(parts)


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
    content: Annotated[str, Field(strict=True, description="The text to keep, of any length.", min_length=1)],
    tags: Annotated[str, Field(description='Tags, separated by commas; "" for none.')] = "",
) -> str:
    """Store information in long-term memory, to be found by meaning later."""
    receipt = space.archival_insert(content, tags)
    return f"Stored in archival memory with id {receipt.id}." if receipt.ok else f"Not stored: {receipt.reason}"


@tool("Search the archive", reads=True)
def archival_search(
    space: Space,
    query: Annotated[str, Field(strict=True, description="What to look for.", min_length=1)],
    top_k: Annotated[int, Field(description="At most so many.", ge=1, le=50)] = 5,
    tags: Annotated[str, Field(description='Only with one of these tags, separated by commas; "" for any.')] = "",
) -> str:
    """Search long-term memory by meaning and words."""
    hits = space.archival_search(query, top_k, tags)
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
    memory,
    conversation_search,
    archival_insert,
    archival_search,
    set_preference,
)
