"""Facets: families of verbs that belong together, each reached through the space or the database it is about."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from recollect.model.hit import Entry
from recollect.model.job import Job
from recollect.model.memory import Pending
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.admin import queue
    from recollect.flows.keep import inbox
    from recollect.flows.life import undo
    from recollect.jobs import enrich, once, registry
    from recollect.jobs import worker as working
else:
    (queue,) = later("recollect.flows.admin", "queue")
    (inbox,) = later("recollect.flows.keep", "inbox")
    (undo,) = later("recollect.flows.life", "undo")
    enrich, once, registry, working = later("recollect.jobs", "enrich", "once", "registry", "worker")

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F")


def moved(
    before: str, verb: Callable[Concatenate[F, P], T], now: str, facet: Callable[[Any], F]
) -> Callable[Concatenate[Any, P], T]:
    """Give a verb under the name it had before it moved into a facet: it works as ever, and says where it is now."""

    def quietly(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return verb(facet(self), *args, **kwargs)

    @wraps(verb)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        warnings.warn(call.moved, DeprecationWarning, stacklevel=2)  # type: ignore[attr-defined]
        return quietly(self, *args, **kwargs)

    call.__name__ = call.__qualname__ = before
    call.__doc__ = f"{verb.__doc__}\n\nDeprecated: it is now `{now}`."
    call.moved, call.quietly = f"{before} is now {now}", quietly  # type: ignore[attr-defined]
    return call


class Inbox:
    """What waits for the owner's word or for evidence."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self) -> list[Pending]:
        """Give what waits, the newest first, each with its reason."""
        return inbox.inbox(self._runtime, self._scope)

    def accept(self, memory_id: str, request_id: str = "") -> Receipt:
        """Let something in the inbox become true; what it changes gives way."""
        return inbox.accept(self._runtime, self._scope, memory_id, request_id)

    def reject(self, memory_id: str, request_id: str = "") -> Receipt:
        """Take something out of the inbox; what stands, stands."""
        return inbox.reject(self._runtime, self._scope, memory_id, request_id)

    def amend(self, memory_id: str, content: str, request_id: str = "") -> Receipt:
        """Accept something in the inbox in other words, your own."""
        return inbox.amend(self._runtime, self._scope, memory_id, content, request_id)


class OwnerJobs:
    """One owner's jobs, and what their runs changed."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self) -> list[Job]:
        """Give the owner's jobs, with how each stands."""
        return queue.jobs(self._runtime, self._scope.owner)

    def runs(self, limit: int = 20) -> list[Entry]:
        """Give the runs of jobs that changed something, the newest first, and those that were undone."""
        with self._runtime.store.view() as view:
            return view.runs(self._scope.owner, checks.whole("limit", limit, 1, 10_000))

    def run(self, names: Sequence[str] | None = None, *, dry: bool = False) -> list[Report]:
        """Run this owner's jobs that are due; those named run at once, due or not. `dry` only says what they would do.

        What belongs to the whole database, such as `scrub`, is run by whoever looks after it.
        """
        known = registry.tasks()
        own = tuple(name for name, task in known.items() if not task.system)
        chosen = None if names is None else list(checks.several("job", names, own))
        return Jobs(self._runtime, []).run(chosen, dry=dry, owner=self._scope.owner)

    def undo(self, run: str | Entry) -> Report:
        """Take back what one run changed, named or as `runs` gives it; what was changed since stays, and is told.

        What was erased since does not come back.
        """
        return undo.undo(self._runtime, self._scope, run.memory_id if isinstance(run, Entry) else run)


class Jobs:
    """The jobs of all owners: running them once, or as long as the program lives, and looking at those that wait."""

    def __init__(self, runtime: Runtime, workers: list[working.Worker]) -> None:
        self._runtime = runtime
        self._workers = workers

    def __call__(self, limit: int = 1000) -> list[Job]:
        """Give the jobs of all owners, those due first, with how each stands."""
        return queue.jobs(self._runtime, None, checks.whole("limit", limit, 1, queue.MOST))

    def run(
        self,
        names: Sequence[str] | None = None,
        now: datetime | None = None,
        *,
        dry: bool = False,
        owner: str = "",
    ) -> list[Report]:
        """Run the jobs that are due; those named run at once, due or not. `dry` only says what they would do.

        `owner`, such as `space.owner`, leaves out everybody else's.
        """
        chosen = None if names is None else self._named(names)
        whose = checks.name("owner", owner)
        if checks.flag("dry", dry):
            self._ready(chosen, whose)
        return once.run_jobs(self._runtime, chosen, now, dry=dry, owner=whose)

    def _ready(self, names: Sequence[str] | None, owner: str) -> None:
        """Do what is slow about a dry run before it begins: while it lasts nobody can write."""
        if names is not None and "enrich" not in names:
            return
        with self._runtime.store.view() as view:
            due = [job.owner for job in view.due(self._runtime.now(), ("enrich",))] if names is None else view.owners()
        enrich.ready(self._runtime, [one for one in due if owner in ("", one)])

    def _named(self, names: Sequence[str]) -> list[str]:
        return list(checks.several("job", names, tuple(registry.tasks())))

    def worker(self, told: Callable[[Report], None] | None = None) -> working.Worker:
        """Give a worker that runs what is due, in threads of this process: `with rc.worker(): …`.

        `told` hears of every run. Closing stops it.
        """
        made = working.Worker(self._runtime, told)
        self._workers.append(made)
        return made

    def pause(self, names: Sequence[str]) -> list[str]:
        """Let no worker run these jobs by itself until they are resumed; named, they still run."""
        return queue.pause(self._runtime, self._named(names))

    def resume(self, names: Sequence[str]) -> list[str]:
        """Let workers run these jobs again, and give those that are still paused."""
        return queue.resume(self._runtime, self._named(names))

    def retry(self, names: Sequence[str] = (), *, owner: str = "") -> list[Job]:
        """Make jobs due again that failed too often and were put aside, and give them."""
        chosen = self._named(names) if names else []
        return queue.retry(self._runtime, chosen, checks.name("owner", owner) or None)
