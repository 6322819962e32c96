"""One connection inside one read transaction: what every part of a view stands on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recollect.store.base import Counters
from recollect.store.cache.columns import ColumnCache
from recollect.store.writer import Connection

_COUNTERS = "SELECT rev, docs, total_length, vec_rev, model, next_doc FROM owners WHERE owner = ?"
Stream = Callable[[str, Sequence[Any]], Iterator[Sequence[Any]]]


class Moment:
    """Rows of one moment, and what is kept in memory for searching."""

    def __init__(self, db: Connection, stream: Stream, cache: ColumnCache) -> None:
        self._db = db
        self._stream = stream
        self._cache = cache
        self._counted: tuple[str, Counters] | None = None

    def _rows(self, sql: str, params: Sequence[Any] = ()) -> list[Any]:
        rows = self._db.execute(sql, params).fetchall()
        return rows if isinstance(rows, list) else list(rows)

    def counters(self, owner: str) -> Counters:
        """Give an owner's counters, the same ones throughout the moment."""
        if self._counted is None or self._counted[0] != owner:  # one moment has one answer
            rows = self._rows(_COUNTERS, (owner,))
            self._counted = (owner, Counters(*rows[0]) if rows else Counters())
        return self._counted[1]
