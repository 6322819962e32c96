"""A Letta agent file (`.af`): core blocks, what was said, and passages, of the newer and the older layout."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import CoreBlock, Found, Note, Talk, Utterance, each, loaded, moment
from recollect.adapters.naming import hashed
from recollect.errors import InvalidInput

NAME, FILE = "letta", "agent file of Letta"
TEXT = "an agent file (.af) that Letta exported"
ROLES = {"user": "user", "assistant": "assistant"}
WRAPPED, SPEAKING = "user_message", "send_message"
"""The type of JSON a user's words stand in, and the tool by which agents of the older kinds speak."""


def read(path: Path) -> Iterator[Found]:
    """Give blocks, talks and passages of every agent in the file."""
    for name, data in loaded(path, "*.af"):
        if not isinstance(data, dict) or not ("agents" in data or "core_memory" in data):
            raise InvalidInput(f"{name} is no agent file of Letta: it has neither agents nor core_memory")
        yield from each(data.get("blocks") or data.get("core_memory") or [], FILE, "block", _block)
        yield from each(data.get("agents") or [data], FILE, "agent", _agent)


def _block(one: Mapping[str, Any]) -> Iterator[CoreBlock]:
    label, value = str(one.get("label") or "notes"), str(one.get("value") or "")
    yield CoreBlock(hashed(label, value), label, value, str(one.get("description") or ""))


def _agent(agent: Mapping[str, Any]) -> Iterator[Found]:
    """Give an agent's talk and passages; the ids in a file say only how it is ordered, so none of them is used."""
    told = [one for one in agent.get("messages") or () if isinstance(one, dict)]
    spoken = any(_spoken(one) for one in told)
    lines = [_line(one, spoken) for one in told]
    said = tuple(line for line in lines if line is not None)
    name = str(agent.get("name") or agent.get("id") or "")
    if said:
        yield Talk(name, name, said, said[-1].at, len(lines) - len(said))
    kept = agent.get("passages") or agent.get("archival_memory") or []
    yield from each(kept, FILE, "passage", partial(_passage, name=name))


def _passage(one: Mapping[str, Any], name: str) -> Iterator[Note]:
    text = str(one.get("text") or one.get("content") or "")
    at = moment(one.get("created_at"))
    more: dict[str, Any] = {"kind": "passage", "tags": one.get("tags") or ()}
    more |= {"event_time": at} if at else {}
    yield Note(hashed(name, text), text, more)


def _line(one: Mapping[str, Any], spoken: bool) -> Utterance | None:
    """Read a message: a user's words without packing; an agent's are those of its tool if it has `spoken` by it."""
    role, content = ROLES.get(str(one.get("role"))), one.get("content") or one.get("text")
    parts = content if isinstance(content, list) else [{"text": content}]
    text = "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text")).strip()
    if role == "user":
        text = _unwrapped(text)
    elif spoken:  # its text is what it thought
        text = "\n".join(_spoken(one))
    if role is None or not text:
        return None
    return Utterance(hashed(str(one.get("created_at")), role, text), role, text, moment(one.get("created_at")))


def _unwrapped(text: str) -> str:
    """Give what a user said: Letta keeps it in JSON with the time, and its own events, as nobody's words, alike."""
    packed = _json(text)
    if "type" not in packed or not packed.keys() & {"message", "time"}:
        return text
    return str(packed.get("message") or "").strip() if packed["type"] == WRAPPED else ""


def _spoken(one: Mapping[str, Any]) -> list[str]:
    """Give what an agent said by calling the tool for it."""
    calls = [call.get("function") or {} for call in one.get("tool_calls") or () if isinstance(call, dict)]
    given = [_json(call.get("arguments")).get("message") for call in calls if call.get("name") == SPEAKING]
    return [str(text).strip() for text in given if text]


def _json(text: Any) -> dict[str, Any]:
    """Give the object a text is, or an empty one."""
    try:
        read = json.loads(text) if isinstance(text, str) and text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
