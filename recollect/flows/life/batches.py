"""Files of an archive: a manifest with checksums and the memories behind it, as compressed lines of JSON.

A file is written in one piece, read back and compared before anybody relies on it. Reading one checks everything again,
so that what was damaged, swapped or cut off is told by its name instead of being taken for a memory.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.errors import StoreError
from recollect.model.clock import from_ms, to_ms
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.providers.archives import Archive
from recollect.store.sql.rows import to_json, to_row

FORMAT, VERSION = "recollect-archive", 1
END = ".jsonl.gz"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """One file, read and found whole: its rows by id, in order."""

    made_at: datetime
    rows: Mapping[str, Row]
    size: int


def line_of(memory: Memory) -> dict[str, Any]:
    """Give a memory as its line has it: all columns, as an export shows them."""
    row = {name: value for name, value in to_row(memory).items() if name not in ("owner", "archive")}
    return row | {"tags": list(memory.tags), "attributes": dict(memory.attributes)}


def write(archive: Archive, name: str, rows: Sequence[Row], at: datetime) -> None:
    """Write rows as a file and read it back; when it does not hold them, it is taken away and that is an error."""
    body = "".join(to_json(row) + "\n" for row in rows)
    manifest = {
        "format": FORMAT, "version": VERSION, "name": name, "made_at": to_ms(at), "rows": len(rows),
        "sha256": _sha(body),
    }  # fmt: skip
    head = to_json({**manifest, "check": _sha(to_json(manifest))})
    archive.write(name + END, gzip.compress(f"{head}\n{body}".encode(), mtime=0))
    try:
        if list(read(archive, name).rows.values()) != [dict(row) for row in rows]:
            raise StoreError(f"the archive file {name}{END} does not hold what was written to it")
    except StoreError:
        remove(archive, name)
        raise


def remove(archive: Archive, name: str) -> None:
    """Take a file away."""
    archive.remove(name + END)


def read(archive: Archive, name: str) -> Batch:
    """Read a file whole and checked; raises `StoreError` naming a file that is missing, damaged or foreign."""
    data = archive.read(name + END)
    if data is None:
        raise StoreError(f"the archive file {name}{END} is missing")
    try:
        head, _, body = gzip.decompress(data).decode().partition("\n")
        manifest = json.loads(head)
        check = manifest.pop("check")
        if (manifest["format"], manifest["version"]) != (FORMAT, VERSION):
            raise _Foreign(f"it is no {FORMAT} of version {VERSION}")
        if check != _sha(to_json(manifest)) or manifest["sha256"] != _sha(body):
            raise ValueError("its checksum does not fit")
        if manifest["name"] != name:
            raise _Foreign(f"it is {manifest['name']}")
        rows = {row["id"]: row for row in map(json.loads, body.splitlines())}
        if len(rows) != manifest["rows"]:
            raise ValueError("it does not hold as many memories as it says")
        return Batch(from_ms(manifest["made_at"]), rows, len(data))
    except _Foreign as error:
        raise StoreError(f"the archive file {name}{END} is foreign: {error}") from error
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
        raise StoreError(f"the archive file {name}{END} is damaged or foreign: {error}") from error


class _Foreign(Exception):
    """A file that is whole, but not the one that was looked for."""


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
