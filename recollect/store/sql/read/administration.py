"""Reading for administration in portable SQL: all owners, whole tables, what is missing, old or unjudged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.model.clock import from_ms, to_ms
from recollect.model.event import Activity, Old
from recollect.model.filter import Filter
from recollect.model.job import Finding
from recollect.model.memory import Link, Memory
from recollect.model.owner import is_tenant
from recollect.store.base import LEFT, Administration
from recollect.store.cache.blocks import block_of, first_of
from recollect.store.sql.calls import old_calls
from recollect.store.sql.check import check
from recollect.store.sql.events import activity, old_events, old_lines
from recollect.store.sql.load import COLUMNS
from recollect.store.sql.naming import STAMP
from recollect.store.sql.packs import DONE
from recollect.store.sql.read.queue import SqlQueue
from recollect.store.sql.read.reading import ROW, SqlReading
from recollect.store.sql.rows import DERIVED, JSON_COLUMNS, from_json, from_row, quoted, unpack_terms
from recollect.store.sql.where import escaped, marks, padded, where
from recollect.store.sql.work import chunks

_DUMP_ORDER = {
    "sessions": "id",
    "memories": "doc",
    "entities": "id",
    "names": "folded, type",
    "links": "from_id, to_id, type",
    "journal": "rev, seq",
    "jobs": 'name, "key"',
    "spend": "day, role, job, session",
    "windows": "session",
    "checkpoints": "session, ns, id",
}
_PLACE = "(SELECT COUNT(*) FROM memories m WHERE m.owner = ? AND m.doc <= sessions.consolidated_upto)"
"""Document numbers are made anew when an export is put back, without gaps: there this place is the number."""
_STAMPED = f'%"{escaped(STAMP)}":%'


class SqlAdministration(SqlReading, SqlQueue, Administration):
    """Reads what is looked at to care for a database."""

    def owners(self) -> list[str]:
        rows = self._rows("SELECT owner FROM owners WHERE owner <> '' ORDER BY owner")
        return [row[0] for row in rows if not is_tenant(row[0])]

    def unread(self, given: Filter, few: int, limit: int, below: int = 0) -> list[Memory]:
        condition, params = where(given)
        if below:
            condition, params = f"{condition} AND m.doc < ?", [*params, below]
        sql = (
            f"SELECT {ROW} FROM memories m WHERE {condition} AND m.attributes NOT LIKE ? ESCAPE '!' AND (SELECT "
            "COUNT(*) FROM links l JOIN entities e ON e.owner = l.owner AND e.id = l.to_id WHERE l.owner = ? "
            "AND l.from_id = m.id AND l.type = 'mentions' AND e.type <> 'name') <= ? "
            "ORDER BY m.doc DESC LIMIT ?"
        )
        return [from_row(row) for row in self._rows(sql, (*params, _STAMPED, given.owner, few, limit))]

    def unjudged(self, owner: str, limit: int, judged_before: datetime | None = None) -> list[Link]:
        which = "strength < ?" if judged_before is None else "strength >= 1 AND created_at <= ?"
        sql = (
            "SELECT from_id, to_id, type, strength, created_at FROM links "
            f"WHERE owner = ? AND type = 'compared' AND {which} ORDER BY created_at, from_id, to_id LIMIT ?"
        )
        bound = LEFT if judged_before is None else to_ms(judged_before)
        rows = self._rows(sql, (owner, bound, limit))
        return [Link(start, to, type, strength, from_ms(at)) for start, to, type, strength, at in rows]

    def activity(self, owner: str, days: Sequence[datetime]) -> list[Activity]:
        return activity(self._rows, owner, days)

    def old_events(self, owner: str, before: datetime, most: int) -> Old:
        return old_events(self._rows, owner, to_ms(before), most)

    def old_calls(self, owner: str, before: datetime, most: int) -> Old:
        return old_calls(self._rows, owner, to_ms(before), most)

    def old_lines(self, owner: str, before: datetime, most: int, after: int = 0) -> Old:
        return old_lines(self._rows, owner, to_ms(before), most, after)

    def dump(self, owner: str, table: str) -> Iterator[Mapping[str, Any]]:
        columns = [column for column in COLUMNS[table] if column not in DERIVED and column != "owner"]
        wanted, params = quoted(columns), [owner]
        if table == "sessions":
            wanted, params = wanted.replace('"consolidated_upto"', _PLACE), [owner, owner]
        sql = f"SELECT {wanted} FROM {table} WHERE owner = ? ORDER BY {_DUMP_ORDER[table]}"
        for row in self._stream(sql, params):
            yield {
                column: from_json(value) if column in JSON_COLUMNS else value
                for column, value in zip(columns, row, strict=True)
            }

    def check(self, owner: str) -> list[Finding]:
        return check(self._db, owner)

    def pending(self, owner: str, model: str, after: int, limit: int) -> list[tuple[int, str]]:
        sql = (
            "SELECT m.doc, m.id FROM memories m WHERE m.owner = ? AND m.doc > ? AND m.state <> 'deleted' "
            "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.owner = m.owner AND v.model = ? AND v.doc = m.doc) "
            "ORDER BY m.doc LIMIT ?"
        )
        return [(row[0], row[1]) for row in self._rows(sql, (owner, after, model, limit))]

    def unpacked(self, owner: str) -> tuple[int, list[tuple[int, Mapping[str, int]]]] | None:
        sql = "SELECT block FROM packs WHERE owner = ? AND term = ?"
        done = {row[0] for row in self._rows(sql, (owner, DONE))}
        whole = block_of(self.counters(owner).next_doc)
        block = next((one for one in range(whole) if one not in done), None)
        if block is None:
            return None
        sql = "SELECT doc, terms FROM memories WHERE owner = ? AND doc >= ? AND doc < ? ORDER BY doc"
        rows = self._rows(sql, (owner, first_of(block), first_of(block + 1)))
        return block, [(doc, unpack_terms(terms)) for doc, terms in rows]

    def before(self, owner: str, ids: Sequence[str]) -> dict[str, Memory]:
        found: dict[str, int] = {}
        for some in chunks(ids):
            among = padded(some)
            sql = (
                "SELECT m.id, (SELECT p.doc FROM memories p WHERE p.owner = ? AND p.session = m.session "
                "AND p.doc < m.doc AND p.kind = 'episode' AND p.state = 'active' ORDER BY p.doc DESC LIMIT 1) "
                "FROM memories m WHERE m.owner = ? AND m.kind = 'episode' AND m.session <> '' "
                f"AND m.id IN ({marks(among)})"
            )
            found |= {id: doc for id, doc in self._rows(sql, (owner, owner, *among)) if doc is not None}
        memories = self.documents(owner, sorted(set(found.values())))
        return {id: memories[doc] for id, doc in found.items() if doc in memories}

    def embedded(self, owner: str) -> Mapping[str, int]:
        sql = "SELECT model, COUNT(*) FROM vectors WHERE owner = ? GROUP BY model ORDER BY model"
        return dict(self._rows(sql, (owner,)))
