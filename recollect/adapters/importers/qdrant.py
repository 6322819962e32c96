"""What stands in a folder of Qdrant's local mode, where mem0 keeps its memories unless it is told otherwise.

Points are pickled there. They are read without running anything of them: whatever a pickle names is an empty shell.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import rows
from recollect.errors import InvalidInput


class _Shell:
    """Stands for every class and function a pickle names: takes anything, does nothing, keeps what it is told."""

    def __init__(self, *given: Any) -> None:
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return _Shell


def records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every point: its id and its payload."""
    for row in rows(path, "SELECT point FROM points ORDER BY rowid"):
        fields = _fields(path, row["point"])
        if isinstance(fields.get("payload"), dict):
            yield str(fields.get("id", "")), dict(fields["payload"])


def _fields(path: Path, point: Any) -> dict[str, Any]:
    try:
        read = _Reader(io.BytesIO(point)).load()
    except (pickle.UnpicklingError, ValueError, TypeError, AttributeError, LookupError, EOFError) as error:
        raise InvalidInput(f"{path} cannot be read: a point in it is no pickle ({error})") from error
    state = getattr(read, "state", None)
    fields = state.get("__dict__") if isinstance(state, dict) else None
    return fields if isinstance(fields, dict) else {}
