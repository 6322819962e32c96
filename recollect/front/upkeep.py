"""What the front door can be told about jobs: `Recollect` and `Space` have them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.flows.admin import queue
from recollect.flows.life import forecast, undo
from recollect.jobs import once
from recollect.jobs.age import at_once
from recollect.jobs.enrich import ready
from recollect.jobs.registry import tasks
from recollect.jobs.worker import Worker
from recollect.model.forecast import Forecast
from recollect.model.hit import Entry
from recollect.model.job import Job
from recollect.model.owner import Scope
from recollect.model.receipt import Report
from recollect.rules.gate import checks
from recollect.runtime import Runtime

MOST = queue.MOST
MOST_WEEKS = 1000


class Upkeep:
    """Running jobs, once or for as long as the program lives, and looking at those that wait."""

    _runtime: Runtime
    _workers: list[Worker]

    def run_jobs(
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
        chosen = None if names is None else checks.several("job", names, tuple(tasks()))
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
        ready(self._runtime, [one for one in due if owner in ("", one)])

    def worker(self, told: Callable[[Report], None] | None = None) -> Worker:
        """Give a worker that runs what is due, in threads of this process: `with rc.worker(): …`.

        `told` hears of every run. Closing stops it.
        """
        made = Worker(self._runtime, told)
        self._workers.append(made)
        return made

    def jobs(self, limit: int = 1000) -> list[Job]:
        """Give the jobs of all owners, those due first, with how each stands."""
        return queue.jobs(self._runtime, None, checks.whole("limit", limit, 1, MOST))

    def pause_jobs(self, names: Sequence[str]) -> list[str]:
        """Let no worker run these jobs by itself until they are resumed; named, they still run."""
        return queue.pause(self._runtime, checks.several("job", names, tuple(tasks())))

    def resume_jobs(self, names: Sequence[str]) -> list[str]:
        """Let workers run these jobs again, and give those that are still paused."""
        return queue.resume(self._runtime, checks.several("job", names, tuple(tasks())))

    def retry_jobs(self, names: Sequence[str] = (), *, owner: str = "") -> list[Job]:
        """Make jobs due again that failed too often and were put aside, and give them."""
        chosen = checks.several("job", names, tuple(tasks())) if names else []
        return queue.retry(self._runtime, list(chosen), checks.name("owner", owner) or None)


class Later:
    """What one owner's space can be told about jobs, and about what they will do: `Space` has them all."""

    _runtime: Runtime
    _scope: Scope

    def age(self, after_hours: float | None = None, most: int | None = None, *, dry: bool = False) -> Report:
        """Move what is old from the short to the long tier now, with other numbers than the settings' if given."""
        return at_once(self._runtime, self._scope.owner, after_hours, most, dry=dry)

    def forgetting(self, weeks: int = 12, memory_id: str = "") -> Forecast:
        """Say what goes out of sight or for good in the next weeks if nobody uses it, or what becomes of one memory."""
        span = checks.whole("weeks", weeks, 1, MOST_WEEKS)
        if memory_id:
            return forecast.fate(self._runtime, self._scope, memory_id, span)
        return forecast.forgetting(self._runtime, self._scope, span)

    def jobs(self) -> list[Job]:
        """Give the owner's jobs, with how each stands."""
        return queue.jobs(self._runtime, self._scope.owner)

    def runs(self, limit: int = 20) -> list[Entry]:
        """Give the runs of jobs that changed something, the newest first, and those that were undone."""
        with self._runtime.store.view() as view:
            return view.runs(self._scope.owner, checks.whole("limit", limit, 1, 10_000))

    def undo(self, run: str) -> Report:
        """Take back what one run of a job changed; what was changed since stays as it is, and is told."""
        return undo.undo(self._runtime, self._scope, run)
