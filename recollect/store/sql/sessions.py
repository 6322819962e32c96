"""Sessions: when they were seen, and how far each has been worked through."""

from __future__ import annotations

from recollect.errors import Conflict, NotFound
from recollect.model import change as c
from recollect.model import expectation as x
from recollect.model.clock import to_ms
from recollect.store.sql.jobs import enqueue_all
from recollect.store.sql.work import Work

_SEEN = (
    "UPDATE sessions SET first_seen = CASE WHEN first_seen > ? THEN ? ELSE first_seen END, "
    "last_seen = CASE WHEN last_seen < ? THEN ? ELSE last_seen END WHERE owner = ? AND id = ?"
)
_WAITING = (
    'SELECT "key" FROM jobs WHERE owner = ? AND name = ? AND due_at > ? AND lease_until IS NULL '
    'AND "key" <> \'\' AND "key" <> ?'
)


def open_session(work: Work, change: c.Open) -> None:
    """See a session; when it is new, it gets its row, and what follows from that is made due."""
    at = to_ms(change.at)
    if work.db.execute(_SEEN, (at, at, at, at, work.owner, change.session)).rowcount:
        return
    work.db.execute(
        "INSERT INTO sessions (owner, id, agent, first_seen, last_seen) VALUES (?,?,?,?,?)",
        (work.owner, change.session, change.agent, at, at),
    )
    work.note("", "opened", meta={"session": change.session})
    enqueue_all(work, change.then)
    if change.others is not None:
        _others(work, change, change.others)


def _others(work: Work, change: c.Open, job: c.Enqueue) -> None:
    """Make a job due for every other session that waits for it, whoever's: each holds messages nobody has read yet."""
    found = work.db.execute(_WAITING, (work.owner, job.name, to_ms(job.due_at), change.session)).fetchall()
    enqueue_all(work, [c.Enqueue(job.name, job.due_at, session, job.payload) for (session,) in found])


def reach(work: Work, change: c.Reach) -> None:
    """Note how far a session has been worked through."""
    key = (work.owner, change.session)
    row = work.db.execute("SELECT consolidated_upto FROM sessions WHERE owner = ? AND id = ?", key).fetchone()
    if row is None:
        raise NotFound(f"there is no session {change.session} for this owner")
    work.db.execute("UPDATE sessions SET consolidated_upto = ? WHERE owner = ? AND id = ?", (change.upto, *key))
    work.note("", "consolidated", {"upto": row[0]}, {"session": change.session, "upto": change.upto})


def reached(work: Work, expected: x.Reached) -> None:
    """Expect that a session has been worked through so far and no further."""
    row = work.db.execute(
        "SELECT consolidated_upto FROM sessions WHERE owner = ? AND id = ?", (work.owner, expected.session)
    ).fetchone()
    if row is None or row[0] != expected.upto:
        raise Conflict(f"somebody else worked on session {expected.session} meanwhile")
