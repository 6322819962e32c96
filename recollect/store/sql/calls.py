"""The log of calls: what models were asked and what they answered, kept for a while where that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import timedelta
from typing import Any

from recollect.model import change as c
from recollect.model.asking import Call, Usage
from recollect.model.clock import from_ms, to_ms
from recollect.model.event import Old
from recollect.store.sql.events import Rows, some
from recollect.store.sql.where import marks
from recollect.store.sql.work import Work

UNSURE = timedelta(minutes=15)
"""How long before a question is asked its words may have been chosen: what was erased since then may stand in it."""
SPENT = tuple(one.name for one in fields(Usage))
_NAMES = tuple(one.name for one in fields(Call))
ABOUT, TEXTS = (_NAMES[: _NAMES.index("usage")], _NAMES[_NAMES.index("usage") + 1 :])
"""The columns before and behind what a call has cost; the texts are the last, and lists leave them out."""
COLUMNS = ("owner", *ABOUT, *SPENT, *TEXTS)
_ERASED = (
    "SELECT 1 FROM journal WHERE owner = ? AND at >= ? AND (op = 'erased' OR (op = 'purged' AND node = 'purge')) "
    "LIMIT 1"
)


def log(work: Work, change: c.Log) -> None:
    """Keep a call, unless it may quote what was erased."""
    call = change.call
    if work.db.execute(_ERASED, (work.owner, to_ms(call.at - UNSURE))).fetchone() is not None:
        return
    about = [to_ms(call.at) if name == "at" else getattr(call, name) for name in ABOUT]
    spent, texts = [getattr(call.usage, name) for name in SPENT], [getattr(call, name) for name in TEXTS]
    row = (work.owner, *about, *spent, *texts)
    work.db.execute(f"INSERT INTO calls ({', '.join(COLUMNS)}) VALUES ({marks(COLUMNS)})", row)


def unlog(work: Work, change: c.Unlog) -> None:
    """Cut the log of calls up to a moment, or whole."""
    upto = "" if change.upto is None else " AND at <= ?"
    bound = () if change.upto is None else (to_ms(change.upto),)
    work.db.execute(f"DELETE FROM calls WHERE owner = ?{upto}", (work.owner, *bound))


def logged(rows: Rows, owner: str, session: str, before: str, limit: int) -> list[Call]:
    """Give calls without their texts, the newest first, those before an id."""
    asked = [("session = ?", session), ("id < ?", before)]
    given = [(condition, value) for condition, value in asked if value]
    among = " AND ".join(("owner = ?", *(condition for condition, _ in given)))
    sql = f"SELECT {', '.join((*ABOUT, *SPENT))} FROM calls WHERE {among} ORDER BY id DESC LIMIT ?"
    return [_call(row) for row in rows(sql, (owner, *(value for _, value in given), limit))]


def one_call(rows: Rows, owner: str, id: str) -> Call | None:
    """Give one call with its texts."""
    sql = f"SELECT {', '.join((*ABOUT, *SPENT, *TEXTS))} FROM calls WHERE owner = ? AND id = ?"
    found = rows(sql, (owner, id))
    return _call(found[0]) if found else None


def old_calls(rows: Rows, owner: str, before: int, most: int) -> Old:
    """Find calls of before a moment."""
    sql = "SELECT at, COUNT(*) FROM calls WHERE owner = ? AND at < ? GROUP BY at ORDER BY at LIMIT ?"
    found = rows(sql, (owner, before, most + 1))
    return some(found, most, rows("SELECT MIN(at) FROM calls WHERE owner = ? AND at >= ?", (owner, before))[0][0])


def _call(row: Sequence[Any]) -> Call:
    about = dict(zip(ABOUT, row, strict=False))
    usage = Usage(*(int(one) for one in row[len(ABOUT) : len(ABOUT) + len(SPENT)]))
    texts = dict(zip(TEXTS, row[len(ABOUT) + len(SPENT) :], strict=False))
    return Call(**{**about, **texts, "at": from_ms(about["at"])}, usage=usage)
