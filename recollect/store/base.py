"""The contract of a storage engine: one way to write, and views that see one moment.

`recollect.testing.contract.StoreContract` is this page as tests; an engine is done when it passes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from recollect.errors import Conflict, RecollectError
from recollect.model.change import Committed, Enqueue, Write
from recollect.model.event import Event
from recollect.model.job import Finding
from recollect.model.receipt import Receipt
from recollect.store.views import (
    BORN_BITS,
    COMMON,
    EXACT,
    LEFT,
    ORDERS,
    TABLES,
    Administration,
    Counters,
    Line,
    Place,
    Queue,
    Reading,
    Searching,
    View,
)

__all__ = [
    "APART", "BORN_BITS", "COMMON", "EXACT", "LEFT", "ORDERS", "TABLES", "Administration", "Counters", "Line", "Place",
    "Plan", "Queue", "Reading", "Searching", "Store", "View",
]  # fmt: skip

T = TypeVar("T")
Plan = Callable[[View], Write | Receipt]
"""Looks at the state and gives what is to be written, or the answer when nothing is."""

APART = 3
"""How often a plan looks and writes apart before it does both under the lock."""


class Store(ABC):
    """One database behind one door for writing."""

    @abstractmethod
    def view(self) -> AbstractContextManager[View]:
        """Open a view: everything committed before it, by any process, is in it."""

    @abstractmethod
    def commit(self, write: Write) -> Committed:
        """Apply the changes of one caller whole or not at all, under the owner's next revision.

        Raises `Conflict` when an expectation does not hold. When this returns, the write survives the
        death of the process and of the machine.
        """

    def commit_all(self, writes: Sequence[Write]) -> list[Committed | RecollectError]:
        """Commit several callers' writes at once, each for itself: what one meets is its answer, not the others'."""
        answers: list[Committed | RecollectError] = []
        for write in writes:
            try:
                answers.append(self.commit(write))
            except RecollectError as error:
                answers.append(error)
        return answers

    def decide(self, owner: str, plan: Plan, at: datetime) -> Receipt:
        """Carry out a plan for an owner as if nobody else wrote between its look and its write; it may be asked again.

        It looks without keeping anybody waiting. When others get in between time after time, it looks and
        writes under the lock, so that a busy slot gives nobody a `Conflict`.
        """
        for _ in range(APART):
            with self.view() as view:
                answer = plan(view)
            if isinstance(answer, Receipt):
                return answer
            try:
                done = self.commit(answer)
            except Conflict:
                continue
            assert done.receipt is not None
            return done.receipt
        return self.decide_locked(owner, plan, at)

    @abstractmethod
    def decide_locked(self, owner: str, plan: Plan, at: datetime) -> Receipt:
        """Look and write in one transaction, with the owner locked from the start. The plan must not call the store."""

    @abstractmethod
    def rehearse(self, act: Callable[[Store], T]) -> T:
        """Let something happen to a store that takes all of it back afterwards, and give what it answered.

        Other writers of the process wait meanwhile, so it must be short and ask nobody.
        """

    @abstractmethod
    def keep(self, cache_bytes: int) -> None:
        """Keep so many bytes in memory for searching, at most."""

    @property
    def segmented(self) -> bool:
        """Whether vectors are packed into segments here, because the engine cannot search them itself."""
        return True

    @abstractmethod
    def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        """Note that these memories were used; written a little later, without a revision."""

    @abstractmethod
    def note(self, event: Event, at: datetime, id: str) -> None:
        """Note that something happened; written a little later, without a revision, if the owner is still there."""

    @abstractmethod
    def mark(self, marks: Callable[[str, str], int]) -> None:
        """Say how the marks of a text are made, of its words and the role of who said it."""

    @abstractmethod
    def follow(self, then: Callable[[str, datetime], Enqueue | None]) -> None:
        """Say what is made due for an owner of whom events were written, the oldest at that moment."""

    @property
    @abstractmethod
    def dropped(self) -> int:
        """How many events were never written, because too many waited or the database failed."""

    @abstractmethod
    def flush(self) -> None:
        """Write the touches and events noted so far."""

    @abstractmethod
    def scrub(self) -> bool:
        """Drive erased text out of every file of the database; False when a reader is in the way."""

    def backup(self, target: Path) -> bool:
        """Copy the whole database into a new file, as it is at one moment; False where the engine cannot."""
        return False

    @abstractmethod
    def integrity(self) -> list[Finding]:
        """Let the engine check its own files."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Say what and where this database is, without credentials."""

    @abstractmethod
    def close(self) -> None:
        """Write what is buffered and let everything go; closing twice is harmless."""
