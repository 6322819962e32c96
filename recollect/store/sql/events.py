"""Events and the age of the journal: noted in memory, written a little later, counted, and cut in time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from recollect.model import change as c
from recollect.model.clock import from_ms, to_ms
from recollect.model.event import Activity, Event, Old
from recollect.store.sql.jobs import enqueue_all
from recollect.store.sql.rows import from_json
from recollect.store.sql.where import marks, padded
from recollect.store.sql.work import Locks, Work, chunks
from recollect.store.writer import Connection

Then = Callable[[str, datetime], c.Enqueue | None]
"""Gives what is due later for an owner of whom something happened at a moment."""
Rows = Callable[[str, Sequence[Any]], list[Any]]
Noted = tuple[Event, int, str]
"""An event, when it happened in milliseconds, and its id."""

EVERY = 5.0
FULL = 1024
"""From how many events on they are written without waiting any longer."""
MOST = 16_384
"""How many wait at most; when nobody can write, the oldest go."""
TOGETHER = 64
"""The events of how many owners are written in one transaction: none of them is locked for long."""
COLUMNS = "owner, at, id, session, node, op, status, memory_id, category, sim"
GONE = (
    "NOT EXISTS (SELECT 1 FROM memories m WHERE m.owner = ? AND m.id = journal.memory_id) AND NOT (op = 'united' "
    "AND EXISTS (SELECT 1 FROM entities e WHERE e.owner = ? AND e.id = journal.memory_id))"
)
"""Of a journal line: it tells of nothing that is there. What two names were before they became one stays with them."""


class Waiting:
    """Events on their way into the database, as many as memory may hold."""

    def __init__(self, most: int = MOST) -> None:
        self._noted: deque[Noted] = deque(maxlen=most)
        self._since = 0.0
        self._underway = False
        self._guard = threading.Lock()
        self.dropped = 0
        """How many were never written, because there were too many or the database failed."""

    def add(self, noted: Noted) -> tuple[bool, bool]:
        """Take an event in; say whether it is the first, and whether it is time to write."""
        with self._guard:
            many = len(self._noted)
            if not many:
                self._since = monotonic()
            elif many == self._noted.maxlen:
                self.dropped += 1
            self._noted.append(noted)
        return many == 0, many % FULL == FULL - 1

    def __bool__(self) -> bool:
        return self._underway or bool(self._noted)

    @property
    def due(self) -> bool:
        """Whether the oldest has waited long enough."""
        return bool(self._noted) and monotonic() - self._since >= EVERY

    @contextmanager
    def taken(self) -> Iterator[list[tuple[str, list[Noted]]]]:
        """Give what waits, by owner, to be written; it counts as dropped until `kept` says otherwise."""
        with self._guard:
            noted = list(self._noted)
            self._noted.clear()
            self.dropped += len(noted)
            self._underway = True
        owners: dict[str, list[Noted]] = {}
        for one in noted:
            owners.setdefault(one[0].owner, []).append(one)
        try:
            yield sorted(owners.items())
        finally:
            self._underway = False

    def kept(self, many: int) -> None:
        """Note that so many were written after all."""
        with self._guard:
            self.dropped -= many


def record(db: Connection, locks: Locks, owner: str, noted: Sequence[Noted], then: Then) -> None:
    """Write events of one owner, and make due what cuts them one day; an owner who was erased leaves none.

    With the owner locked it is certain what is there: what was erased meanwhile is not named again.
    """
    if db.execute(locks.take, (owner,)).fetchone() is None:
        return
    named = {event.session for event, _, _ in noted}
    sessions = _there(db, "sessions", owner, named) | _there(db, "windows", owner, named, "session")
    memories = _there(db, "memories", owner, (event.memory_id for event, _, _ in noted))
    db.executemany(
        f"INSERT INTO events ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)",
        [
            (
                owner, at, id, event.session if event.session in sessions else "", event.node, event.op, event.status,
                event.memory_id if event.memory_id in memories else "", event.category, event.sim,
            )
            for event, at, id in noted
        ],
    )  # fmt: skip
    first = from_ms(min(at for _, at, _ in noted))
    later = then(owner, first)
    if later is not None:
        enqueue_all(Work(db, c.Write(owner=owner, at=first, node="events", changes=())), [later])


def _there(db: Connection, table: str, owner: str, ids: Iterable[str], column: str = "id") -> set[str]:
    """Give those of some ids that are there."""
    found: set[str] = set()
    for some in chunks(sorted({one for one in ids if one})):
        among = padded(some)
        sql = f"SELECT {column} FROM {table} WHERE owner = ? AND {column} IN ({marks(among)})"
        found.update(row[0] for row in db.execute(sql, (owner, *among)).fetchall())
    return found


def forget_events(work: Work, column: str, ids: Sequence[str]) -> None:
    """Take the events of memories or sessions away."""
    work.db.execute(f"DELETE FROM events WHERE owner = ? AND {column} IN ({marks(ids)})", (work.owner, *ids))


# Cutting


def clear(work: Work, change: c.Clear) -> None:
    """Cut events up to a moment."""
    work.db.execute("DELETE FROM events WHERE owner = ? AND at <= ?", (work.owner, to_ms(change.upto)))


def trim(work: Work, change: c.Trim) -> None:
    """Cut old lines off the journal, and leave one that says up to which revision some are missing."""
    upto = max(change.upto, trimmed_upto(work.db, work.owner))
    gone = work.db.execute(
        f"DELETE FROM journal WHERE owner = ? AND rev <= ? AND at < ? AND {GONE}",
        (work.owner, change.upto, to_ms(change.before), work.owner, work.owner),
    ).rowcount
    if gone:
        work.note("", "trimmed", meta={"lines": gone, "upto": upto})


def trimmed_upto(db: Connection, owner: str) -> int:
    """Give the revision up to which journal lines may be missing; 0 where all are there."""
    sql = "SELECT meta FROM journal WHERE owner = ? AND memory_id = '' AND op = 'trimmed'"
    return max((cut_upto(row[0]) for row in db.execute(sql, (owner,)).fetchall()), default=0)


def cut_upto(meta: str | None) -> int:
    """Read up to which revision a `trimmed` line says that lines are missing."""
    return int((from_json(meta) or {}).get("upto", 0))


def old_events(rows: Rows, owner: str, before: int, most: int) -> Old:
    """Find events of before a moment."""
    sql = "SELECT at, COUNT(*) FROM events WHERE owner = ? AND at < ? GROUP BY at ORDER BY at LIMIT ?"
    found = rows(sql, (owner, before, most + 1))
    after = rows("SELECT MIN(at) FROM events WHERE owner = ? AND at >= ?", (owner, before))[0][0]
    return some(found, most, after)


def old_lines(rows: Rows, owner: str, before: int, most: int, after: int = 0) -> Old:
    """Find journal lines of before a moment and after a revision that tell of nothing that is there.

    They come in whole revisions. What comes later is looked for only where this is the end. What only trimming has
    written is no reason to trim again, or it would never end.
    """
    sql = (
        "SELECT rev, COUNT(*), SUM(CASE WHEN node = 'trim' THEN 0 ELSE 1 END) FROM journal "
        f"WHERE owner = ? AND rev > ? AND at < ? AND {GONE} GROUP BY rev ORDER BY rev LIMIT ?"
    )
    found = rows(sql, (owner, after, before, owner, owner, most + 1))
    later = f"SELECT MIN(at) FROM journal WHERE owner = ? AND at >= ? AND node <> 'trim' AND {GONE}"
    worth = any(others for _, _, others in found)
    kept = [(rev, many) for rev, many, _ in found] if worth else []
    old = some(kept, most, None)
    return old if old.more else replace(old, next_at=rows(later, (owner, before, owner, owner))[0][0])


def some(found: Sequence[tuple[int, int]], most: int, after: int | None) -> Old:
    """Take groups in order until there are enough."""
    count = upto = 0
    for place, (key, many) in enumerate(found):
        if count and count + many > most:
            return Old(count, upto, place < len(found), after)
        count, upto = count + many, key
    return Old(count, upto, False, after)


# Counting


def activity(rows: Rows, owner: str, days: Sequence[datetime]) -> list[Activity]:
    """Count events and journal lines of an owner from the first of these days on, each day apart."""
    starts = [to_ms(day) for day in days]
    day = "CASE " + "WHEN at < ? THEN ? " * len(starts) + f"ELSE {len(starts) - 1} END"
    places = [value for place, start in enumerate(starts) for value in (start, place - 1)]
    names = [one.astimezone(UTC).date().isoformat() for one in days]
    seen = rows(
        f"SELECT {day}, node, op, status, category, COUNT(*), AVG(sim), COUNT(sim) FROM events "
        "WHERE owner = ? AND at >= ? GROUP BY 1, 2, 3, 4, 5",
        (*places, owner, starts[0]),
    )
    done = rows(
        f"SELECT {day}, node, op, status, COUNT(*) FROM journal "
        "WHERE owner = ? AND at >= ? AND op <> 'receipt' GROUP BY 1, 2, 3, 4",
        (*places, owner, starts[0]),
    )
    found = [
        Activity(many, names[at], owner, node, op, status, category, None if sim is None else float(sim), compared)
        for at, node, op, status, category, many, sim, compared in seen
    ]
    return found + [Activity(many, names[at], owner, node, op, status) for at, node, op, status, many in done]
