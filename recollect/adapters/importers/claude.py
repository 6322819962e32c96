"""An export of a Claude account: its conversations, what it remembers of the user, and the documents of projects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from recollect.adapters.importers.items import Found, Note, Talk, Utterance, each, expected, loaded, moment
from recollect.errors import InvalidInput

NAME, EXPORT = "claude", "Claude export"
TEXT = "conversations.json of a Claude export, the zip as it came, or its folder"
ROLES = {"human": "user", "assistant": "assistant"}


def read(path: Path) -> Iterator[Found]:
    """Give conversations, memories and project documents."""
    known = 0
    for file, data in loaded(path):
        name = PurePosixPath(file).name
        if name.startswith("conversations"):
            known += 1
            yield from each(data, EXPORT, "conversation", partial(_talk, file=file))
        elif name.startswith("memories"):
            yield from each(data, EXPORT, "memory", _memories)
        elif name.startswith("projects"):
            yield from each(data, EXPORT, "project", _documents)
    if not known and path.is_file() and path.suffix == ".json":
        yield from each(next(loaded(path))[1], EXPORT, "conversation", partial(_talk, file=path.name))
    elif not known:
        raise InvalidInput(f"{path} holds no conversations.json")


def _talk(one: Mapping[str, Any], file: str) -> Iterator[Talk]:
    lines = [_line(message) for message in expected(one.get("chat_messages"), list, "its chat_messages")]
    said = tuple(line for line in lines if line is not None)
    at = moment(one.get("updated_at")) or moment(one.get("created_at"))
    yield Talk(str(one.get("uuid", "")), str(one.get("name") or ""), said, at, len(lines) - len(said), file=file)


def _line(message: Mapping[str, Any]) -> Utterance | None:
    role = ROLES.get(str(message.get("sender")))
    parts = [one for one in message.get("content") or () if isinstance(one, dict) and one.get("type") == "text"]
    text = "\n".join(str(one.get("text") or "") for one in parts).strip() or str(message.get("text") or "").strip()
    files = [one for one in message.get("attachments") or () if isinstance(one, dict)]
    attached = [str(one.get("extracted_content")) for one in files if one.get("extracted_content")]
    whole = "\n\n".join(one for one in (text, *attached) if one)
    if role is None:
        return None
    names = {"files": [str(one.get("file_name", "")) for one in files]} if files else {}
    return Utterance(str(message.get("uuid", "")), role, whole, moment(message.get("created_at")), names)


def _memories(one: Mapping[str, Any]) -> Iterator[Note]:
    """Give what Claude wrote down about the user, paragraph by paragraph."""
    whose = str(one.get("account_uuid") or "")
    texts = {"": one.get("conversations_memory"), **(one.get("project_memories") or {})}
    for project, text in texts.items():
        for number, part in enumerate(str(text or "").split("\n\n")):
            if part.strip():
                topic = {"topic": f"project {project}"} if project else {}
                yield Note(f"{whose}/{project}/{number}", part.strip(), {"kind": "passage", **topic})


def _documents(one: Mapping[str, Any]) -> Iterator[Note]:
    project = str(one.get("name") or "")
    for document in one.get("docs") or ():
        text = str(document.get("content") or "").strip()
        if text:
            at = moment(document.get("created_at"))
            more = {"event_time": at} if at else {}
            about = {"topic": f"{project}/{document.get('filename', '')}"[:255], "attributes": {"project": project}}
            yield Note(str(document.get("uuid", "")), text, {"kind": "passage", **about, **more})
