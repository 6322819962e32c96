"""What is due: the rows of jobs, taken by one worker at a time."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import Conflict
from recollect.model import change as c
from recollect.model.clock import to_ms
from recollect.store.rows import to_json
from recollect.store.work import Work


def enqueue(work: Work, change: c.Enqueue) -> None:
    """Make a job due; an earlier due time already there is kept."""
    key = (work.owner, change.name, change.key)
    condition = 'WHERE owner = ? AND name = ? AND "key" = ?'
    row = work.db.execute(f"SELECT due_at, lease_until, payload FROM jobs {condition}", key).fetchone()
    due, payload = to_ms(change.due_at), to_json(dict(change.payload))
    if row is not None and row[0] <= due and row[1] is None and row[2] == payload:
        return  # every message asks for the same again
    if row is None:
        enqueue_all(work, change, [change.key])
    else:
        if row[1] is not None:  # it runs now: a due time before the lease's end is what brings it back, see `lease`
            due = min(due, row[1] - 1)
        work.db.execute(f"UPDATE jobs SET due_at = ?, payload = ? {condition}", (min(due, row[0]), payload, *key))


def enqueue_all(work: Work, change: c.Enqueue, keys: Sequence[str]) -> None:
    """Make a job due for keys that have none of it yet."""
    due, payload = to_ms(change.due_at), to_json(dict(change.payload))
    rows = [(work.owner, change.name, key, due, payload) for key in keys]
    work.db.executemany('INSERT INTO jobs (owner, name, "key", due_at, payload) VALUES (?,?,?,?,?)', rows)


def lease(work: Work, change: c.Lease) -> None:
    """Take a job, if it is due and nobody else holds it."""
    now, until = to_ms(work.write.at), to_ms(change.until)
    # The due time moves to the lease's end: a dead worker's job comes back by itself, and a due time
    # before that, seen when the job finishes, was asked for while it ran.
    taken = work.db.execute(
        "UPDATE jobs SET lease_token = ?, lease_until = ?, due_at = ?, attempts = attempts + 1 "
        'WHERE owner = ? AND name = ? AND "key" = ? AND (lease_until IS NULL OR lease_until <= ?) '
        "AND (due_at <= ? OR ? = 1)",
        (change.token, until, until, work.owner, change.name, change.key, now, now, int(change.force)),
    ).rowcount
    if taken != 1:
        raise Conflict(f"job {change.name} is not due or somebody else holds it")


def finish(work: Work, change: c.Finish) -> None:
    """End a run: the row goes, or becomes due again."""
    condition = 'WHERE owner = ? AND name = ? AND "key" = ? AND lease_token = ?'
    key = (work.owner, change.name, change.key, change.token)
    row = work.db.execute(f"SELECT due_at, lease_until FROM jobs {condition}", key).fetchone()
    if row is None:
        raise Conflict(f"the lease of job {change.name} was lost")
    wanted = [] if change.due_at is None else [to_ms(change.due_at)]
    if row[0] < row[1]:
        wanted.append(row[0])
    if not wanted:
        work.db.execute(f"DELETE FROM jobs {condition}", key)
        return
    work.db.execute(
        "UPDATE jobs SET due_at = ?, lease_token = '', lease_until = NULL, attempts = ?, last_run = ?, "
        f"last_report = ? {condition}",
        (min(wanted), change.attempts, to_ms(work.write.at), to_json(change.report), *key),
    )
