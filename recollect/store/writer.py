"""Group commit: one thread per process writes, and many callers share one transaction."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from recollect.errors import Closed, RecollectError, Unavailable
from recollect.model.change import Committed, Write

MOST_AT_ONCE = 64
LISTEN = 1.0


class Connection(Protocol):
    """What an engine's connection can do; `sqlite3.Connection` already does."""

    def execute(self, sql: str, params: Any = (), /) -> Any:
        """Run one statement and give its cursor."""

    def executemany(self, sql: str, rows: Any, /) -> Any:
        """Run one statement for many rows."""


class Transactions(Protocol):
    """What the writer needs of an engine."""

    def begin(self) -> Connection:
        """Open a transaction that may write, waiting for other processes."""

    def end(self, *, keep: bool) -> None:
        """End the transaction: make it last, or give it up (harmless when there is none)."""

    def translate(self, error: Exception) -> RecollectError:
        """Turn the driver's error into one of ours."""

    def passing(self, error: Exception) -> bool:
        """Tell whether the same transaction may succeed when tried again."""

    def fatal(self, error: Exception) -> bool:
        """Tell whether the error ends the whole transaction, not just one caller's part."""

    def apply(self, connection: Connection, write: Write) -> Committed:
        """Carry out one write."""

    def idle(self, connection: Connection | None) -> bool:
        """Write buffered touches if it is time (with a connection), or say whether there are any."""


class _Ticket:
    """One caller waiting: its work, and a lock that opens when the answer is there."""

    __slots__ = ("answer", "error", "gate", "work")

    def __init__(self, work: Write | Callable[[], Any]) -> None:
        self.work = work
        self.answer: Any = None
        self.error: BaseException | None = None
        self.gate = threading.Lock()
        self.gate.acquire()

    def wait(self, thread: threading.Thread) -> Any:
        # While the interpreter ends, the thread is gone without a word.
        while not self.gate.acquire(timeout=LISTEN):
            if not thread.is_alive():
                raise Closed("this Recollect can no longer write: the program is ending")
        if self.error is not None:
            raise self.error
        return self.answer


def _nothing() -> None:
    """Do nothing, in the writing thread."""


class Writer:
    """The one writing thread of a store."""

    def __init__(self, engine: Transactions, tries: int = 6, pause: float = 5.0) -> None:
        self._engine = engine
        self._tries = tries
        self._pause = pause
        self._queue: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._closed = False
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._thread = threading.Thread(target=self._loop, name="recollect-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Write | Callable[[], Any]) -> Any:
        """Hand in a write, or a function to run between transactions, and wait for its answer."""
        return self._hand_in(work).wait(self._thread)

    def submit_all(self, several: Sequence[Write]) -> list[Committed | RecollectError]:
        """Hand in several writes, which then share a transaction, and wait for all; an error is its caller's answer."""
        answers: list[Committed | RecollectError] = []
        for ticket in [self._hand_in(work) for work in several]:
            try:
                answers.append(ticket.wait(self._thread))
            except RecollectError as error:
                answers.append(error)
        return answers

    def post(self, work: Callable[[], Any]) -> None:
        """Hand in a function to run between transactions, without waiting for it."""
        self._hand_in(work)

    def _hand_in(self, work: Write | Callable[[], Any]) -> _Ticket:
        if os.getpid() != self._process:
            raise Closed("this Recollect was opened before the process forked: open a new one in the child")
        ticket = _Ticket(work)
        with self._guard:
            if self._closed:
                raise Closed("this Recollect was closed: open a new one")
            self._queue.put(ticket)
        return ticket

    def wake(self) -> None:
        """Let the thread see that there is something to be written by and by; nobody waits for it."""
        with self._guard:
            if not self._closed and os.getpid() == self._process:
                self._queue.put(_Ticket(_nothing))

    def close(self) -> None:
        """Finish what was handed in and stop."""
        with self._guard:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        if threading.current_thread() is not self._thread:  # the last reference may be dropped there
            self._thread.join()

    def _loop(self) -> None:
        while True:
            batch, last = self._next()
            while batch:
                if isinstance(batch[0].work, Write):
                    size = next((i for i, t in enumerate(batch) if not isinstance(t.work, Write)), len(batch))
                    self._write(batch[:size])
                    del batch[:size]
                else:
                    self._call(batch.pop(0))
            if last:
                return

    def _next(self) -> tuple[list[_Ticket], bool]:
        try:
            first = self._queue.get(timeout=self._pause if self._engine.idle(None) else None)
        except queue.Empty:
            return [_Ticket(self._settle)], False
        batch: list[_Ticket] = []
        while first is not None:
            batch.append(first)
            if len(batch) >= MOST_AT_ONCE:
                return batch, False
            try:
                first = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _settle(self) -> None:
        """Write the touches when nobody has written for a while."""
        connection = self._engine.begin()
        self._engine.idle(connection)
        self._engine.end(keep=True)

    def _call(self, ticket: _Ticket) -> None:
        try:
            assert not isinstance(ticket.work, Write)
            ticket.answer = ticket.work()
        except BaseException as error:
            self._give_up()
            ticket.error = self._ours(error)
        ticket.gate.release()

    def _give_up(self) -> None:
        """End the transaction unkept. A thread that died of a failing rollback would leave all callers waiting."""
        with suppress(Exception):
            self._engine.end(keep=False)

    def _write(self, batch: list[_Ticket]) -> None:
        for left in range(self._tries - 1, -1, -1):
            try:
                self._transact(batch)
                break
            except BaseException as error:
                self._give_up()
                if left and isinstance(error, Exception) and self._engine.passing(error):
                    continue
                for ticket in batch:
                    ticket.error = self._ours(error)
                break
        for ticket in batch:
            ticket.gate.release()

    def _transact(self, batch: list[_Ticket]) -> None:
        for ticket in batch:
            ticket.error = None
        connection = self._engine.begin()
        alone = len(batch) == 1
        written = False
        # In the same order everywhere, so that two processes never wait for each other in a circle.
        for ticket in sorted(batch, key=lambda ticket: getattr(ticket.work, "owner", "")):
            assert isinstance(ticket.work, Write)
            if alone:
                ticket.answer = self._engine.apply(connection, ticket.work)
                written = True
                continue
            connection.execute("SAVEPOINT caller")
            try:
                ticket.answer = self._engine.apply(connection, ticket.work)
                written = True
            except Exception as error:
                if self._engine.fatal(error):
                    raise
                connection.execute("ROLLBACK TO SAVEPOINT caller")
                ticket.error = self._ours(error)
            connection.execute("RELEASE SAVEPOINT caller")
        if written:
            self._engine.idle(connection)
        self._engine.end(keep=True)

    def _ours(self, error: BaseException) -> BaseException:
        if isinstance(error, RecollectError):
            return error
        if isinstance(error, Exception):
            return self._engine.translate(error)
        return Unavailable(f"the writer was interrupted: {error!r}")
