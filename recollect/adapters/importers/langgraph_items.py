"""What stands in a store of LangGraph, where LangMem keeps memories: its SQLite file, or its items as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import Found, Note, each, expected, is_sqlite, loaded, moment, rows

NAME, STORE = "langgraph", "list of items of a store"
TEXT = "the file of a SqliteStore, or JSON of the items of any store (LangMem's too)"
WORDS = ("content", "text", "memory", "data", "value")


def read(path: Path) -> Iterator[Found]:
    """Give every item of the store."""
    if is_sqlite(path):
        yield from each(list(rows(path, "SELECT * FROM store ORDER BY prefix, key")), STORE, "item", _row)
        return
    for _, data in loaded(path):
        yield from each(data.get("items") if isinstance(data, dict) else data, STORE, "item", _item)


def _row(row: Mapping[str, Any]) -> Iterator[Note]:
    yield _note(str(row["prefix"]).split("."), str(row["key"]), json.loads(row["value"]), row)


def _item(one: Mapping[str, Any]) -> Iterator[Note]:
    yield _note(list(one.get("namespace") or ()), str(one.get("key", "")), one.get("value"), one)


def _note(namespace: list[str], key: str, value: Any, about: Mapping[str, Any]) -> Note:
    text = _words(expected(value, dict, "its value"))
    at = moment(about.get("updated_at")) or moment(about.get("created_at"))
    details: dict[str, Any] = {"attributes": {"namespace": namespace, "key": key, "value": value}}
    details |= {"event_time": at} if at else {}
    details |= {"kind": "passage"} if len(text) > 280 or text.startswith("{") else {}
    until = moment(about.get("expires_at"))
    details |= {"valid_until": until} if until else {}
    whose = namespace[-1] if len(namespace) > 1 else ""
    return Note(json.dumps([namespace, key]), text, details, whose=whose)


def _words(value: Mapping[str, Any]) -> str:
    """Give the text of an item: LangMem's stands inside `content`; what has none is kept as it is written."""
    for name in WORDS:
        inner = value.get(name)
        if isinstance(inner, str) and inner.strip():
            return inner.strip()
        if isinstance(inner, dict):
            return _words(inner)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
