"""Memories as rows and back, and the one canonical form of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.model.clock import from_ms, to_ms
from recollect.model.memory import Memory

DERIVED: tuple[str, ...] = ("doc", "topic_folded", "live_key", "content_hash", "length", "terms", "marks")
"""Columns of `memories` that follow from the others; an export leaves them out."""

PLAIN: tuple[str, ...] = (
    "owner", "id", "kind", "tier", "state", "agent", "session", "actor", "role", "source", "trust",
    "category", "topic", "key", "importance", "confidence", "decay_rate", "pinned", "access_count",
    "last_accessed", "event_time", "created_at", "updated_at", "valid_from", "valid_until", "purge_at",
    "version", "tags", "attributes", "content",
)  # fmt: skip

TIMES = frozenset(("last_accessed", "event_time", "created_at", "updated_at", "valid_from", "valid_until", "purge_at"))
_OTHER_TIMES = tuple(sorted(TIMES - {"created_at"}))
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
    for column in TIMES:
        if row[column] is not None:
            row[column] = to_ms(row[column])
    row["pinned"] = int(row["pinned"])
    row["tags"] = to_json(row["tags"])
    row["attributes"] = to_json(row["attributes"])
    return row


def from_row(row: Sequence[Any]) -> Memory:
    """Turn the columns of `PLAIN`, in that order, into a memory."""
    # Filling the dict of a bare instance takes half the time of the frozen constructor, and every hit pays it.
    memory = object.__new__(Memory)
    values = memory.__dict__
    values.update(zip(PLAIN, row, strict=False))  # there may be more columns behind
    known = made = values["created_at"]
    read = values["created_at"] = from_ms(made)
    for column in _OTHER_TIMES:
        moment = values[column]
        if moment is not None:
            if moment != known:  # a memory's times are mostly the same one
                known, read = moment, from_ms(moment)
            values[column] = read
    values["pinned"] = values["pinned"] == 1
    values["tags"] = () if values["tags"] == "[]" else tuple(json.loads(values["tags"]))
    values["attributes"] = {} if values["attributes"] == "{}" else json.loads(values["attributes"])
    return memory
