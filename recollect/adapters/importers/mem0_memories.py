"""What mem0 kept: what `get_all` gives or an export of its platform as JSON, or the databases it keeps on a disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from recollect.adapters.importers import chroma, qdrant
from recollect.adapters.importers.items import (
    Found,
    Note,
    Talk,
    Utterance,
    databases,
    each,
    loaded,
    moment,
    rows,
    tables,
)
from recollect.errors import InvalidInput

NAME = "mem0"
Record = Mapping[str, Any]
TEXT = (
    "JSON of memory.get_all(…) or of an export of the platform, its history.db, or the folder of its Qdrant or Chroma"
)
OWN = ("id", "memory", "hash", "metadata", "created_at", "updated_at", "event_date", "expiration_date", "categories")
VECTORS = {"embedding_metadata": chroma.records, "points": qdrant.records}
HISTORY, MESSAGES = "history", "messages"
"""The tables by which the databases are known: those of the vector stores, with who reads them, and mem0's own."""
STORED = ("data", "hash")
"""What a memory in the vector store always has; entities and what it notes for itself have not."""


def read(path: Path) -> Iterator[Found]:
    """Give every memory with its metadata and ids, and the messages mem0 has at hand."""
    found = [file for file in databases(path) if tables(file) & {*VECTORS, HISTORY}]
    if found:
        yield from _kept(found)
        return
    for _, data in loaded(path):
        listed = data.get("results", data.get("memories")) if isinstance(data, dict) else data
        yield from each(listed, "dump of mem0", "memory", lambda one: [_note(one)])


def _kept(found: list[Path]) -> Iterator[Found]:
    """Give what databases hold: the vector store knows whose a memory is, the history only what it says."""
    notes: dict[str, Note] = {}
    for file in found:
        for table in VECTORS.keys() & tables(file):
            yield from _read(notes, _stored(VECTORS[table](file)))
    for file in found:
        if HISTORY in tables(file):
            yield from _read(notes, (one for one in _history(file) if one["id"] not in notes))
        if MESSAGES in tables(file):
            yield from _talks(file)
    yield from notes.values()


def _read(notes: dict[str, Note], records: Iterable[Record]) -> Iterator[Found]:
    """Put what records hold to what is known of each memory; give those that cannot be read."""
    for one in each(list(records), "memory of mem0", "memory", lambda one: [_note(one)]):
        if isinstance(one, Note):
            notes[one.id] = one
        else:
            yield one


def _stored(records: Iterable[tuple[str, Record]]) -> Iterator[Record]:
    for id, record in records:
        if all(record.get(name) for name in STORED):
            yield {"id": id, **record}


def _history(file: Path) -> Iterator[Record]:
    """Give every memory as its last change left it; one that was deleted is none."""
    changes = rows(file, "SELECT * FROM history ORDER BY memory_id, rowid")
    for id, lines in groupby(changes, lambda row: str(row["memory_id"])):
        last = list(lines)[-1]
        if last["event"] != "DELETE" and not last["is_deleted"] and last["new_memory"]:
            about = {name: last[name] for name in ("created_at", "updated_at", "actor_id", "role") if last.get(name)}
            yield {"id": id, "memory": last["new_memory"], **about}


def _talks(file: Path) -> Iterator[Talk]:
    """Give the messages of every scope, such as `run_id=7&user_id=ana`."""
    query = "SELECT * FROM messages ORDER BY session_scope, created_at, rowid"
    for scope, lines in groupby(rows(file, query), lambda row: str(row["session_scope"] or "")):
        said = tuple(
            Utterance(str(row["id"]), str(row["role"]), str(row["content"] or ""), moment(row["created_at"]))
            for row in lines
        )
        yield Talk(scope, scope, said, said[-1].at, whose=parse_qs(scope).get("user_id", [""])[0])


def _note(one: Mapping[str, Any]) -> Note:
    text = one.get("memory") or one.get("data")
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("it has no text under memory")
    own = (*OWN, "data", "text_lemmatized")
    about = {name: value for name, value in one.items() if name not in own and value not in (None, "", [], {})}
    about |= {"metadata": one["metadata"]} if one.get("metadata") else {}
    when = moment(one.get("updated_at")) or moment(one.get("created_at"))
    until = moment(one.get("expiration_date"))
    if until and until.date() == date.max:
        until = None  # never
    elif until and len(str(one["expiration_date"])) == len("2030-01-31"):
        until += timedelta(days=1)  # mem0 keeps it for the whole of that day
    tags = [str(name) for name in one.get("categories") or ()]
    details = {"event_time": when, "valid_until": until, "tags": tags, "attributes": about}
    kept = {name: value for name, value in details.items() if value}
    return Note(str(one.get("id", "")), text.strip(), kept, whose=str(one.get("user_id") or ""))
