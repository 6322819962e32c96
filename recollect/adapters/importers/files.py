"""A folder of Anthropic's memory tool: every text file in it becomes a file of the same path of our memory tool."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from recollect.adapters.importers.items import Found, Note
from recollect.errors import InvalidInput
from recollect.tools.anthropic import ROOT

NAME = "anthropic"
TEXT = "the folder in which a memory tool keeps its files"


def read(path: Path) -> Iterator[Found]:
    """Give each file as a document whose key is its path, as the memory tool keeps them."""
    if not path.is_dir():
        raise InvalidInput(f"{path} is no folder: name the folder of the memory tool")
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        inside = file.relative_to(path)
        if any(part.startswith(".") for part in inside.parts):
            continue
        text = file.read_text("utf-8", errors="replace").replace("\0", "")
        place = inside.as_posix().removeprefix("memories/")
        at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        if text.strip():
            yield Note(place, text, {"kind": "document", "key": f"{ROOT}/{place}", "event_time": at})
