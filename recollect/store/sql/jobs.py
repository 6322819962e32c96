"""What is due: the rows of jobs, taken by one worker at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from recollect.errors import Conflict
from recollect.model import change as c
from recollect.model.clock import LATEST, to_ms
from recollect.store.sql.rows import to_json
from recollect.store.sql.where import padded
from recollect.store.sql.work import Work, chunks

ASIDE = to_ms(LATEST)
"""When a job is due that has failed too often: never by itself."""
MOST_AT_ONCE = 32
_ONE = 'WHERE owner = ? AND name = ? AND "key" = ?'
_BUSY = 'SELECT 1 FROM jobs WHERE owner = ? AND lease_until > ? AND NOT (name = ? AND "key" = ?)'


def enqueue_all(work: Work, changes: Iterable[c.Enqueue]) -> None:
    """Make jobs due; an earlier due time already there is kept."""
    wanted: dict[tuple[str, str], tuple[int, str]] = {}
    for change in changes:
        due, payload = to_ms(change.due_at), to_json(dict(change.payload)) if change.payload else "{}"
        before = wanted.get((change.name, change.key))
        wanted[change.name, change.key] = (min(due, before[0]) if before else due, payload)
    for some in chunks(sorted(wanted.items()), MOST_AT_ONCE):
        _enqueue(work, dict(some))


def _enqueue(work: Work, wanted: dict[tuple[str, str], tuple[int, str]]) -> None:
    asked = padded([(work.owner, *job) for job in wanted], 2)
    # Each with its owner: with one owner for all SQLite would go through every job that owner has.
    among = " OR ".join(['(owner = ? AND name = ? AND "key" = ?)'] * len(asked))
    rows = work.db.execute(
        f'SELECT name, "key", due_at, lease_until, payload, attempts FROM jobs WHERE {among}',
        tuple(chain.from_iterable(asked)),
    ).fetchall()
    for name, key, was_due, leased, was, failed in rows:
        due, payload = wanted.pop((name, key))
        if failed and leased is None and was_due != ASIDE:  # new work mends nothing: what fails waits as it must
            due = max(due, was_due)
        if was_due <= due and leased is None and was == payload:
            continue  # every message asks for the same again
        # It runs now: a due time before the lease's end is what brings it back, see `lease`; the very last
        # moment stands for any time after it, which only the run's end can tell, see `finish`.
        if leased is not None:
            due = min(due, leased - 1)
        anew = ", attempts = 0" if was_due == ASIDE else ""  # it was put aside, and now there is work for it again
        work.db.execute(
            f"UPDATE jobs SET due_at = ?, payload = ?{anew} {_ONE}", (min(due, was_due), payload, work.owner, name, key)
        )
    new = [(work.owner, name, key, due, payload) for (name, key), (due, payload) in sorted(wanted.items())]
    if new:
        work.db.executemany('INSERT INTO jobs (owner, name, "key", due_at, payload) VALUES (?,?,?,?,?)', new)


def lease(work: Work, change: c.Lease) -> None:
    """Take a job, if it is due and nobody else holds it."""
    now, until = to_ms(work.write.at), to_ms(change.until)
    if not change.force and work.db.execute(_BUSY, (work.owner, now, change.name, change.key)).fetchone():
        raise Conflict("another job of this owner is running: they run one after the other")
    if change.made:
        _make(work, change, now)
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


def _make(work: Work, change: c.Lease, now: int) -> None:
    key = (work.owner, change.name, change.key)
    if work.db.execute(f"SELECT 1 FROM jobs {_ONE}", key).fetchone() is None:
        work.db.execute('INSERT INTO jobs (owner, name, "key", due_at, payload) VALUES (?,?,?,?,?)', (*key, now, "{}"))


def extend(work: Work, change: c.Extend) -> None:
    """Hold a job for longer; a due time that was asked for meanwhile stays."""
    until = to_ms(change.until)
    held = work.db.execute(
        "UPDATE jobs SET due_at = CASE WHEN due_at >= lease_until - 1 THEN due_at - lease_until + ? ELSE due_at END, "
        "lease_until = ? "
        f"{_ONE} AND lease_token = ?",
        (until, until, work.owner, change.name, change.key, change.token),
    ).rowcount
    if held != 1:
        raise Conflict(f"the lease of job {change.name} was lost")


def settle(work: Work, change: c.Settle) -> None:
    """End a run that had no lease: the row goes, or becomes due again."""
    key = (work.owner, change.name, change.key)
    row = work.db.execute(f"SELECT due_at, lease_until FROM jobs {_ONE}", key).fetchone()
    if row is None or row[0] != to_ms(change.seen) or (row[1] is not None and row[1] > to_ms(work.write.at)):
        raise Conflict(f"job {change.name} was done, put off or taken meanwhile")
    wanted = [] if change.due_at is None else [to_ms(change.due_at)]
    if change.meanwhile is not None and _moved(work, change):
        wanted.append(to_ms(change.meanwhile))
    _done(work, change, min(wanted, default=None), _ONE, key)


def _moved(work: Work, change: c.Settle) -> bool:
    """Tell whether something was written since a run looked: asked for again, a row that is due stays as it is."""
    (rev,) = work.db.execute("SELECT rev FROM owners WHERE owner = ?", (work.owner,)).fetchone()
    return bool(rev != change.rev)


def dequeue(work: Work, change: c.Dequeue) -> None:
    """Take a job out of the queue, unless somebody holds it."""
    work.db.execute(
        f"DELETE FROM jobs {_ONE} AND (lease_until IS NULL OR lease_until <= ?)",
        (work.owner, change.name, change.key, to_ms(work.write.at)),
    )


def finish(work: Work, change: c.Finish) -> None:
    """End a run: the row goes, or becomes due again."""
    condition = f"{_ONE} AND lease_token = ?"
    key = (work.owner, change.name, change.key, change.token)
    row = work.db.execute(f"SELECT due_at, lease_until FROM jobs {condition}", key).fetchone()
    if row is None:
        raise Conflict(f"the lease of job {change.name} was lost")
    wanted = [] if change.due_at is None else [to_ms(change.due_at)]
    if row[0] < row[1] and (not change.attempts or wanted == [ASIDE]):  # what fails waits as it must, whoever asks
        later = change.meanwhile if row[0] == row[1] - 1 else None
        wanted.append(to_ms(later) if later else row[0])
        change = replace(change, attempts=0)
    _done(work, change, min(wanted, default=None), condition, key)


def _done(work: Work, change: c.Finish | c.Settle, due: int | None, condition: str, key: tuple[str, ...]) -> None:
    """Take the row of a job that has run away, or let it wait for its next time."""
    if due is None:
        work.db.execute(f"DELETE FROM jobs {condition}", key)
        return
    work.db.execute(
        "UPDATE jobs SET due_at = ?, lease_token = '', lease_until = NULL, attempts = ?, last_run = ?, "
        f"last_report = ? {condition}",
        (due, change.attempts, to_ms(work.write.at), to_json(change.report), *key),
    )
