"""What MemPalace keeps: the drawers of its palace, read from the database of Chroma they stand in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.adapters.importers.chroma import DOCUMENT, records
from recollect.adapters.importers.items import Found, Note, is_sqlite, moment
from recollect.errors import InvalidInput

NAME = "mempalace"
TEXT = "the folder of a palace, or the chroma.sqlite3 in it"


def read(path: Path) -> Iterator[Found]:
    """Give every drawer as a passage, filed under its wing and room."""
    found = [path] if is_sqlite(path) else sorted(path.rglob("chroma.sqlite3")) if path.is_dir() else []
    if not found:
        raise InvalidInput(f"{path} is no palace: there is no chroma.sqlite3 in it")
    for file in found:
        for id, drawer in records(file):
            text = str(drawer.pop(DOCUMENT, "") or "").strip()
            if text:
                yield _note(id, text, drawer)


def _note(id: str, text: str, about: dict[str, Any]) -> Note:
    rooms = [str(about[name]) for name in ("wing", "room") if about.get(name)]
    at = moment(about.get("filed_at")) or moment(about.get("timestamp")) or moment(about.get("date"))
    more = {"event_time": at} if at else {}
    return Note(id, text, {"kind": "passage", "topic": "/".join(rooms)[:255], "attributes": about, **more})
