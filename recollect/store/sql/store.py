"""The body all SQL engines share: group commit, buffered touches, erasing, and closing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from time import monotonic
from typing import Any, TypeVar

from recollect.errors import Closed, RecollectError
from recollect.model.change import Committed, Write
from recollect.model.clock import to_ms
from recollect.model.event import Event
from recollect.model.receipt import Receipt
from recollect.store.base import Plan, Store, View
from recollect.store.cache.columns import ColumnCache
from recollect.store.rehearsal import Rehearsal
from recollect.store.sql import apply as changes
from recollect.store.sql.events import TOGETHER, Then, Waiting, record
from recollect.store.sql.view import SqlView
from recollect.store.sql.where import marks, padded
from recollect.store.sql.work import Locks, Marks
from recollect.store.writer import Connection, Writer
from recollect.text.marks import marked

T = TypeVar("T")
CACHE_BYTES = 2**30
TOUCH_EVERY = 5.0
TOUCH_MOST = 2048
DECIDE_TRIES = 6


class SqlStore(Store):
    """A store over a database that speaks SQL. An engine adds connections, transactions and its errors."""

    DRIVER_ERRORS: tuple[type[Exception], ...] = ()
    """What the engine's driver raises."""
    LOCKS = Locks(
        "SELECT rev, next_doc, docs, total_length FROM owners WHERE owner = ?",
        "INSERT INTO owners (owner, rev, vec_rev, next_doc, docs, total_length) VALUES (?, 0, ?, 1, 0, 0)",
    )
    """How an owner is locked. Where a transaction that writes is alone in the database, looking is enough."""

    VIEW: type[SqlView] = SqlView
    """How the engine reads."""

    def __init__(self, idle_readers: int, cache_bytes: int = CACHE_BYTES) -> None:
        self._idle_readers = idle_readers
        self._cache = ColumnCache(cache_bytes)
        self._pool: list[Any] = []
        self._closed = False
        self._close_guard = threading.Lock()
        self._closing = False
        self._process = os.getpid()
        self._touched: dict[tuple[str, str], tuple[int, int]] = {}
        self._touched_since = 0.0
        self._touch_guard = threading.Lock()
        self._noted = Waiting()
        self._then: Then = lambda owner, at: None
        self._marks: Marks = marked
        self._writer = Writer(self)

    def keep(self, cache_bytes: int) -> None:
        """Keep so many bytes of owners' columns and vectors in memory, at most."""
        self._cache.limit = cache_bytes

    # What an engine provides

    def open_for_reading(self) -> Any:
        """Open a connection that cannot write."""
        raise NotImplementedError

    def enter(self, connection: Any) -> None:
        """Begin a read transaction that sees one moment."""
        raise NotImplementedError

    def leave(self, connection: Any) -> None:
        """End a read transaction."""
        raise NotImplementedError

    def stream(self, connection: Any, sql: str, params: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Give the rows of a long result without holding them all."""
        raise NotImplementedError

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

    def hang_up(self) -> None:
        """Close the connection that writes."""
        raise NotImplementedError

    # What all engines share

    @contextmanager
    def view(self) -> Iterator[View]:
        connection = self._borrow()
        try:
            yield self.VIEW(connection, lambda sql, params: self.stream(connection, sql, params), self._cache)
            self.leave(connection)
        except BaseException as error:
            self._discard(connection)
            if isinstance(error, self.DRIVER_ERRORS):
                raise self.translate(error) from error
            raise
        if len(self._pool) < self._idle_readers and not self._closed:
            self._pool.append(connection)
        else:
            self._discard(connection)

    def _borrow(self) -> Any:
        """Give a connection inside a read transaction; idle ones that have died meanwhile are dropped."""
        if self._closed:
            raise Closed("this Recollect was closed: open a new one")
        if os.getpid() != self._process:
            raise Closed("this Recollect was opened before the process forked: open a new one in the child")
        while self._pool:
            with suppress(IndexError):
                connection = self._pool.pop()
                try:
                    self.enter(connection)
                except self.DRIVER_ERRORS:
                    self._discard(connection)
                else:
                    return connection
        connection = self.open_for_reading()
        try:
            self.enter(connection)
        except self.DRIVER_ERRORS as error:
            self._discard(connection)
            raise self.translate(error) from error
        return connection

    def _discard(self, connection: Any) -> None:
        with suppress(*self.DRIVER_ERRORS):
            connection.close()

    def close(self) -> None:
        with self._close_guard:
            if self._closed:
                return
            if os.getpid() == self._process:
                self._closing = True
                with suppress(RecollectError):
                    self.flush()
                self._writer.close()
            self._closed = True
        while self._pool:
            self._discard(self._pool.pop())
        self.hang_up()

    def commit(self, write: Write) -> Committed:
        done: Committed = self._writer.submit(write)
        return done

    def commit_all(self, writes: Sequence[Write]) -> list[Committed | RecollectError]:
        return self._writer.submit_all(writes)

    def decide_locked(self, owner: str, plan: Plan, at: datetime) -> Receipt:
        done: Receipt = self._writer.submit(lambda: self._decide(owner, plan, to_ms(at)))
        return done

    def _decide(self, owner: str, plan: Plan, at: int) -> Receipt:
        for left in range(DECIDE_TRIES - 1, -1, -1):
            try:
                return self._decide_once(owner, plan, at)
            except self.DRIVER_ERRORS as error:
                if not left or not self.passing(error):
                    raise
                self.end(keep=False)
        raise AssertionError("unreachable")

    def _decide_once(self, owner: str, plan: Plan, at: int) -> Receipt:
        connection = self.begin()
        self.LOCKS.taken(connection, owner, at)
        # It looks before anything is written, so what it sees others may keep.
        answer = plan(self.VIEW(connection, lambda sql, params: self.stream(connection, sql, params), self._cache))
        if isinstance(answer, Write):
            done = self.apply(connection, answer)
            assert done.receipt is not None
            answer = done.receipt
        self.end(keep=True)
        return answer

    def rehearse(self, act: Callable[[Store], T]) -> T:
        answer: T = self._writer.submit(lambda: self._rehearse(act))
        return answer

    def _rehearse(self, act: Callable[[Store], T]) -> T:
        connection = self.begin()
        try:
            return act(Rehearsal(self, connection))
        finally:
            self.end(keep=False)

    def seen(self, connection: Connection) -> View:
        """Give a view of an open transaction; what it reads may never be, so nobody else gets to keep it."""
        return self.VIEW(connection, lambda sql, params: self.stream(connection, sql, params), ColumnCache(CACHE_BYTES))

    def apply(self, connection: Connection, write: Write) -> Committed:
        """Carry out one write inside the open transaction."""
        return changes.apply(connection, write, self.LOCKS, self._marks)

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
            self._writer.post(self._flush)
        elif first:
            self._writer.wake()

    def note(self, event: Event, at: datetime, id: str) -> None:
        first, full = self._noted.add((event, to_ms(at), id))
        if full:
            self._writer.post(self._record)
        elif first:
            self._writer.wake()

    def mark(self, marks: Marks) -> None:
        self._marks = marks

    def follow(self, then: Then) -> None:
        self._then = then

    @property
    def dropped(self) -> int:
        return self._noted.dropped

    def flush(self) -> None:
        if self.idle(None):
            self._writer.submit(self._flush)

    def _flush(self) -> None:
        self._touched_since = 0.0
        self.idle(self.begin())
        self.end(keep=True)
        self._record()

    def _record(self) -> None:
        """Write the events, in transactions of their own: the order in which owners are locked is always the same."""
        with self._noted.taken() as waiting:
            for at in range(0, len(waiting), TOGETHER):
                some = waiting[at : at + TOGETHER]
                connection = self.begin()
                for owner, noted in some:
                    record(connection, self.LOCKS, owner, noted, self._then)
                self.end(keep=True)
                self._noted.kept(sum(len(noted) for _, noted in some))

    def idle(self, connection: Connection | None) -> bool:
        """With a connection: write the touches if they have waited long enough. Say whether anything waits."""
        if connection is None:
            return bool(self._touched or self._noted)
        if self._noted.due:
            with suppress(Closed):  # closing writes them itself
                self._writer.post(self._record)
        if not self._touched or monotonic() - self._touched_since < TOUCH_EVERY:
            return bool(self._touched)
        with self._touch_guard:
            touched, self._touched = self._touched, {}
        alike: dict[tuple[int, int, str], list[str]] = {}
        for (owner, memory_id), (count, at) in sorted(touched.items()):
            alike.setdefault((count, at, owner), []).append(memory_id)
        for key, ids in alike.items():
            some = padded(ids)
            connection.execute(
                "UPDATE memories SET access_count = access_count + ?, last_accessed = ? "
                f"WHERE owner = ? AND id IN ({marks(some)})",
                (*key, *some),
            )
        return False
