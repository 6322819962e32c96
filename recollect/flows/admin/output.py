"""A file to be written: it appears under its name only when it is whole, and never in place of a database."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from recollect.errors import InvalidInput

_DATABASE = b"SQLite format 3"


@contextmanager
def output(named: str | Path) -> Iterator[IO[str]]:
    """Give what to write the text of a file to."""
    target = Path(named)
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder: name a file in it")
    if not target.exists() or target.is_file():
        with _whole(target.resolve()) as out:
            yield out
    else:
        with target.open("w", encoding="utf-8", newline="\n") as out:  # a pipe or a device
            yield out


@contextmanager
def _whole(target: Path) -> Iterator[IO[str]]:
    if not target.parent.is_dir():
        raise InvalidInput(f"the folder {target.parent} does not exist: create it, or choose another")
    if target.is_file():
        with target.open("rb") as start:
            if start.read(len(_DATABASE)) == _DATABASE:  # it may be the very one that is read
                raise InvalidInput(f"{target} is a database: name another file for the export")
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
