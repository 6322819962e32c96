"""Reading the queue in portable SQL: what is due, and what ran."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.model.clock import EARLIEST, from_ms, opt_from_ms, to_ms
from recollect.model.hit import Entry
from recollect.model.job import Job
from recollect.store.base import Queue
from recollect.store.sql.read.moment import Moment
from recollect.store.sql.read.reading import LINE, entry
from recollect.store.sql.rows import from_json
from recollect.store.sql.where import marks

_JOB = 'owner, name, "key", due_at, lease_token, lease_until, attempts, payload, last_run, last_report'


class SqlQueue(Moment, Queue):
    """Reads what waits to be done, and what was."""

    def due(
        self, now: datetime, names: Sequence[str] = (), limit: int = 100, since: datetime | None = None
    ) -> list[Job]:
        among = f"AND name IN ({marks(names)})" if names else ""
        moment, start = to_ms(now), to_ms(since or EARLIEST)
        sql = (
            f"SELECT {_JOB} FROM jobs WHERE due_at <= ? AND due_at >= ? "
            f"AND (lease_until IS NULL OR lease_until <= ?) {among} "
            "ORDER BY due_at LIMIT ?"  # by the index; the finer order follows here, for the few
        )
        found = [_job(row) for row in self._rows(sql, (moment, start, moment, *names, limit))]
        return sorted(found, key=lambda job: (job.due_at, job.owner, job.name, job.key))

    def job(self, owner: str, name: str, key: str = "") -> Job | None:
        rows = self._rows(f'SELECT {_JOB} FROM jobs WHERE owner = ? AND name = ? AND "key" = ?', (owner, name, key))
        return _job(rows[0]) if rows else None

    def jobs(self, owner: str) -> list[Job]:
        sql = f'SELECT {_JOB} FROM jobs WHERE owner = ? ORDER BY name, "key"'
        return [_job(row) for row in self._rows(sql, (owner,))]

    def runs(self, owner: str, limit: int) -> list[Entry]:
        sql = (
            f"SELECT {LINE} FROM journal j WHERE owner = ? AND memory_id >= 'run_' AND memory_id < 'run`' "
            "AND op IN ('ran', 'undone') AND NOT EXISTS (SELECT 1 FROM journal k WHERE k.owner = ? "
            "AND k.memory_id = j.memory_id AND k.op = j.op AND k.rev > j.rev) ORDER BY rev DESC, seq DESC LIMIT ?"
        )
        return [entry(row) for row in self._rows(sql, (owner, owner, limit))]


def _job(row: Sequence[Any]) -> Job:
    owner, name, key, due, token, until, attempts, payload, last_run, report = row
    return Job(
        owner, name, key, from_ms(due), token, opt_from_ms(until), attempts, from_json(payload),
        opt_from_ms(last_run), from_json(report),
    )  # fmt: skip
