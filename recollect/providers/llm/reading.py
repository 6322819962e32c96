"""What a model's answer is worth: JSON found in it, mended where it was cut off, and checked item by item."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from typing import Any, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError

from recollect.language.refusals import DECLINED
from recollect.model.values import dataclass

_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Read:
    """What was found in an answer: a value, or none, or the reason why it cannot be used."""

    value: Any = None
    dropped: int = 0
    mended: bool = False
    problem: str = ""
    declined: bool = False
    shaped: bool = True
    """Whether it has the form that was asked for; `null` and `{}` say that there is nothing, in none."""

    @property
    def empty(self) -> bool:
        """Whether the answer says that there is nothing."""
        return not self.problem and self.value is None


def read(text: str, schema: type[Any], max_items: int = 0) -> Read:
    """Read an answer into the schema; `null`, an empty list and an object of empty fields say that there is nothing."""
    text = _THOUGHT.sub("", text).strip().lstrip("\ufeff")
    if not text:
        return Read(problem="gave an empty answer")
    found, mended = _json(text)
    if found is _NONE:
        return _prose(text)
    return shaped(found, schema, max_items, mended)


def _prose(text: str) -> Read:
    if next(_starts(text), None) is not None:
        return Read(problem="gave JSON that is malformed or breaks off before the first item")
    declined = bool(DECLINED.match(text))
    return Read(problem="declined to answer" if declined else "answered in prose", declined=declined)


def shaped(found: Any, schema: type[Any], max_items: int = 0, mended: bool = False) -> Read:
    """Put JSON into the schema's shape; items that do not fit are dropped and counted, the rest stands."""
    items = item_field(schema)
    if isinstance(found, str) and found.strip():  # some models wrap their JSON in a string
        inner, cut = _json(found)
        found, mended = (None if inner is _NONE else inner), mended or cut
        if found is None:
            return Read(problem="answered in prose")
    if found is None or found == [] or found == {}:
        if mended:
            return Read(problem="gave an answer that was cut off before its start")
        return Read(shaped=found == [])
    if isinstance(found, list) and items:
        found = {items: found}
    if not isinstance(found, dict):
        return Read(problem=f"gave {type(found).__name__} where an object was asked for")
    kept, dropped = _items(found, schema, items, max_items)
    if dropped and items and not kept[items]:
        return Read(problem=f"gave {dropped} items, none of them in the right shape", dropped=dropped)
    try:
        value = TypeAdapter(schema).validate_python(kept)
    except (ValidationError, RecursionError) as error:
        return Read(problem=f"gave an answer of the wrong shape ({_told(error)})", dropped=dropped)
    blank = all(not held or (isinstance(held, str) and not held.strip()) for held in _held(value))
    if blank and items and mended:
        return Read(problem="gave JSON that breaks off before the first item")
    return Read(None if blank and items else value, dropped, mended)


def item_field(schema: type[Any]) -> str:
    """Name the field of a schema that holds its items: the first that is a list; empty when there is none."""
    hints = get_type_hints(schema)
    return next((name for name in _names(schema) if get_origin(hints[name]) is list), "")


def json_schema(schema: type[Any]) -> dict[str, Any]:
    """Give the JSON schema a model is sent: every field asked for, which the strict modes insist on, and no titles."""
    made: dict[str, Any] = _strict(TypeAdapter(schema).json_schema())
    return made


_WORDS = ("title", "description", "default")
"""What is written for the reader of the code; what the model must know is in the prompt."""


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _strict(value) for key, value in node.items() if key not in _WORDS or isinstance(value, dict)}
    if isinstance(kept.get("properties"), dict):
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept


def _names(schema: type[Any]) -> list[str]:
    if dataclasses.is_dataclass(schema):
        return [field.name for field in dataclasses.fields(schema)]
    return list(schema.model_fields) if issubclass(schema, BaseModel) else []


def _held(value: Any) -> list[Any]:
    return [getattr(value, name) for name in _names(type(value))]


def _items(found: dict[str, Any], schema: type[Any], items: str, max_items: int) -> tuple[dict[str, Any], int]:
    """Check each item alone; give the answer with the good ones, and how many were dropped."""
    known = {name: found[name] for name in _names(schema) if name in found and found[name] is not None}
    given = known.get(items, [])
    if not items or not isinstance(given, list):
        return known, 0
    kind = TypeAdapter(get_type_hints(schema)[items].__args__[0])
    good: list[Any] = []
    for item in given:
        if max_items and len(good) == max_items:
            break
        if isinstance(item, dict):  # a field set to null says no more than one left out
            item = {key: value for key, value in item.items() if value is not None}
        try:
            good.append(_item(kind, item))
        except (ValidationError, RecursionError):
            continue
    return {**known, items: good}, len(given) - len(good)


def _item(kind: TypeAdapter[Any], item: Any) -> Any:
    """Check one item; a field that is wrong falls to its default where it has one, and the rest is not lost."""
    try:
        return kind.validate_python(item)
    except ValidationError as error:
        wrong = {str(one["loc"][0]) for one in error.errors(include_url=False) if one["loc"]}
        if not wrong or not isinstance(item, dict):
            raise
        return kind.validate_python({key: value for key, value in item.items() if key not in wrong})


def _told(error: ValidationError | RecursionError) -> str:
    """Say where an answer is wrong, without quoting it."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'the whole'}: {first['type']}"


# Finding JSON

_NONE: Any = object()


def _json(text: str) -> tuple[Any, bool]:
    """Find the JSON in a text: the whole, what a fence holds, what stands between prose, or what is left of it."""
    fenced = [match[1].strip() for match in _FENCE.finditer(text)]
    for candidate in (text, *fenced):
        whole = _parsed(candidate)
        if whole is not _NONE:
            return whole, False
    for candidate in (*fenced, text):
        for start in _starts(candidate):
            try:
                return _DECODER.raw_decode(candidate, start)[0], False
            except (ValueError, RecursionError):
                pass
            saved = _saved(candidate[start:])
            if saved is not _NONE:
                return saved, True
    return _NONE, False


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NONE


def _starts(text: str) -> Iterator[int]:
    """Give where JSON may begin in a text; of prose with many brackets only the first few."""
    for match, _ in zip(re.finditer(r"\{\s*[\"}]|\[\s*[{\]\"]", text), range(8), strict=False):
        yield match.start()


def _saved(text: str) -> Any:
    """Save what can be of JSON that breaks off: everything up to the last value that was whole."""
    cuts = _whole_ends(text)
    for at, closers in reversed(cuts[-200:]):  # the latest first: the more, the better
        saved = _parsed(text[:at] + closers)
        if saved is not _NONE:
            return saved
    return _NONE


def _whole_ends(text: str) -> list[tuple[int, str]]:
    """Give the places right behind a closed object or list or a field, with what would close the rest."""
    open_: list[str] = []
    cuts: list[tuple[int, str]] = []
    quoted = escaped = False
    for at, char in enumerate(text):
        if escaped or quoted:
            quoted = escaped or char != '"'
            escaped = quoted and not escaped and char == "\\"
            continue
        if char == '"':
            quoted = True
        elif char in "{[":
            open_.append("}" if char == "{" else "]")
        elif char in "}]":
            if not open_ or open_.pop() != char:
                break
            cuts.append((at + 1, "".join(reversed(open_))))
        elif char == "," and len(open_) == 1:
            cuts.append((at, open_[0]))
    return cuts
