"""Lessons: what a failed tool call, a correction or praise teaches, how it is written, and when it is let go."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.model.memory import Memory
from recollect.model.values import bounded, dataclass
from recollect.text.patterns import pattern

ATTRIBUTE = "lesson"
"""The attribute that holds what is known of a lesson beside its text."""
ERROR, CORRECTION, WIN = SORTS = ("error", "correction", "win")
TOOL, FAILED, SAID, CONTEXT, LESSON = "Tool", "Error", "User said", "Context", "Lesson"
"""The fields of a lesson, as its lines name them."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    ERROR: (TOOL, FAILED, CONTEXT, LESSON),
    CORRECTION: (SAID, CONTEXT, LESSON),
    WIN: (SAID, CONTEXT, LESSON),
}
_NAMES = "|".join((TOOL, FAILED, SAID, CONTEXT, LESSON))
_FIELD = pattern(rf"^(?:\*\*([^*\n:]{{1,40}}):\*\*|({_NAMES}):)[ \t]*(.*)$")
_CHANGING = pattern(r"0x[0-9a-f]+|[0-9a-f]{8,}|\d+|(?:[\w.~-]*[/\\])+[\w.~-]*|\"[^\"]*\"|'[^']*'", re.IGNORECASE)
"""What differs between two failures of one kind: numbers, addresses, paths, what is quoted."""
_NO, _YES = (False, 0, "false", "error", "failed", "failure"), ("success", "succeeded", "ok", "status")
_CODES = ("exit_code", "exitcode", "returncode", "return_code", "exit_status")
_ERRORS = ("error", "errors", "exception", "stderr")
_FLAGS = ("is_error", "iserror", "isError")


@dataclass(frozen=True, slots=True)
class LessonsPolicy:
    """What is learnt from work, and how much of it is shown."""

    enabled: bool = True
    """Learn from failed tools, corrections and praise in what is observed; what is told outright is always kept."""
    outcomes: int = bounded(50, least=1, most=10_000)
    """How many outcomes of one tool are kept."""
    lines: int = bounded(20, least=1)
    """How many lessons of one sort stand in a context."""
    characters: int = bounded(3000, least=100)
    """How many characters all of them may take there."""
    bytes: int = bounded(50_000, least=1000)
    """From how many bytes on the older half of a sort goes into the archive."""
    succeeded: int = bounded(3, least=1)
    """How often a tool must have succeeded since it failed, with other arguments, until the lesson is let go."""
    said_characters: int = bounded(200, least=20)
    """How much of what a user said a lesson holds."""
    context_characters: int = bounded(500, least=20)
    """How much of what came before it."""
    alike: float = bounded(0.5, most=1)
    """From which share of common words on a newer correction takes the place of an older one."""


def arguments_hash(args: Any) -> str:
    """Give the digest of a tool's arguments, whatever the order of their names."""
    packed = json.dumps(args, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(packed.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def kind_of(tool: str, error: str) -> str:
    """Give what failures of one kind have in common: the tool and the error without what changes from call to call."""
    told = " ".join(_CHANGING.sub("#", error).casefold().split())
    return hashlib.sha256(f"{tool}\n{told}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def written(fields: Mapping[str, str], sort: str) -> str:
    """Give the text of a lesson: a line for each of its fields that says something."""
    lines = [(name, " ".join(fields.get(name, "").split())) for name in FIELDS[sort]]
    return "\n".join(f"**{name}:** {value}" for name, value in lines if value)


def fields_of(text: str) -> dict[str, str]:
    """Read the fields of a lesson; lines without a name go on with the field before them."""
    found: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if match := _FIELD.match(line.strip()):
            last = (match[1] or match[2]).strip()
            found[last] = match[3].strip()
        elif last and line.strip():
            found[last] = f"{found[last]} {line.strip()}".strip()
    return found


def sort_of(memory: Memory) -> str:
    """Give the sort of a lesson: that it was given, or what its fields tell."""
    given = about(memory).get("sort")
    if given in SORTS:
        return str(given)
    return CORRECTION if SAID in fields_of(memory.content) else ERROR


def about(memory: Memory) -> Mapping[str, Any]:
    """Give what is known of a lesson beside its text."""
    found = memory.attributes.get(ATTRIBUTE)
    return found if isinstance(found, Mapping) else {}


def times(memory: Memory) -> int:
    """Give how often it was learnt."""
    count = about(memory).get("count")
    return count if isinstance(count, int) and count > 0 else 1


def in_short(memory: Memory) -> str:
    """Give a lesson on one line: what happened, and what to do about it."""
    told = fields_of(memory.content)
    what = ": ".join(filter(None, (told.get(TOOL), told.get(FAILED)))) or told.get(SAID) or ""
    lesson = told.get(LESSON, "")
    if not what and not lesson:
        return " ".join(memory.content.split())
    return " → ".join(filter(None, (what, "" if lesson in what else lesson)))


def failed(content: str, attributes: Mapping[str, Any]) -> str | None:
    """Give the error a tool's result names in a form that needs no language; None where it names none.

    That is a mark beside the message, or JSON with an error, a failure or an exit code.
    """
    for data in (attributes, _json(content)):
        if isinstance(data, Mapping) and (error := _error_in(data)) is not None:
            return error or content.strip()
    return None


def _json(content: str) -> Any:
    text = content.strip()
    if not text.startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _error_in(data: Mapping[str, Any]) -> str | None:
    told = next((_words(data[name]) for name in _ERRORS if data.get(name)), "")
    flagged = any(data.get(name) is True for name in _FLAGS)
    coded = any(isinstance(data.get(name), int) and data[name] != 0 for name in _CODES)
    refused = any(name in data and data[name] in _NO for name in _YES)
    bare = bool(told) and "stderr" not in data and not any(name in data for name in (*_YES, *_CODES))
    return told if flagged or coded or refused or bare else None


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("message") or value.get("detail") or json.dumps(value, ensure_ascii=False, default=str))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "; ".join(_words(one) for one in value)
    return str(value)


def newest(memory: Memory) -> datetime:
    """Give when a lesson was learnt last."""
    last = about(memory).get("last")
    try:
        return datetime.fromisoformat(last) if isinstance(last, str) else memory.event_time
    except ValueError:
        return memory.event_time
