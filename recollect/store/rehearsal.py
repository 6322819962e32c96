"""A rehearsal: writes applied inside one transaction, seen by the views of that transaction, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol, TypeVar

from recollect.errors import Conflict
from recollect.model.change import Committed, Enqueue, Write
from recollect.model.event import Event
from recollect.model.job import Finding
from recollect.model.receipt import Receipt
from recollect.store.base import Plan, Store, View
from recollect.store.writer import Connection

T = TypeVar("T")


class Stage(Protocol):
    """What a rehearsal needs of the store it stands in for."""

    @property
    def segmented(self) -> bool:
        """Whether vectors are packed into segments here."""

    def apply(self, connection: Connection, write: Write) -> Committed:
        """Carry out one write inside the open transaction."""

    def seen(self, connection: Connection) -> View:
        """Give a view of the open transaction, that keeps nothing for others."""


class Rehearsal(Store):
    """A store inside one transaction of another, for one thread; whoever opened the transaction takes it back."""

    def __init__(self, stage: Stage, connection: Connection) -> None:
        self._stage = stage
        self._connection = connection

    @contextmanager
    def view(self) -> Iterator[View]:
        yield self._stage.seen(self._connection)

    def commit(self, write: Write) -> Committed:
        self._connection.execute("SAVEPOINT rehearsed")
        try:
            done = self._stage.apply(self._connection, write)
        except Conflict:
            self._connection.execute("ROLLBACK TO SAVEPOINT rehearsed")
            raise
        self._connection.execute("RELEASE SAVEPOINT rehearsed")
        return done

    def decide_locked(self, owner: str, plan: Plan, at: datetime) -> Receipt:
        raise Conflict("a rehearsal is alone: a plan that clashes with itself cannot be carried out")

    @property
    def segmented(self) -> bool:
        return self._stage.segmented

    def rehearse(self, act: Callable[[Store], T]) -> T:
        return act(self)

    def keep(self, cache_bytes: int) -> None:
        """Keep nothing."""

    def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        """Note nothing."""

    def note(self, event: Event, at: datetime, id: str) -> None:
        """Count nothing."""

    def mark(self, marks: Callable[[str, str], int]) -> None:
        """Leave that to the store this one stands in for."""

    def follow(self, then: Callable[[str, datetime], Enqueue | None]) -> None:
        """Make nothing due."""

    @property
    def dropped(self) -> int:
        return 0

    def flush(self) -> None:
        """Have nothing to write."""

    def scrub(self) -> bool:
        return True

    def integrity(self) -> list[Finding]:
        return []

    def describe(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        """Leave the transaction to whoever opened it."""
