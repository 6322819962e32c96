"""Messages of other programs kept as they wrote them: found by their words, given back exactly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.window.messages import WIRE, in_sight, read, said
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt
from recollect.rules.gate.checks import LONGEST_ATTRIBUTES

RAW = "item"
"""The part of a message that holds it as its program wrote it."""


def plain(space: Space | AsyncSpace) -> Space:
    """Give the space to call, whichever face of it was handed in; anything else is refused."""
    given = space.sync if isinstance(space, AsyncSpace) else space
    if not isinstance(given, Space):
        raise InvalidInput(f"pass a space, Recollect().space(user), not {type(space).__name__}")
    return given


def append(
    space: Space,
    role: str,
    text: str,
    raw: Mapping[str, Any],
    tool_calls: Sequence[Mapping[str, Any]] = (),
    tool_call_id: str = "",
    request_id: str = "",
) -> Receipt:
    """Keep a message in the session's window with what its program wrote beside its words.

    What is too large for that, such as a picture inside it, is left out, and the message comes back as its words.
    """
    words = [{"type": "text", "text": text}] if text else []
    wide = len(json.dumps(raw, ensure_ascii=False).encode()) > LONGEST_ATTRIBUTES // 2
    return space.messages.append(
        role,
        text if wide else [*words, {"type": RAW, RAW: dict(raw)}],
        tool_calls=tool_calls,
        tool_call_id=tool_call_id,
        request_id=request_id,
    )


def rows(space: Space, *, whole: bool = False) -> list[Memory]:
    """Give the messages in sight of the session, or the `whole` session's, in order."""
    with space._runtime.store.view() as view:
        seen = said(view, space._scope) if whole else in_sight(view, space._scope)[1]
    return [one for one in seen if one.state == "active"]


def raw_of(memory: Memory) -> Any | None:
    """Give a message as its program wrote it; None where it was said elsewhere, or is a summary."""
    wire = memory.attributes.get(WIRE)
    parts = wire.get("content") if isinstance(wire, Mapping) else None
    found = [part[RAW] for part in parts if part.get("type") == RAW] if isinstance(parts, list) else []
    return found[0] if found else None


def role_and_text(memory: Memory) -> tuple[str, str]:
    """Give who says a message and its words; a summary is what the user is told of before."""
    message = read(memory)
    return message.role, message.content if isinstance(message.content, str) else memory.content
