"""Reading who and what an owner's memories are about, in portable SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.model.entity import Entity
from recollect.store.base import Reading
from recollect.store.sql.read.moment import Moment
from recollect.store.sql.where import escaped, marks, padded
from recollect.store.sql.work import chunks

_ENTITY = "e.id, e.name, e.type, e.mentions, e.protected"
_LOOKED_THROUGH = 2000
"""How many memories of one entity are looked through for others beside it."""
_BESIDE = (
    "SELECT b.to_id, COUNT(*) FROM (SELECT from_id FROM links WHERE owner = ? AND to_id = ? AND type = 'mentions' "
    "ORDER BY from_id DESC LIMIT ?) a JOIN memories m ON m.owner = ? AND m.id = a.from_id AND m.state = 'active' "
    "JOIN links b ON b.owner = ? AND b.from_id = a.from_id AND b.type = 'mentions' AND b.to_id <> ? "
    "GROUP BY b.to_id ORDER BY COUNT(*) DESC, b.to_id"
)
_PAIRS = (
    "SELECT a.to_id, b.to_id, COUNT(*) FROM links a JOIN links b ON b.owner = a.owner AND b.from_id = a.from_id "
    "AND b.type = 'mentions' AND a.to_id < b.to_id JOIN memories m ON m.owner = a.owner AND m.id = a.from_id "
    "AND m.state = 'active' WHERE a.owner = ? AND a.type = 'mentions'{among} GROUP BY a.to_id, b.to_id"
)
_FEW = 400


class SqlPeople(Moment, Reading):
    """Reads entities and what is mentioned together."""

    def known(self, owner: str, part: str, kind: str, limit: int, offset: int = 0) -> list[Entity]:
        sql = f"SELECT {_ENTITY} FROM entities e WHERE e.owner = ? AND (? = '' OR e.type = ?)"
        params: list[Any] = [owner, kind, kind]
        if part:
            sql += (
                " AND EXISTS (SELECT 1 FROM names n WHERE n.owner = e.owner AND n.entity_id = e.id"
                " AND n.folded LIKE ? ESCAPE '!')"
            )
            params.append(f"%{escaped(part)}%")
        rows = self._rows(f"{sql} ORDER BY e.mentions DESC, e.name, e.id LIMIT ? OFFSET ?", (*params, limit, offset))
        return self._made(owner, rows)

    def by_id(self, owner: str, ids: Sequence[str]) -> list[Entity]:
        rows: list[Any] = []
        for some in chunks(ids):
            wanted = padded(some)
            sql = f"SELECT {_ENTITY} FROM entities e WHERE e.owner = ? AND e.id IN ({marks(wanted)})"
            rows += self._rows(sql, (owner, *wanted))
        found = {one.id: one for one in self._made(owner, rows)}
        return [found[one] for one in ids if one in found]

    def _made(self, owner: str, rows: Sequence[Any]) -> list[Entity]:
        called: dict[str, set[str]] = {}
        for some in chunks([row[0] for row in rows]):
            wanted = padded(some)
            sql = f"SELECT entity_id, folded FROM names WHERE owner = ? AND entity_id IN ({marks(wanted)})"
            for entity, folded in self._rows(sql, (owner, *wanted)):
                called.setdefault(entity, set()).add(folded)
        return [
            Entity(id, name, type, tuple(sorted(called.get(id, ()))), mentions, protected=bool(protected))
            for id, name, type, mentions, protected in rows
        ]

    def near(self, owner: str, entity: str) -> list[tuple[str, int]]:
        rows = self._rows(_BESIDE, (owner, entity, _LOOKED_THROUGH, owner, owner, entity))
        return [(other, int(many)) for other, many in rows]

    def joined(self, owner: str, ids: Sequence[str]) -> list[tuple[str, str, int]]:
        among, wanted, params = "", set(ids), [owner]
        if len(ids) <= _FEW:  # of more it is quicker to read all and to leave out than to ask for each
            if not ids:
                return []
            listed = marks(ids)
            among, params = f" AND a.to_id IN ({listed}) AND b.to_id IN ({listed})", [owner, *ids, *ids]
        rows = self._rows(_PAIRS.format(among=among), params)
        kept = [(first, second, int(many)) for first, second, many in rows if first in wanted and second in wanted]
        return sorted(kept)
