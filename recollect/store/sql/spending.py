"""The ledger: what asking models has cost an owner, added up by day, role, job and session."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model import change as c
from recollect.model.asking import Spending, Usage
from recollect.store.sql.where import marks
from recollect.store.sql.work import Work

COLUMNS = ("owner", "day", "role", "job", "session", "calls", "tokens_in", "tokens_out", "money", "unpriced")
READ = ", ".join(COLUMNS[1:])
_ONE = "owner = ? AND day = ? AND role = ? AND job = ? AND session = ?"


def spend(work: Work, change: c.Spend) -> None:
    """Add to a line of the ledger, or begin it."""
    line, usage = change.line, change.line.usage
    key = (work.owner, line.day, line.role, line.job, line.session)
    added = (usage.calls, usage.tokens_in, usage.tokens_out, usage.money, usage.unpriced)
    if work.db.execute(f"SELECT calls FROM spend WHERE {_ONE}", key).fetchone() is None:
        work.db.execute(f"INSERT INTO spend ({', '.join(COLUMNS)}) VALUES ({marks(COLUMNS)})", (*key, *added))
    else:
        work.db.execute(
            "UPDATE spend SET calls = calls + ?, tokens_in = tokens_in + ?, tokens_out = tokens_out + ?, "
            f"money = money + ?, unpriced = unpriced + ? WHERE {_ONE}",
            (*added, *key),
        )


def forget_sessions(work: Work, sessions: list[str]) -> None:
    """Take the names of sessions out of the ledger; what they cost stays, or erasing would refill a budget."""
    among = f"WHERE owner = ? AND session IN ({marks(sessions)})"
    rows = work.db.execute(f"SELECT {READ} FROM spend {among}", (work.owner, *sessions)).fetchall()
    work.db.execute(f"DELETE FROM spend {among}", (work.owner, *sessions))
    for row in rows:
        line = from_row(row)
        spend(work, c.Spend(Spending(line.day, line.role, line.job, "", line.usage)))


def from_row(row: Sequence[object]) -> Spending:
    """Turn the columns of `READ` into a line of the ledger."""
    day, role, job, session, *counted = row
    calls, tokens_in, tokens_out, money, unpriced = (int(str(one)) for one in counted)
    return Spending(str(day), str(role), str(job), str(session), Usage(calls, tokens_in, tokens_out, money, unpriced))
