"""Hearing of what changes: a thread that follows journals by revision, whoever writes and in whatever process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

from recollect.model.hit import Entry
from recollect.model.values import dataclass
from recollect.runtime import LOG, Runtime

PAGE = 500
EVERY = 0.25
"""How many seconds pass between two looks."""
COMPLETED = "session_completed"


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that happened: a change, or a session that was worked through to its end."""

    name: str
    """`change` or `session_completed`."""
    owner: str
    entry: Entry

    @property
    def session(self) -> str:
        """The session it is about, or in which it happened."""
        return str((self.entry.meta or {}).get("session", "")) or self.entry.session


def noticed(owner: str, entry: Entry) -> Notice:
    """Give a line of the journal as a notice."""
    return Notice(COMPLETED if entry.op == "consolidated" else "change", owner, entry)


def journal_after(runtime: Runtime, owner: str, since: int) -> list[Entry]:
    """Give whole revisions of an owner's journal after one, oldest first; at most about a page."""
    with runtime.store.view() as view:
        if view.counters(owner).rev <= since:
            return []
        page = view.journal(owner, (), since, PAGE)
        if len(page) == PAGE and page[0].rev != page[-1].rev:  # the last revision may be cut: it comes next time
            page = [entry for entry in page if entry.rev < page[-1].rev]
        return page


class Subscription:
    """A listener at work until it is closed; also a context manager."""

    def __init__(
        self, runtime: Runtime, told: Callable[[Notice], None], owner: str = "", since: int | None = None
    ) -> None:
        self._runtime, self._told, self._owner = runtime, told, owner
        self._seen: dict[str, int] = {owner: since} if owner and since is not None else {}
        for one in self._owners():  # what was there before is not told, unless it is asked for
            self._seen.setdefault(one, self._rev(one))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recollect-subscription", daemon=True)
        self._thread.start()

    def _owners(self) -> list[str]:
        if self._owner:
            return [self._owner]
        with self._runtime.store.view() as view:
            return view.owners()

    def _rev(self, owner: str) -> int:
        with self._runtime.store.view() as view:
            return view.counters(owner).rev

    def _run(self) -> None:
        while not self._over.wait(EVERY):
            for notice in self._news():
                if self._over.is_set():
                    return
                self._tell(notice)

    def _news(self) -> Iterator[Notice]:
        for owner in self._owners():
            while entries := journal_after(self._runtime, owner, self._seen.get(owner, 0)):
                for entry in entries:
                    yield noticed(owner, entry)
                self._seen[owner] = entries[-1].rev

    def _tell(self, notice: Notice) -> None:
        try:
            self._told(notice)
        except Exception:  # a listener's fault must not deafen the others
            LOG.exception("a subscriber failed at revision %s", notice.entry.rev)

    def close(self) -> None:
        """Stop listening."""
        self._over.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
