"""A Letta agent file (`.af`): core blocks, what was said, and passages, of the newer and the older layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import CoreBlock, Found, Note, Talk, Utterance, loaded, moment
from recollect.errors import InvalidInput

NAME = "letta"
TEXT = "an agent file (.af) that Letta exported"
ROLES = {"user": "user", "assistant": "assistant"}


def read(path: Path) -> Iterator[Found]:
    """Give blocks, talks and passages of every agent in the file."""
    for name, data in loaded(path, "*.af"):
        if not isinstance(data, dict) or not ("agents" in data or "core_memory" in data):
            raise InvalidInput(f"{name} is no agent file of Letta: it has neither agents nor core_memory")
        for block in data.get("blocks") or data.get("core_memory") or ():
            yield _block(block)
        for agent in data.get("agents") or (data,):
            yield from _agent(agent)


def _block(one: Mapping[str, Any]) -> CoreBlock:
    label, value = str(one.get("label") or "notes"), str(one.get("value") or "")
    return CoreBlock(str(one.get("id") or label), label, value, str(one.get("description") or ""))


def _agent(agent: Mapping[str, Any]) -> Iterator[Found]:
    lines = [_line(number, one) for number, one in enumerate(agent.get("messages") or ())]
    said = tuple(line for line in lines if line is not None)
    if said:
        name = str(agent.get("name") or "")
        yield Talk(str(agent.get("id") or name), name, said, said[-1].at, len(lines) - len(said))
    for passage in agent.get("passages") or agent.get("archival_memory") or ():
        at = moment(passage.get("created_at"))
        more: dict[str, Any] = {"kind": "passage", "tags": passage.get("tags") or ()}
        more |= {"event_time": at} if at else {}
        yield Note(str(passage.get("id", "")), str(passage.get("text") or passage.get("content") or ""), more)


def _line(number: int, one: Mapping[str, Any]) -> Utterance | None:
    role, content = ROLES.get(str(one.get("role"))), one.get("content") or one.get("text")
    parts = content if isinstance(content, list) else [{"text": content}]
    text = "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text")).strip()
    if role is None or not text:
        return None
    return Utterance(str(one.get("id") or number), role, text, moment(one.get("created_at")))
