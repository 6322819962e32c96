"""Numbered migrations: the schema is what running them all, in order, makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from recollect.errors import NewerSchema
from recollect.model.values import dataclass

_SCHEMA = Path(__file__).parent.parent / "schema"
_NAME = re.compile(r"(\d{4})_\w+\.sql")


class _Closes(Protocol):
    def close(self) -> object: ...


C = TypeVar("C", bound=_Closes)


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number and its statements."""

    number: int
    name: str
    statements: tuple[str, ...]


@cache
def migrations(engine: str) -> tuple[Migration, ...]:
    """Read an engine's migrations in order; numbers run from 1 without a gap."""
    found = []
    for file in sorted((_SCHEMA / engine).iterdir()):
        match = _NAME.fullmatch(file.name)
        if match:
            statements = tuple(part.strip() for part in file.read_text("utf-8").split(";") if part.strip())
            found.append(Migration(int(match[1]), file.name, statements))
    assert [step.number for step in found] == list(range(1, len(found) + 1)), "migrations must be 1, 2, 3 …"
    return tuple(found)


def newer(connect: Callable[[], C], version: Callable[[C], int]) -> NewerSchema | None:
    """Tell whether a newer program has changed the schema under this one, which then misses a table or column."""
    with closing(connect()) as connection:
        try:
            version(connection)
        except NewerSchema as error:
            return error
    return None
