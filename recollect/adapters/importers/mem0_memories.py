"""What mem0 kept: what `get_all` gives, or an export of its platform, saved as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import Found, Note, loaded, moment, objects
from recollect.errors import InvalidInput

NAME = "mem0"
TEXT = "JSON of memory.get_all(…) or of an export of the platform"
OWN = ("id", "memory", "hash", "metadata", "created_at", "updated_at", "event_date", "expiration_date", "categories")


def read(path: Path) -> Iterator[Found]:
    """Give every memory with its metadata and ids."""
    for _, data in loaded(path):
        listed = data.get("results", data.get("memories")) if isinstance(data, dict) else data
        for one in objects(listed, "dump of mem0"):
            yield _note(one)


def _note(one: Mapping[str, Any]) -> Note:
    text = one.get("memory") or one.get("data")
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("this is no dump of mem0: an entry has no memory")
    about = {name: value for name, value in one.items() if name not in OWN and value not in (None, "", [], {})}
    about |= {"metadata": one["metadata"]} if one.get("metadata") else {}
    when = moment(one.get("updated_at")) or moment(one.get("created_at"))
    until = moment(one.get("expiration_date"))
    tags = [str(name) for name in one.get("categories") or ()]
    details = {"event_time": when, "valid_until": until, "tags": tags, "attributes": about}
    return Note(str(one.get("id", "")), text.strip(), {name: value for name, value in details.items() if value})
