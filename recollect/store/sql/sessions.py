"""Sessions: when they were seen, and how far each has been worked through."""

from __future__ import annotations

from recollect.errors import Conflict, NotFound
from recollect.model import change as c
from recollect.model.clock import to_ms
from recollect.store.sql.jobs import enqueue_all
from recollect.store.sql.work import Work

LATELY = 20
"""How many of an agent's other sessions are looked at when a new one begins; the nightly run finds older ones."""

_SEEN = (
    "UPDATE sessions SET first_seen = CASE WHEN first_seen > ? THEN ? ELSE first_seen END, "
    "last_seen = CASE WHEN last_seen < ? THEN ? ELSE last_seen END WHERE owner = ? AND id = ?"
)
_OPEN = (
    "SELECT s.id FROM (SELECT id, consolidated_upto FROM sessions WHERE owner = ? AND agent = ? AND id <> ? "
    f"ORDER BY last_seen DESC, id LIMIT {LATELY}) s WHERE EXISTS (SELECT 1 FROM memories m WHERE m.owner = ? "
    "AND m.session = s.id AND m.doc > s.consolidated_upto AND m.kind = 'episode' AND m.state = 'active' "
    "AND m.version > 0) ORDER BY s.id"
)
"""Every version is above 0. Asking for it keeps SQLite off an index that holds all columns but this one: there it would
read all that came after the place, for each session, instead of the session's own messages."""


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
    """Make a job due for the agent's other sessions that hold messages nobody has worked through."""
    found = work.db.execute(_OPEN, (work.owner, change.agent, change.session, work.owner)).fetchall()
    enqueue_all(work, [c.Enqueue(job.name, job.due_at, session, job.payload) for (session,) in found])


def reach(work: Work, change: c.Reach) -> None:
    """Note how far a session has been worked through."""
    key = (work.owner, change.session)
    row = work.db.execute("SELECT consolidated_upto FROM sessions WHERE owner = ? AND id = ?", key).fetchone()
    if row is None:
        raise NotFound(f"there is no session {change.session} for this owner")
    work.db.execute("UPDATE sessions SET consolidated_upto = ? WHERE owner = ? AND id = ?", (change.upto, *key))
    work.note("", "consolidated", {"upto": row[0]}, {"session": change.session, "upto": change.upto})


def reached(work: Work, expected: c.Reached) -> None:
    """Expect that a session has been worked through so far and no further."""
    row = work.db.execute(
        "SELECT consolidated_upto FROM sessions WHERE owner = ? AND id = ?", (work.owner, expected.session)
    ).fetchone()
    if row is None or row[0] != expected.upto:
        raise Conflict(f"somebody else worked on session {expected.session} meanwhile")
