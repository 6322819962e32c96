"""The async face, derived from the front door: each verb runs in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from recollect.front.app import Recollect, Space

P = ParamSpec("P")
T = TypeVar("T")
Async = Coroutine[Any, Any, T]


def _of_space(verb: Callable[Concatenate[Space, P], T]) -> Callable[Concatenate[AsyncSpace, P], Async[T]]:
    @wraps(verb)
    async def call(self: AsyncSpace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(verb, self.sync, *args, **kwargs)

    return call


def _of_recollect(
    verb: Callable[Concatenate[Recollect, P], T],
) -> Callable[Concatenate[AsyncRecollect, P], Async[T]]:
    @wraps(verb)
    async def call(self: AsyncRecollect, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(verb, self.sync, *args, **kwargs)

    return call


class AsyncSpace:
    """The memory of one owner for async code; the verbs are those of `Space`."""

    def __init__(self, sync: Space) -> None:
        self.sync = sync

    @property
    def owner(self) -> str:
        """The key of the owner this space is walled in by."""
        return self.sync.owner

    observe = _of_space(Space.observe)
    remember = _of_space(Space.remember)
    remember_many = _of_space(Space.remember_many)
    correct = _of_space(Space.correct)
    confirm = _of_space(Space.confirm)
    pin = _of_space(Space.pin)
    rate = _of_space(Space.rate)
    forget = _of_space(Space.forget)
    restore = _of_space(Space.restore)
    merge = _of_space(Space.merge)
    inbox = _of_space(Space.inbox)
    accept = _of_space(Space.accept)
    reject = _of_space(Space.reject)
    amend = _of_space(Space.amend)
    recall = _of_space(Space.recall)
    explain = _of_space(Space.explain)
    list = _of_space(Space.list)
    get = _of_space(Space.get)
    links = _of_space(Space.links)
    history = _of_space(Space.history)
    journal = _of_space(Space.journal)
    entity = _of_space(Space.entity)
    unite = _of_space(Space.unite)
    part = _of_space(Space.part)
    stats = _of_space(Space.stats)
    activity = _of_space(Space.activity)
    coverage = _of_space(Space.coverage)
    sessions = _of_space(Space.sessions)
    end = _of_space(Space.end)
    age = _of_space(Space.age)
    forgetting = _of_space(Space.forgetting)
    jobs = _of_space(Space.jobs)
    runs = _of_space(Space.runs)
    undo = _of_space(Space.undo)
    cost = _of_space(Space.cost)
    get_episodes_for_consolidation = _of_space(Space.get_episodes_for_consolidation)
    save_facts_batch = _of_space(Space.save_facts_batch)
    detect_conflicts = _of_space(Space.detect_conflicts)
    resolve_conflict = _of_space(Space.resolve_conflict)
    mark_session_consolidated = _of_space(Space.mark_session_consolidated)
    is_session_consolidated = _of_space(Space.is_session_consolidated)
    context = _of_space(Space.context)
    erase = _of_space(Space.erase)
    export = _of_space(Space.export)


class AsyncRecollect:
    """One open memory for async code; opening takes a moment and runs no event loop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sync = Recollect(*args, **kwargs)

    def space(self, user: str, agent: str = "", session: str = "", tenant: str = "") -> AsyncSpace:
        """Give the memory of one user; agent and session say who is speaking and in which conversation."""
        return AsyncSpace(self.sync.space(user, agent, session, tenant))

    @property
    def settings(self) -> Any:
        """The settings in force."""
        return self.sync.settings

    owners = _of_recollect(Recollect.owners)
    run_jobs = _of_recollect(Recollect.run_jobs)
    worker = _of_recollect(Recollect.worker)
    jobs = _of_recollect(Recollect.jobs)
    pause_jobs = _of_recollect(Recollect.pause_jobs)
    resume_jobs = _of_recollect(Recollect.resume_jobs)
    retry_jobs = _of_recollect(Recollect.retry_jobs)
    export = _of_recollect(Recollect.export)
    import_file = _of_recollect(Recollect.import_file)
    copy_to = _of_recollect(Recollect.copy_to)
    reindex_estimate = _of_recollect(Recollect.reindex_estimate)
    reindex = _of_recollect(Recollect.reindex)
    doctor = _of_recollect(Recollect.doctor)
    activity = _of_recollect(Recollect.activity)
    describe = _of_recollect(Recollect.describe)
    close = _of_recollect(Recollect.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
