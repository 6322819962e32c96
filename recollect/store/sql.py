"""The body all SQL engines share: group commit, buffered touches, erasing, and closing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from time import monotonic

from recollect.errors import RecollectError
from recollect.model.change import Committed, Write
from recollect.model.clock import to_ms
from recollect.model.receipt import Receipt
from recollect.store import apply as changes
from recollect.store.base import Plan, Store
from recollect.store.view import SqlView
from recollect.store.writer import Connection, Writer

TOUCH_EVERY = 5.0
TOUCH_MOST = 256


class SqlStore(Store):
    """A store over a database that speaks SQL. An engine adds connections, transactions and its errors."""

    def __init__(self) -> None:
        self._touched: dict[tuple[str, str], tuple[int, int]] = {}
        self._touched_since = 0.0
        self._touch_guard = threading.Lock()
        self._writer = Writer(self)

    # What an engine provides

    def begin(self) -> Connection:
        """Open a transaction that may write, waiting for other processes."""
        raise NotImplementedError

    def end(self, *, keep: bool) -> None:
        """End the transaction: make it last, or give it up."""
        raise NotImplementedError

    def translate(self, error: Exception) -> RecollectError:
        """Turn the driver's error into one of ours."""
        raise NotImplementedError

    def passing(self, error: Exception) -> bool:
        """Tell whether the same transaction may succeed when tried again."""
        raise NotImplementedError

    def fatal(self, error: Exception) -> bool:
        """Tell whether the error ends the whole transaction, not just one caller's part."""
        raise NotImplementedError

    # What all engines share

    def commit(self, write: Write) -> Committed:
        done: Committed = self._writer.submit(write)
        return done

    def decide_locked(self, plan: Plan) -> Receipt:
        done: Receipt = self._writer.submit(lambda: self._decide(plan))
        return done

    def _decide(self, plan: Plan) -> Receipt:
        connection = self.begin()
        answer = plan(SqlView(connection))
        if isinstance(answer, Write):
            done = self.apply(connection, answer)
            assert done.receipt is not None
            answer = done.receipt
        self.end(keep=True)
        return answer

    def apply(self, connection: Connection, write: Write) -> Committed:
        """Carry out one write inside the open transaction."""
        return changes.apply(connection, write)

    def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        moment = to_ms(at)
        with self._touch_guard:
            first = not self._touched
            if first:
                self._touched_since = monotonic()
            for memory_id in ids:
                count, _ = self._touched.get((owner, memory_id), (0, 0))
                self._touched[owner, memory_id] = (count + 1, moment)
            full = len(self._touched) >= TOUCH_MOST
        if full:
            self.flush()
        elif first:
            self._writer.wake()

    def flush(self) -> None:
        if self.idle(None):
            self._writer.submit(self._flush)

    def _flush(self) -> None:
        self._touched_since = 0.0
        self.idle(self.begin())
        self.end(keep=True)

    def idle(self, connection: Connection | None) -> bool:
        """With a connection: write the touches if they have waited long enough. Say whether there are any."""
        if connection is None or not self._touched or monotonic() - self._touched_since < TOUCH_EVERY:
            return bool(self._touched)
        with self._touch_guard:
            touched, self._touched = self._touched, {}
        connection.executemany(
            "UPDATE memories SET access_count = access_count + ?, last_accessed = ? WHERE owner = ? AND id = ?",
            [(count, at, owner, memory_id) for (owner, memory_id), (count, at) in sorted(touched.items())],
        )
        return False
