"""Memories as rows and back, and the one canonical form of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from recollect.model.clock import from_ms, opt_from_ms, to_ms
from recollect.model.memory import Memory

DERIVED: tuple[str, ...] = ("doc", "topic_folded", "live_key", "content_hash", "length", "terms", "marks")
"""Columns of `memories` that follow from the others; an export leaves them out."""

JSON_COLUMNS = frozenset(
    ("tags", "attributes", "before", "meta", "payload", "last_report", "messages", "notes", "data")
)
"""Columns of any table that hold JSON."""

PLAIN: tuple[str, ...] = (
    "owner", "id", "kind", "tier", "state", "agent", "session", "actor", "role", "source", "trust",
    "category", "topic", "key", "project", "archive", "importance", "confidence", "decay_rate", "pinned",
    "access_count", "last_accessed", "event_time", "created_at", "updated_at", "valid_from", "valid_until", "purge_at",
    "version", "tags", "attributes", "content",
)  # fmt: skip

TIMES = frozenset(("last_accessed", "event_time", "created_at", "updated_at", "valid_from", "valid_until", "purge_at"))
_USUAL: dict[str, tuple[str, Any]] = {
    "kind": ("= 'episode'", "episode"), "state": ("= 'active'", "active"),
    "source": ("= 'session'", "session"), "category": ("= 'general'", "general"),
    "topic": ("= ''", ""), "key": ("= ''", ""), "project": ("= ''", ""),
    "importance": ("IS NULL", None), "confidence": ("= 1.0", 1.0), "decay_rate": ("= 0.0", 0.0),
    "pinned": ("= 0", False), "valid_until": ("IS NULL", None), "purge_at": ("IS NULL", None),
    "tags": ("= '[]'", ()), "attributes": ("= '{}'", {}),
}  # fmt: skip
"""What nearly every message has in these columns: how to ask for it, and what it is."""
_USUALLY = {column: value for column, (_, value) in _USUAL.items()}
USUAL = " AND ".join(f'm."{column}" {condition}' for column, (condition, _) in _USUAL.items())
"""The condition that a row of `memories m` has nothing but that in them."""
TOLD: tuple[str, ...] = tuple(column for column in PLAIN if column not in ("owner", *_USUAL))
"""The columns in which messages differ: some are found often, some are archived."""
_times = itemgetter("created_at", "event_time", "updated_at", "valid_from")
STORED: tuple[str, ...] = (*PLAIN, *DERIVED)


class Halves(bytes):
    """A vector of float16 on its way into a row: bytes, but where an engine has a type for it."""


def quoted(columns: Sequence[str]) -> str:
    """Join column names, each in quotes: some are reserved words on one engine or another."""
    return ", ".join(f'"{column}"' for column in columns)


def to_json(value: Any) -> str:
    """Write canonical JSON: sorted keys, no spaces, Unicode as it is."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def from_json(text: str | None) -> Any:
    """Read JSON, None for none."""
    return None if text is None else json.loads(text)


def pack_terms(terms: Mapping[str, int]) -> str:
    """Write a term list as one text: a line a term, its count behind a tab."""
    return "\n".join(f"{term}\t{count}" for term, count in terms.items())


def unpack_terms(text: str) -> dict[str, int]:
    """Read what `pack_terms` wrote."""
    if not text:
        return {}
    return {term: int(count) for term, count in (line.rsplit("\t", 1) for line in text.split("\n"))}


def cell(column: str, value: Any) -> Any:
    """Turn one value of the model into what its column holds."""
    if isinstance(value, datetime):
        return to_ms(value)
    if column in ("tags", "attributes"):
        return to_json(value)
    if isinstance(value, bool):
        return int(value)
    return value


def to_row(memory: Memory) -> dict[str, Any]:
    """Turn a memory into its plain columns."""
    row = dict(memory.__dict__)
    made = memory.created_at
    created = to_ms(made)
    for column in TIMES:
        moment = row[column]
        if moment is not None:
            row[column] = created if moment is made else to_ms(moment)
    row["pinned"] = int(row["pinned"])
    row["tags"] = to_json(row["tags"]) if row["tags"] else "[]"
    row["attributes"] = to_json(row["attributes"]) if row["attributes"] else "{}"
    return row


def from_row(row: Sequence[Any]) -> Memory:
    """Turn the columns of `PLAIN`, in that order, into a memory."""
    # Filling the dict of a bare instance takes half the time of the frozen constructor, and every hit pays it.
    memory = object.__new__(Memory)
    values = memory.__dict__
    values.update(zip(PLAIN, row, strict=False))  # there may be more columns behind
    _read_times(values)
    for column in ("last_accessed", "valid_until", "purge_at"):
        values[column] = opt_from_ms(values[column])
    values["pinned"] = values["pinned"] == 1
    values["tags"] = () if values["tags"] == "[]" else tuple(json.loads(values["tags"]))
    values["attributes"] = {} if values["attributes"] == "{}" else json.loads(values["attributes"])
    return memory


def from_said(owner: str, row: Sequence[Any]) -> Memory:
    """Turn the columns of `TOLD`, in that order, into a memory that has in the others what messages have."""
    memory = object.__new__(Memory)
    values = memory.__dict__
    values.update(_USUALLY)
    values.update(zip(TOLD, row, strict=False))
    values["owner"] = owner
    values["attributes"] = {}
    values["last_accessed"] = opt_from_ms(values["last_accessed"])
    _read_times(values)
    return memory


def _read_times(values: dict[str, Any]) -> None:
    made, event, updated, since = _times(values)
    values["created_at"] = moment = from_ms(made)
    # They are mostly the same one.
    values["event_time"] = moment if event == made else from_ms(event)
    values["updated_at"] = moment if updated == made else from_ms(updated)
    values["valid_from"] = moment if since == made else from_ms(since)
