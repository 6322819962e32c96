"""An export of a ChatGPT account: its conversations, what it had saved of the user, and custom instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import Found, Note, Talk, Utterance, each, expected, loaded, moment
from recollect.errors import InvalidInput
from recollect.text.normal import digest

NAME = "chatgpt"
TEXT = "conversations.json of a ChatGPT export, the zip as it came, or its folder"
SPEAKERS = ("user", "assistant")
SAVED = "bio"
"""To whom the model speaks when it saves something about the user."""


def read(path: Path) -> Iterator[Found]:
    """Give every conversation as it was last seen; branches that were left are counted, not read."""
    files = 0
    for name, data in loaded(path, "conversations*.json"):
        files += 1
        yield from each(data, "ChatGPT export", "conversation", partial(_conversation, file=name))
    if not files:
        raise InvalidInput(f"{path} holds no conversations.json")


def _conversation(one: Mapping[str, Any], file: str) -> Iterator[Found]:
    nodes: Mapping[str, Any] = expected(one.get("mapping"), dict, "its mapping")
    told = [message for message in _branch(nodes, one.get("current_node")) if isinstance(message, dict)]
    said = [line for line in map(_line, told) if line is not None]
    every = sum(1 for node in nodes.values() if isinstance(node, dict) and node.get("message"))
    id = str(one.get("conversation_id") or one.get("id") or digest(str(one.get("title")), str(one.get("create_time"))))
    title, at = str(one.get("title") or ""), moment(one.get("update_time")) or moment(one.get("create_time"))
    yield Talk(id, title, tuple(said), at, every - len(said), file=file)
    for message in told:
        yield from _notes(message, title)


def _branch(nodes: Mapping[str, Any], current: Any) -> list[Any]:
    """Give the messages from the first to the one that was last shown."""
    at, seen = current if current in nodes else _leaf(nodes), set[str]()
    found: list[Any] = []
    while at in nodes and at not in seen:
        seen.add(at)
        found.append(nodes[at].get("message"))
        at = nodes[at].get("parent")
    return found[::-1]


def _leaf(nodes: Mapping[str, Any]) -> Any:
    """Give the end of the branch that was written last, where the export does not say which was shown."""
    ends = [id for id, node in nodes.items() if not node.get("children")]
    return max(ends, key=lambda id: (nodes[id].get("message") or {}).get("create_time") or 0, default=None)


def _line(message: Mapping[str, Any]) -> Utterance | None:
    """Read a message of one of the two who talk, its text empty if it has none; hidden or to a tool it is none."""
    role = (message.get("author") or {}).get("role")
    about = message.get("metadata") or {}
    content = message.get("content") or {}
    hidden = about.get("is_visually_hidden_from_conversation") or message.get("recipient", "all") != "all"
    if role not in SPEAKERS or hidden or content.get("content_type") not in ("text", "multimodal_text", "code"):
        return None
    model = {"model": about["model_slug"]} if about.get("model_slug") else {}
    return Utterance(str(message.get("id", "")), str(role), _words(content), moment(message.get("create_time")), model)


def _words(content: Mapping[str, Any]) -> str:
    parts = expected(content.get("parts") or [content.get("text")], list, "a message of it")
    said = [part if isinstance(part, str) else (part or {}).get("text") for part in parts if part]
    return "\n".join(one for one in said if isinstance(one, str) and one.strip()).strip()


def _notes(message: Mapping[str, Any], title: str) -> Iterator[Note]:
    """Give what ChatGPT had saved about the user, and what he had told it to know."""
    content, id = message.get("content") or {}, str(message.get("id", ""))
    at = moment(message.get("create_time"))
    when = {"event_time": at} if at else {}
    if message.get("recipient") == SAVED:
        for number, line in enumerate(_words(content).splitlines()):
            if line.strip():
                yield Note(f"{id}/{number}", line.strip(), {**when, "attributes": {"title": title}})
    elif content.get("content_type") == "user_editable_context":
        for field in ("user_profile", "user_instructions"):
            text = str(content.get(field) or "").strip()
            if text:  # they stand in every conversation, and are one note
                yield Note(digest(field, text), text, {"kind": "passage", "topic": field.replace("_", " "), **when})
