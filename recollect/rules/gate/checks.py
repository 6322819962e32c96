"""Whether an argument can be used at all; each refusal says what to pass instead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.kinds import KINDS, SOURCES, STATES, TIERS
from recollect.rules.gate.writing import LONGEST_CONTENT
from recollect.text.normal import blank
from recollect.text.patterns import pattern

LONGEST_NAME = 200
TAKEN = "this request_id belongs to another request: give each request its own"
LONGEST_TOPIC = 255
LONGEST_PROJECT = 60
"""In bytes: the name stands in an index that has no room for more."""
MOST_TAGS = 64
MOST_NAMES = 10_000
LONGEST_ATTRIBUTES = 65_536
DEEPEST_ATTRIBUTES = 64
_NUL = pattern(r"(?<!\\)(?:\\\\)*\\u0000")
"""A NUL as JSON spells it; behind an odd backslash the same letters are plain text."""


def text(name: str, value: object, most_bytes: int, *, empty: bool = True) -> str:
    """Check a text: valid Unicode without NUL, not too long, and not blank where it must say something."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, not {type(value).__name__}")
    if not empty and blank(value):
        advice = "there is nothing to remember" if name == "content" else "write something, or leave it out"
        raise InvalidInput(f"{name} is empty: {advice}")
    if "\0" in value:
        raise InvalidInput(f"{name} holds a NUL character: remove it")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} holds half of a surrogate pair at {error.start}: pass valid Unicode") from error
    if size > most_bytes:
        raise InvalidInput(f"{name} takes {size:,} bytes, at most {most_bytes:,} are allowed: split or shorten it")
    return value


def content(value: object) -> str:
    """Check the text of a memory."""
    return text("content", value, LONGEST_CONTENT, empty=False)


def name(what: str, value: object, *, empty: bool = True) -> str:
    """Check an identifying text: an agent, a session, a key, an actor."""
    return text(what, value, LONGEST_NAME, empty=empty)


def project(value: object) -> str:
    """Check the name of a project; empty for what is in none."""
    return text("project", value, LONGEST_PROJECT)


def request(value: object, *about: str) -> str:
    """Check a request id and tie it to a verb and its target: one id may serve several verbs of one turn."""
    given = name("request_id", value)
    return "\n".join((*about, given)) if given else ""


def one_of(what: str, value: object, known: Sequence[str]) -> str:
    """Check a value of a closed set."""
    if value not in known:
        raise InvalidInput(f"unknown {what} {value!r}: use one of {', '.join(known)}")
    return str(value)


def several(what: str, value: object, known: Sequence[str] = ()) -> tuple[str, ...]:
    """Check one name or a list of names."""
    given = (value,) if isinstance(value, str) else value
    if not isinstance(given, list | tuple | set | frozenset):
        raise InvalidInput(f"{what} must be a name or a list of names, not {type(value).__name__}")
    if len(given) > MOST_NAMES:
        raise InvalidInput(f"{what} lists {len(given):,} names, at most {MOST_NAMES:,} are allowed")
    return tuple(one_of(what, one, known) if known else name(what, one, empty=False) for one in given)


def kind(value: object) -> str:
    """Check a kind."""
    return one_of("kind", value, tuple(KINDS))


def kinds(value: object) -> tuple[str, ...]:
    """Check kinds."""
    return several("kind", value, tuple(KINDS))


def tiers(value: object) -> tuple[str, ...]:
    """Check tiers."""
    return several("tier", value, TIERS)


def states(value: object) -> tuple[str, ...]:
    """Check states."""
    return several("state", value, STATES)


def tier(value: object) -> str:
    """Check a tier."""
    return one_of("tier", value, TIERS)


def topic(value: object) -> str:
    """Check a topic: trimmed, and cut where it is longer than a label can be."""
    return text("topic", value, LONGEST_TOPIC * 4).strip()[:LONGEST_TOPIC]


def source(value: object) -> str:
    """Check where a memory comes from."""
    return one_of("source", value, SOURCES)


def importance(value: object) -> int:
    """Check an importance."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10:
        raise InvalidInput(f"importance is {value!r}: use a whole number from 1 (trifle) to 10 (critical)")
    return value


def share(what: str, value: object) -> float:
    """Check a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{what} is {value!r}: use a number from 0 to 1")
    return float(value)


def flag(what: str, value: object) -> bool:
    """Check a yes or no."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} is {value!r}: use True or False")
    return value


def whole(what: str, value: object, least: int, most: int) -> int:
    """Check a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{what} is {value!r}: use a whole number from {least} to {most:,}")
    return value


def tags(value: object) -> tuple[str, ...]:
    """Check tags: trimmed, without a leading #, each once."""
    found = dict.fromkeys(tag.strip().removeprefix("#").strip() for tag in several("tag", value))
    found.pop("", None)
    if len(found) > MOST_TAGS:
        raise InvalidInput(f"there are {len(found)} tags, at most {MOST_TAGS} are allowed")
    return tuple(found)


def _depth(value: object) -> int:
    """Measure nesting level by level, giving up soon after it is too deep."""
    level, depth = [value], 0
    while level and depth <= DEEPEST_ATTRIBUTES:
        depth += 1
        inner = [list(one.values()) if isinstance(one, Mapping) else one for one in level]
        level = list({id(deep): deep for one in inner if isinstance(one, list | tuple) for deep in one}.values())
    return depth


def attributes(value: object) -> dict[str, Any]:
    """Check attributes: a mapping that JSON can hold, copied so that later changes do not reach it."""
    if value == {}:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(one, str) for one in value):
        raise InvalidInput("attributes must be a mapping with string keys")
    if _depth(value) > DEEPEST_ATTRIBUTES:  # deeper data could be stored by one caller and not be read by another
        raise InvalidInput(f"attributes are nested more than {DEEPEST_ATTRIBUTES} levels deep: flatten them")
    try:
        packed = json.dumps(dict(value), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"attributes must be plain JSON data: {error}") from error
    if _NUL.search(packed):
        raise InvalidInput("attributes hold a NUL character: remove it")
    text("attributes", packed, LONGEST_ATTRIBUTES)
    checked: dict[str, Any] = json.loads(packed)
    return checked
