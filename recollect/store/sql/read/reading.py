"""Reading one owner in portable SQL: memories, entities, links, sessions and the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.asking import Call, Spending
from recollect.model.clock import from_ms, to_ms
from recollect.model.entity import Entity
from recollect.model.filter import Filter
from recollect.model.hit import Entry, Growth, Stats
from recollect.model.memory import Link, Memory, Session
from recollect.model.receipt import Receipt
from recollect.model.window import Checkpoint, Window
from recollect.store.base import ORDERS, Line, Place
from recollect.store.sql.apply import IN_SLOT, REPLAY, TWIN, request_key
from recollect.store.sql.calls import logged, one_call
from recollect.store.sql.read.people import SqlPeople
from recollect.store.sql.rows import PLAIN, TOLD, USUAL, from_json, from_row, from_said
from recollect.store.sql.spending import READ
from recollect.store.sql.spending import from_row as spending
from recollect.store.sql.where import escaped, marks, padded, where
from recollect.store.sql.windows import NEWEST, OLDER, READ_CHECKPOINT, READ_WINDOW, checkpoint, window
from recollect.store.sql.work import chunks

DAY_MS = 86_400_000
ROW = ", ".join(f'm."{column}"' for column in PLAIN)
"""What `from_row` reads of `memories m`."""
_TOLD = ", ".join(f'm."{column}"' for column in TOLD)
_LEFT_OUT = {"tags": "'[]'", "content": "''"}
_BARE = ", ".join(_LEFT_OUT.get(column) or f'm."{column}"' for column in PLAIN)
MOST_HELD = 20_000
MOST_JOINED = 1000
"""Of how many memories a view keeps the links in mind."""
_BY = {
    "importance": "COALESCE(m.importance, 0)",
    "updated": "m.updated_at",
    "event": "m.event_time",
    "used": "COALESCE(m.last_accessed, 0)",
}
_ORDER = {
    "recent": "m.doc DESC",
    "oldest": "m.doc",
    **{order: f"{value} DESC, m.doc DESC" for order, value in _BY.items()},
}
assert tuple(_ORDER) == ORDERS
_WEIGHT = "COALESCE(m.importance, 0) * (m.access_count + 1), COALESCE(m.last_accessed, m.created_at), m.id"
_RARE = frozenset(("block", "lesson", "portrait", "procedure", "reflection", "summary"))
"""Kinds an owner has few of."""
_WAITING = frozenset(("proposed", "quarantined"))
"""States few memories are in."""
_SESSION = "id, agent, first_seen, last_seen, consolidated_upto, seen_rev"
_LINKS = "SELECT from_id, to_id, type, strength, created_at FROM links WHERE owner = ? AND"
_RESTS = "SELECT l.from_id, COUNT(*) FROM links l WHERE l.owner = ? AND l.type = 'derived_from'"
_REACHED = "SELECT 1 FROM memories m WHERE m.owner = l.owner AND m.id = l.to_id AND m.state"
_STANDS = f"{_REACHED} = 'active' AND (m.valid_until IS NULL OR m.valid_until > ?)"
_HAS_STOOD = f"{_REACHED} IN ('active', 'superseded', 'merged')"
LINE = 'rev, seq, at, op, memory_id, node, actor, session, status, "before", meta'


def _behind(order: str, after: Place) -> tuple[str, list[int]]:
    """Give the condition that a memory stands behind a place of an order."""
    value, doc = after
    if order not in _BY:
        return f"m.doc {'>' if order == 'oldest' else '<'} ?", [doc]
    return f"({_BY[order]} < ? OR ({_BY[order]} = ? AND m.doc < ?))", [value, value, doc]


class SqlReading(SqlPeople):
    """Reads what one owner has."""

    _joined: tuple[str, dict[str, list[Link]]] | None = None
    """The links of the memories asked about last: one moment has one answer, and a search asks three times."""

    def replay(self, owner: str, request_id: str) -> Receipt | None:
        key = (owner, request_key(request_id))
        rows = self._rows(REPLAY, (*key, *key))
        return Receipt.from_json(from_json(rows[0][0])) if rows else None

    def get(self, owner: str, ids: Sequence[str]) -> list[Memory]:
        found: dict[str, Memory] = {}
        for some in chunks(ids):
            sql = f"SELECT {ROW} FROM memories m WHERE m.owner = ? AND m.id IN ({marks(padded(some))})"
            for row in self._rows(sql, (owner, *padded(some))):
                memory = from_row(row)
                found[memory.id] = memory
        return [found[one] for one in ids if one in found]

    def documents(self, owner: str, docs: Sequence[int], *, said: bool = False) -> dict[int, Memory]:
        found: dict[int, Memory] = {}
        for some in chunks(docs):
            if said:  # more than half of the columns need not be read
                for row in self._numbered(f"SELECT {_TOLD}", owner, some, f" AND {USUAL}"):
                    found[row[-1]] = from_said(owner, row)
                some = [doc for doc in some if doc not in found]
            for row in self._numbered(f"SELECT {ROW}", owner, some) if some else ():
                found[row[-1]] = from_row(row)
        return found

    def _numbered(self, select: str, owner: str, docs: Sequence[int], condition: str = "") -> list[Any]:
        wanted = padded(docs)
        sql = f"{select}, m.doc FROM memories m WHERE m.owner = ? AND m.doc IN ({marks(wanted)}){condition}"
        return self._rows(sql, (owner, *wanted))

    def numbers(self, owner: str, ids: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for some in chunks(ids):
            sql = f"SELECT id, doc FROM memories WHERE owner = ? AND id IN ({marks(padded(some))})"
            found.update(self._rows(sql, (owner, *padded(some))))
        return found

    def page(self, given: Filter, order: str, limit: int, offset: int = 0, after: Place | None = None) -> list[Memory]:
        if order not in ORDERS:
            raise InvalidInput(f"unknown order {order!r}: use one of {', '.join(ORDERS)}")
        if not limit:
            return []
        condition, params = where(given)
        if after is not None:
            beyond, more = _behind(order, after)
            condition, params = f"{condition} AND {beyond}", [*params, *more]
        # Of what is rare it is quicker to find all and sort them than to look through everything in order.
        rare = _RARE.issuperset(given.kinds or ("episode",)) or _WAITING.issuperset(given.states or ("active",))
        by = f"+{_ORDER[order]}" if rare and _ORDER[order].startswith("m.doc") else _ORDER[order]
        sql = f"SELECT {ROW} FROM memories m WHERE {condition} ORDER BY {by} LIMIT ? OFFSET ?"
        return [from_row(row) for row in self._rows(sql, (*params, limit, offset))]

    def lives(self, given: Filter) -> Iterator[Memory]:
        condition, params = where(given)
        sql = f"SELECT {_BARE} FROM memories m WHERE {condition}"
        rows = self._rows(f"{sql} LIMIT {MOST_HELD + 1}", params)
        # Most owners have few; who has very many is not held in memory all at once.
        yield from map(from_row, rows if len(rows) <= MOST_HELD else self._stream(sql, params))

    def lightest(self, given: Filter, limit: int, offset: int = 0) -> list[Memory]:
        condition, params = where(given)
        sql = f"SELECT {ROW} FROM memories m WHERE {condition} ORDER BY {_WEIGHT} LIMIT ? OFFSET ?"
        return [from_row(row) for row in self._rows(sql, (*params, limit, offset))]

    def count(self, given: Filter) -> int:
        condition, params = where(given)
        total: int = self._rows(f"SELECT COUNT(*) FROM memories m WHERE {condition}", params)[0][0]
        return total

    def active_with_hash(self, owner: str, kind: str, content_hash: str, now: datetime) -> str | None:
        rows = self._rows(TWIN, (owner, content_hash, kind, to_ms(now)))
        return rows[0][0] if rows else None

    def slot_with_hash(self, owner: str, kind: str, content_hash: str, now: datetime) -> str | None:
        rows = self._rows(IN_SLOT, (owner, content_hash, kind, to_ms(now)))
        return rows[0][0] if rows else None

    def slot(self, owner: str, agent: str, kind: str, key: str) -> Memory | None:
        sql = f"SELECT {ROW} FROM memories m WHERE m.owner = ? AND m.agent = ? AND m.kind = ? AND m.live_key = ?"
        rows = self._rows(sql, (owner, agent, kind, key))
        return from_row(rows[0]) if rows else None

    def entities(self, owner: str, names: Sequence[str], kind: str = "") -> list[Entity]:
        found: dict[str, Entity] = {}
        for some in chunks(names):
            wanted = padded(some)
            sql = (
                "SELECT DISTINCT e.id, e.name, e.type, e.mentions, e.protected FROM names n "
                "JOIN entities e ON e.owner = n.owner AND e.id = n.entity_id "
                f"WHERE n.owner = ? AND n.folded IN ({marks(wanted)}) AND (? = '' OR e.type = ?)"
            )
            for id, name, type, mentions, protected in self._rows(sql, (owner, *wanted, kind, kind)):
                found[id] = Entity(id, name, type, self._aliases(owner, id), mentions, protected=bool(protected))
        return sorted(found.values(), key=lambda entity: (-entity.mentions, entity.name))

    def namesakes(self, owner: str, name: str) -> list[Entity]:
        part = escaped(name)
        sql = (
            "SELECT DISTINCT e.id, e.name, e.type, e.mentions, e.protected FROM names n "
            "JOIN entities e ON e.owner = n.owner AND e.id = n.entity_id WHERE n.owner = ? AND (n.folded = ? "
            "OR n.folded LIKE ? ESCAPE '!' OR n.folded LIKE ? ESCAPE '!' OR n.folded LIKE ? ESCAPE '!') ORDER BY e.id"
        )
        rows = self._rows(sql, (owner, name, f"{part} %", f"% {part}", f"% {part} %"))
        return [
            Entity(id, known, type, self._aliases(owner, id), mentions, protected=bool(protected))
            for id, known, type, mentions, protected in rows
        ]

    def _aliases(self, owner: str, entity: str) -> tuple[str, ...]:
        sql = "SELECT DISTINCT folded FROM names WHERE owner = ? AND entity_id = ? ORDER BY folded"
        return tuple(row[0] for row in self._rows(sql, (owner, entity)))

    def links(self, owner: str, ids: Sequence[str]) -> list[Link]:
        if self._joined is None or self._joined[0] != owner or len(self._joined[1]) > MOST_JOINED:
            self._joined = (owner, {})
        joined = self._joined[1]
        for some in chunks([one for one in dict.fromkeys(ids) if one not in joined]):
            joined.update(self._read_links(owner, some))
        found = {(link.from_id, link.to_id, link.type): link for one in ids for link in joined[one]}
        return [found[key] for key in sorted(found)]

    def _read_links(self, owner: str, ids: Sequence[str]) -> dict[str, list[Link]]:
        """Give the links of each of some memories, from it and to it."""
        wanted = padded(ids)
        among = marks(wanted)
        starting = self._rows(f"{_LINKS} from_id IN ({among})", (owner, *wanted))
        # Who links here, from the index: asked in one step, SQLite would read all of the owner's links.
        linking = f"SELECT from_id FROM links WHERE owner = ? AND to_id IN ({among})"
        ending = self._rows(f"{_LINKS} from_id IN ({linking}) AND to_id IN ({among})", (owner, owner, *wanted, *wanted))
        found: dict[str, list[Link]] = {one: [] for one in ids}
        for start, to, type, strength, at in (*starting, *ending):
            link = Link(start, to, type, strength, from_ms(at))
            for end in (start, to):
                if end in found:
                    found[end].append(link)
        return found

    def founded(self, owner: str, ids: Sequence[str], now: datetime | None) -> dict[str, int]:
        found: dict[str, int] = {}
        stands, at = (_HAS_STOOD, []) if now is None else (_STANDS, [to_ms(now)])
        for some in chunks(ids):
            wanted = padded(some)
            sql = f"{_RESTS} AND l.from_id IN ({marks(wanted)}) AND EXISTS ({stands}) GROUP BY l.from_id"
            found |= {one: int(many) for one, many in self._rows(sql, (owner, *wanted, *at))}
        return found

    def journal(self, owner: str, ids: Sequence[str] = (), since: int = 0, limit: int = 1000) -> list[Entry]:
        # Revisions first, from the index: asked in one step, SQLite would read the owner's whole journal.
        revs = f"rev IN (SELECT rev FROM journal WHERE owner = ? AND rev > ? AND memory_id IN ({marks(ids)}))"
        among = f"{revs} AND memory_id IN ({marks(ids)})" if ids else "rev > ?"
        sql = f"SELECT {LINE} FROM journal WHERE owner = ? AND {among} AND op <> 'receipt' ORDER BY rev, seq LIMIT ?"
        params = (owner, owner, since, *ids, *ids, limit) if ids else (owner, since, limit)
        return [entry(row) for row in self._rows(sql, params)]

    def happened(
        self, owner: str, after: datetime, before: datetime, limit: int, place: Line | None = None
    ) -> list[Entry]:
        # The last condition alone would do; the one before it lets every engine begin at the place in the index.
        at, rev, seq = place or (to_ms(before), 0, 0)
        sql = (
            f"SELECT {LINE} FROM journal WHERE owner = ? AND at >= ? AND at <= ? AND op <> 'receipt' "
            "AND (at < ? OR rev < ? OR (rev = ? AND seq < ?)) ORDER BY at DESC, rev DESC, seq DESC LIMIT ?"
        )
        return [entry(row) for row in self._rows(sql, (owner, to_ms(after), at, at, rev, rev, seq, limit))]

    def revision(self, owner: str, rev: int) -> list[Entry]:
        sql = f"SELECT {LINE} FROM journal WHERE owner = ? AND rev = ? AND op <> 'receipt' ORDER BY seq"
        return [entry(row) for row in self._rows(sql, (owner, rev))]

    def stats(self, owner: str) -> Stats:
        kinds: dict[str, int] = {}
        tiers: dict[str, int] = {}
        states: dict[str, int] = {}
        sql = "SELECT kind, tier, state, COUNT(*) FROM memories WHERE owner = ? GROUP BY kind, tier, state"
        for kind, tier, state, many in self._rows(sql, (owner,)):
            states[state] = states.get(state, 0) + many
            if state == "active":
                kinds[kind] = kinds.get(kind, 0) + many
                tiers[tier] = tiers.get(tier, 0) + many
        last = self._rows("SELECT created_at FROM memories WHERE owner = ? ORDER BY doc DESC LIMIT 1", (owner,))
        return Stats(
            owner=owner,
            rev=self.counters(owner).rev,
            kinds=dict(sorted(kinds.items())),
            tiers=dict(sorted(tiers.items())),
            states=dict(sorted(states.items())),
            sessions=self._rows("SELECT COUNT(*) FROM sessions WHERE owner = ? AND id <> ''", (owner,))[0][0],
            entities=self._rows("SELECT COUNT(*) FROM entities WHERE owner = ?", (owner,))[0][0],
            latest=from_ms(last[0][0]) if last else None,
        )

    def growth(self, owner: str, since: datetime) -> list[Growth]:
        # Rounding is what the engines agree upon: they divide whole numbers each in a way of its own.
        day = f"ROUND(created_at / {DAY_MS}.0 - 0.5)"
        sql = f"SELECT {day}, kind, COUNT(*) FROM memories WHERE owner = ? AND created_at >= ? GROUP BY {day}, kind"
        rows = [(int(at) * DAY_MS, kind, many) for at, kind, many in self._rows(sql, (owner, to_ms(since)))]
        return [Growth(from_ms(at).date().isoformat(), kind, many) for at, kind, many in sorted(rows)]

    def sessions(self, owner: str) -> list[Session]:
        sql = f"SELECT {_SESSION} FROM sessions WHERE owner = ? ORDER BY last_seen DESC, id"
        return [_session(row) for row in self._rows(sql, (owner,))]

    def last_session(self, owner: str, but: str) -> str:
        sql = "SELECT id FROM sessions WHERE owner = ? AND id <> ? ORDER BY last_seen DESC, id LIMIT 1"
        rows = self._rows(sql, (owner, but))
        return str(rows[0][0]) if rows else ""

    def session(self, owner: str, session: str) -> Session | None:
        rows = self._rows(f"SELECT {_SESSION} FROM sessions WHERE owner = ? AND id = ?", (owner, session))
        return _session(rows[0]) if rows else None

    def window(self, owner: str, session: str) -> Window | None:
        rows = self._rows(READ_WINDOW, (owner, session))
        return window(rows[0]) if rows else None

    def laid(self, owner: str, session: str, limit: int) -> list[tuple[datetime, str, str, str, int]]:
        there = "FROM events WHERE owner = ? AND session = ? AND node = 'context'"
        since = self._rows(
            f"SELECT at {there} AND op = 'laid' ORDER BY at DESC, id DESC LIMIT 1 OFFSET ?", (owner, session, limit - 1)
        )
        wanted = f"{there} AND op IN ('shown', 'laid') AND at >= ? ORDER BY at, id"
        bound = (owner, session, since[0][0] if since else 0)
        rows = self._rows(f"SELECT at, op, status, memory_id, category {wanted}", bound)
        return [(from_ms(at), op, profile, memory, int(many or 0)) for at, op, profile, memory, many in rows]

    def told(self, owner: str, agent: str) -> int:
        sql = "SELECT COALESCE(MAX(seen_rev), 0) FROM windows WHERE owner = ? AND agent = ?"
        return int(self._rows(sql, (owner, agent))[0][0])

    def checkpoints(
        self, owner: str, session: str, ns: str | None, limit: int, id: str = "", before: str = ""
    ) -> list[Checkpoint]:
        sql, params = READ_CHECKPOINT, [owner, session]
        for condition, value in (("ns = ?", ns), ("id = ?", id or None)):
            if value is not None:
                sql, params = f"{sql} AND {condition}", [*params, value]
        if before:
            known = self.checkpoints(owner, session, ns, 1, id=before)
            at = to_ms(known[0].created_at) if known else None
            # One that is gone by now is known by its id alone.
            older, more = ("id < ?", [before]) if at is None else (OLDER, [at, at, before])
            sql, params = f"{sql} AND {older}", [*params, *more]
        return [checkpoint(row) for row in self._rows(f"{sql} {NEWEST} LIMIT ?", (*params, limit))]

    def said(self, owner: str, session: str, after: int, limit: int) -> list[tuple[int, Memory]]:
        sql = (
            f"SELECT {ROW}, m.doc FROM memories m WHERE m.owner = ? AND m.session = ? AND m.doc > ? "
            "AND m.kind = 'episode' AND m.state = 'active' ORDER BY m.doc LIMIT ?"
        )
        return [(row[-1], from_row(row)) for row in self._rows(sql, (owner, session, after, limit))]

    def progress(self, owner: str) -> dict[str, tuple[int, int]]:
        sql = (
            "SELECT s.id, COUNT(*), SUM(CASE WHEN m.doc <= s.consolidated_upto THEN 1 ELSE 0 END) FROM sessions s "
            "JOIN memories m ON m.owner = s.owner AND m.session = s.id WHERE s.owner = ? AND m.owner = ? "
            "AND m.kind = 'episode' AND m.state = 'active' GROUP BY s.id"
        )
        return {session: (int(many), int(done)) for session, many, done in self._rows(sql, (owner, owner))}

    def spent(self, owner: str, since_day: str = "") -> list[Spending]:
        sql = f"SELECT {READ} FROM spend WHERE owner = ? AND day >= ? ORDER BY day, role, job, session"
        return [spending(row) for row in self._rows(sql, (owner, since_day))]

    def logged(self, owner: str, session: str, before: str, limit: int) -> list[Call]:
        return logged(self._rows, owner, session, before, limit)

    def call(self, owner: str, id: str) -> Call | None:
        return one_call(self._rows, owner, id)

    def embeddings(self, owner: str, model: str, docs: Sequence[int]) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        for some in chunks(docs):
            among = padded(some)
            sql = f"SELECT doc, embedding FROM vectors WHERE owner = ? AND model = ? AND doc IN ({marks(among)})"
            found.update(self._rows(sql, (owner, model, *among)))
        return found


def entry(row: Sequence[Any]) -> Entry:
    """Read a line of the journal."""
    rev, seq, at, op, about, node, actor, session, status, before, meta = row
    return Entry(rev, seq, from_ms(at), op, about, node, actor, session, status, from_json(before), from_json(meta))


def _session(row: Sequence[Any]) -> Session:
    id, agent, first, last, upto, seen = row
    return Session(id, agent, from_ms(first), from_ms(last), upto, seen)
