"""SQL over one owner's memory: a query runs on a copy of that owner's rows alone, which nobody writes to.

The copy is made in memory for one query, on every engine in the same words, and holds only the tables the query names.
So nothing of anybody else can be asked for, and nothing can be changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Annotated, Any

from pydantic import Field

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.clock import iso
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.tools.declare import Tool, tool

MOST_ROWS = 200
LONGEST_VALUE = 1_000_000
"""How many bytes a value of a query may have."""
MOST_READ = 200_000
STEPS = 50_000_000
"""How many steps of the database's machine a query may take: some seconds."""
PAGE = 1000
SPOKEN = "episode"
_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_COLUMNS = (
    "id kind tier topic category key content importance confidence pinned source session_id agent role "
    "created_at updated_at last_accessed access_count"
)
VIEWS = {
    "samaritan_memory_shortterm": (
        "SELECT id, topic, content, importance, source, session_id, created_at, last_accessed FROM memories "
        "WHERE tier = 'short'"
    ),
    "samaritan_memory_longterm": (
        "SELECT id, topic, content, importance, source, session_id, id AS shortterm_id, created_at, "
        "updated_at AS aged_at FROM memories WHERE tier = 'long' AND kind <> 'summary'"
    ),
}
"""Names others know, as views of ours."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False
    note: str = ""
    """What to know about the answer."""

    def text(self) -> str:
        """Write the rows as a table."""
        lines = [" | ".join(self.columns), *(" | ".join(_cell(cell) for cell in row) for row in self.rows)]
        tail = f"\n(only the first {MOST_ROWS} rows)" if self.more else ""
        note = f"\n({self.note})" if self.note else ""
        return "\n".join(lines) + f"\n{len(self.rows)} rows{tail}{note}"


def query(space: Space, sql: str) -> Rows:
    """Run one SELECT over the memory of a space; anything else is refused, and says which tables there are."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        _filled(copy, space, sql.casefold())
        note = _elsewhere(copy, space, sql.casefold())
        copy.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        copy.set_authorizer(lambda action, *rest: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY)
        left = iter(range(STEPS // 1000))
        copy.set_progress_handler(lambda: next(left, None) is None, 1000)
        try:
            cursor = copy.execute(sql)
            found = cursor.fetchmany(MOST_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise InvalidInput(f"{_problem(error)} The tables are {', '.join((*_TABLES, *VIEWS))}.") from error
        columns = tuple(str(one[0]) for one in cursor.description or ())
    return Rows(columns, tuple(found[:MOST_ROWS]), len(found) > MOST_ROWS, note)


def _elsewhere(copy: sqlite3.Connection, space: Space, sql: str) -> str:
    """Say where everything is while nothing was learnt yet: what was said stands in a table of its own."""
    if not _of_memories(sql) or "messages" in sql or copy.execute("SELECT 1 FROM memories LIMIT 1").fetchone():
        return ""
    said = space.stats().kinds.get(SPOKEN, 0)
    return f"memories holds no messages, and no facts yet: what was said is in messages, {said:,} rows" if said else ""


def _of_memories(sql: str) -> bool:
    return any(name in sql for name in ("memories", *VIEWS))


def _problem(error: Exception) -> str:
    told = str(error)
    if "not authorized" in told or "prohibited" in told:
        return "Only one SELECT can be run here: nothing is changed this way."
    return "The query takes too long." if told == "interrupted" else f"{told[:1].upper()}{told[1:]}."


def _filled(copy: sqlite3.Connection, space: Space, sql: str) -> None:
    for name, (columns, rows) in _TABLES.items():
        names = columns.split()
        copy.execute(f"CREATE TABLE {name} ({', '.join(names)})")
        wanted = name in sql or (name == "memories" and _of_memories(sql))
        if wanted:
            places = ", ".join("?" for _ in names)
            copy.executemany(f"INSERT INTO {name} VALUES ({places})", rows(space))
    for name, select in VIEWS.items():
        copy.execute(f"CREATE VIEW {name} AS {select}")


def _pages(space: Space, kinds: Sequence[str]) -> Iterator[Memory]:
    cursor, read = "", 0
    while read < MOST_READ:
        page = space.page("oldest", PAGE, cursor, kinds=list(kinds))
        yield from page.memories
        read, cursor = read + len(page.memories), page.next
        if not cursor:
            return


def _memories(space: Space) -> Iterator[tuple[Any, ...]]:
    for one in _pages(space, [kind for kind in KINDS if kind != SPOKEN]):
        times = (iso(one.created_at), iso(one.updated_at), iso(one.last_accessed) if one.last_accessed else None)
        told = (one.id, one.kind, one.tier, one.topic, one.category, one.key, one.content, one.importance)
        who = (one.confidence, int(one.pinned), one.source, one.session, one.agent, one.role)
        yield (*told, *who, *times, one.access_count)


def _messages(space: Space) -> Iterator[tuple[Any, ...]]:
    for one in _pages(space, [SPOKEN]):
        yield one.id, one.session, one.role, one.actor, one.content, iso(one.event_time)


def _summaries(space: Space) -> Iterator[tuple[Any, ...]]:
    for one in _pages(space, ["summary"]):
        count = one.attributes.get("messages", one.attributes.get("covers", 0))
        yield one.id, one.session, one.content, count, str(one.attributes.get("model", "")), iso(one.created_at)


def _sessions(space: Space) -> Iterator[tuple[Any, ...]]:
    for one in space.sessions():
        yield one.id, one.agent, iso(one.first_seen), iso(one.last_seen), one.messages, one.consolidated


_TABLES: dict[str, tuple[str, Callable[[Space], Iterator[tuple[Any, ...]]]]] = {
    "memories": (_COLUMNS, _memories),
    "messages": ("id session_id role actor content created_at", _messages),
    "samaritan_chat_summaries": ("id session_id summary message_count model_used created_at", _summaries),
    "sessions": ("id agent first_seen last_seen messages consolidated", _sessions),
}


def _cell(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())


@tool("Query memory by SQL", reads=True)
def db_query(
    space: Space, sql: Annotated[str, Field(description="One SELECT, in SQLite's words.", min_length=1)]
) -> str:
    """Run one SELECT over this user's memory, for counting and lists; nothing can be changed by it.

    Tables: memories (facts and the like), messages (what was said), sessions, samaritan_chat_summaries; views:
    samaritan_memory_shortterm, samaritan_memory_longterm. To find something by its meaning use memory_search.
    """
    return query(space, sql).text()


TOOLS: tuple[Tool, ...] = (db_query,)
