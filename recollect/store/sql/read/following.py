"""One owner's columns in memory, brought up to the moment of a view, and which documents pass a filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.store.base import Counters, Place
from recollect.store.cache.columns import COLUMNS, CachedColumns
from recollect.store.sql.events import cut_upto
from recollect.store.sql.read.reading import SqlReading
from recollect.store.sql.rows import from_json
from recollect.store.sql.where import marks, padded, where
from recollect.store.sql.work import chunks
from recollect.text.arrays import Flags

PIECE = 50_000
"""How many documents are read at once: a row in Python takes ten times what is kept of it."""
RELOAD = 4
"""Columns with more than a quarter of their documents changed are read anew."""


class Following(SqlReading):
    """Keeps columns in step with the database: a look reads what the journal says has changed, whoever changed it."""

    _followed: tuple[str, CachedColumns] | None = None
    _passed: tuple[Filter, Flags] | None = None

    def columns(self, owner: str) -> CachedColumns:
        if self._followed is None or self._followed[0] != owner:  # one moment has one answer
            self._followed = (owner, self._caught_up(owner, self.counters(owner)))
        return self._followed[1]

    def _caught_up(self, owner: str, counters: Counters) -> CachedColumns:
        place = self._cache.take(owner)
        if not _knows(place.columns, counters):
            with place.guard:
                if not _knows(place.columns, counters):
                    place.columns = self._advanced(owner, place.columns, counters)
            self._cache.weigh(owner, place)
        # It may be ahead of this view, when another thread has looked later: that is as good.
        return place.columns

    def _advanced(self, owner: str, columns: CachedColumns, counters: Counters) -> CachedColumns:
        """Give columns that hold what this view sees: the old ones and what has changed since, or all anew."""
        changed = None if columns.born != counters.born or columns.rev < 0 else self._changed(owner, columns)
        if changed is None:
            new, rows = CachedColumns(), []
        else:
            ids, gone = changed
            rows = [row for some in chunks(ids) for row in self._placed(owner, some) if row[0] < columns.size]
            new = columns.copied(deep=bool(rows or gone))
            new.drop(gone)
        new.put(sorted(rows))
        sql = f"SELECT {COLUMNS} FROM memories WHERE owner = ? AND doc >= ? AND doc < ? ORDER BY doc"
        for first in range(new.upto, counters.next_doc, PIECE):
            new.put(self._rows(sql, (owner, first, min(first + PIECE, counters.next_doc))))
        new.born, new.rev, new.upto = counters.born, max(new.rev, counters.rev), max(new.upto, counters.next_doc)
        return new

    def _placed(self, owner: str, ids: Sequence[str]) -> list[Any]:
        among = padded(ids)
        return self._rows(f"SELECT {COLUMNS} FROM memories WHERE owner = ? AND id IN ({marks(among)})", (owner, *among))

    def _changed(self, owner: str, columns: CachedColumns) -> tuple[list[str], list[int]] | None:
        """Ask the journal for the memories changed and the documents gone since; None when it is too many."""
        sql = (
            "SELECT memory_id, op, meta FROM journal WHERE owner = ? AND rev > ? "
            "AND op NOT IN ('created', 'receipt', 'opened', 'linked', 'unlinked') ORDER BY rev, seq LIMIT ?"
        )
        most = 64 + columns.size // RELOAD
        lines = self._rows(sql, (owner, columns.rev, most))
        if len(lines) == most or any(_anew(op, meta, columns.rev) for _, op, meta in lines):
            return None
        gone = [(from_json(meta) or {}).get("doc", 0) for id, op, meta in lines if id and op in ("purged", "erased")]
        return list(dict.fromkeys(line[0] for line in lines if line[0])), gone

    def page(self, given: Filter, order: str, limit: int, offset: int = 0, after: Place | None = None) -> list[Memory]:
        # What an owner has none of need not be looked for, once the columns are at hand.
        if self._followed is not None and self._followed[0] == given.owner and self._followed[1].lack(given):
            limit = 0
        return super().page(given, order, limit, offset, after)

    def allowed(self, given: Filter) -> Flags:
        if self._passed is not None and self._passed[0] is given:  # every channel of a search asks
            return self._passed[1]
        columns = self.columns(given.owner)
        passed = columns.allowed(given)
        if passed is None:
            condition, params = where(given)
            rows = self._rows(f"SELECT m.doc FROM memories m WHERE {condition}", params)
            passed = columns.flags(row[0] for row in rows)
        self._passed = (given, passed)
        return passed


def _anew(op: str, meta: str | None, rev: int) -> bool:
    """Tell whether a journal line says that those before it do not tell all that has changed since a revision."""
    return op == "mended" or (op == "trimmed" and cut_upto(meta) > rev)


def _knows(columns: CachedColumns, counters: Counters) -> bool:
    """Tell whether columns hold all that a view sees."""
    return columns.born == counters.born and columns.rev >= counters.rev and columns.upto >= counters.next_doc
