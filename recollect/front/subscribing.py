"""Hearing of what changes: a thread that follows journals by revision, whoever writes and in whatever process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from recollect.model.hit import Entry
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.runtime import LOG, Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.find import browse, filters
else:
    browse, filters = later("recollect.flows.find", "browse", "filters")

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


class Follower:
    """Follows the journal of one owner by revision: what its agent may see, whole revisions, oldest first."""

    def __init__(self, runtime: Runtime, scope: Scope, since: int | None = None) -> None:
        self._runtime, self._scope = runtime, scope
        self._seen = self._rev() if since is None else since

    def _rev(self) -> int:
        with self._runtime.store.view() as view:
            return view.counters(self._scope.owner).rev

    def news(self) -> list[Entry]:
        """Give what came since it was asked last, about a page at most; empty when there is nothing more."""
        may = filters.sight(self._runtime, self._scope)
        with self._runtime.store.view() as view:
            last = view.counters(self._scope.owner).rev
            while self._seen < last:
                page = browse.whole_revisions(view, self._scope.owner, (), self._seen, PAGE)
                self._seen = page[-1].rev if page else last
                if told := browse.told_of(view, may, page):
                    return told
        return []


class Subscription:
    """A listener at work until it is closed; also a context manager."""

    def __init__(
        self, runtime: Runtime, told: Callable[[Notice], None], scope: Scope | None = None, since: int | None = None
    ) -> None:
        self._runtime, self._told = runtime, told
        self._all = scope is None
        # What was there before is not told, unless it is asked for.
        first = self._scopes() if scope is None else [scope]
        self._followed = {one.owner: Follower(runtime, one, since) for one in first}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recollect-subscription", daemon=True)
        self._thread.start()

    def _scopes(self) -> list[Scope]:
        with self._runtime.store.view() as view:
            return [Scope(owner) for owner in view.owners()]

    def _run(self) -> None:
        while not self._over.wait(EVERY):
            for one in self._scopes() if self._all else ():  # who is new is followed from the beginning
                self._followed.setdefault(one.owner, Follower(self._runtime, one, 0))
            for owner, follower in self._followed.items():
                while not self._over.is_set() and (entries := follower.news()):
                    for entry in entries:
                        if self._over.is_set():
                            return
                        self._tell(noticed(owner, entry))

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
