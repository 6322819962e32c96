"""The worker: looks for what is due and runs it, in a few threads, until it is told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from recollect.errors import Closed, StoreError
from recollect.flows.admin.queue import stopped
from recollect.flows.life.replan import replan
from recollect.jobs.registry import tasks
from recollect.jobs.run import run, run_together
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import LOG, Runtime

LOOK = 64
"""How many due jobs a look brings."""
TOGETHER = 8
"""How many planned jobs share a look and a transaction: a few milliseconds, and one write to the disk for all."""
MOST = 10_000
LONGEST_WAIT = 30.0
"""How long a worker waits at most before it asks again for a database that is away."""
WHOLE_LOOK = 30.0
"""How often a worker looks at all that is due while jobs are paused; in between, from the first that is not."""
SLACK = timedelta(minutes=1)
"""By how much the clocks of those who make jobs due may differ, until then."""
LISTEN = 0.2
LONGEST_REST = 0.25

Told = Callable[[Report], None]
Row = tuple[str, str, str]


@dataclass(slots=True)
class Totals:
    """What a worker has done so far."""

    runs: int = 0
    changed: int = 0
    skipped: int = 0
    failed: int = 0

    def add(self, report: Report) -> None:
        """Count one run."""
        self.runs += 1
        self.changed += report.changed
        self.skipped += report.status == "skipped"
        self.failed += report.status == "failed"


def _silent(report: Report) -> None:
    """Take no notice."""


class Worker:
    """Runs what is due, of different owners at once and of one owner one after the other; a context manager too.

    Several workers, in this process or in others, share the work: whatever two of them take up, one of them does.
    """

    def __init__(self, runtime: Runtime, told: Told | None = None) -> None:
        self.totals = Totals()
        self._runtime = runtime
        self._told = told or _silent
        self._state = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._todo: list[Job] = []
        self._busy: set[str] = set()
        """The owners one of whose jobs runs here."""
        self._refused: set[Row] = set()
        """What others have, or may not run yet: passed over for a moment."""
        self._forgiven = monotonic()
        self._stopped: frozenset[str] = frozenset()
        self._begin: datetime | None = None
        """From when on there is something to run, while jobs are paused."""
        self._whole = monotonic()
        self._share = runtime.settings.jobs.rest
        self._gently = False
        """Whether planned jobs run, or are rested from: then no others are, so that the share of time is kept."""
        self._once = self._stopping = self._planned = False
        """Among them whether it has been seen to that changed settings hold."""
        self._away = 0
        """How often in a row the database was not there."""
        self._error: Exception | None = None
        self._patience: float | None = None

    def start(self) -> Self:
        """Begin to work, in threads of its own that end with the program."""
        with self._state:
            if not self._threads:
                self._error = self._patience = None
                self._threads = [
                    threading.Thread(target=self._work, name=f"recollect-worker-{number}", daemon=True)
                    for number in range(self._runtime.settings.jobs.threads)
                ]
                for thread in self._threads:
                    thread.start()
        return self

    def stop(self) -> None:
        """Take up nothing more and wait for what runs, a while; what is not done by then is run again later."""
        self.ask_to_stop()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, self._deadline() - monotonic()))
        self._stopping = any(thread.is_alive() for thread in self._threads)
        self._threads = []

    def _deadline(self) -> float:
        """Give until when a worker that was asked to stop is waited for."""
        if self._patience is None:
            self._patience = monotonic() + self._runtime.settings.jobs.stop_seconds
        return self._patience

    def ask_to_stop(self) -> None:
        """Take up nothing more, and do not wait; safe in a signal handler."""
        self._stopping = True

    def run(self, *, once: bool = False) -> Totals:
        """Work in the foreground until somebody asks to stop; `once` ends when nothing more is due."""
        self._once = once
        self.start()
        while self._threads and not (self._stopping and monotonic() >= self._deadline()):
            self._threads[0].join(LISTEN)
            self._threads = [thread for thread in self._threads if thread.is_alive()]
        if self._threads:
            LOG.warning("the worker ends before what it runs: that is run again later")
        if self._error is not None:
            raise self._error
        return self.totals

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # In the threads

    def _work(self) -> None:
        try:
            while jobs := self._next():
                begun, reports = monotonic(), list[Report | None]([None] * len(jobs))
                try:
                    reports = self._run(jobs)
                except StoreError as error:
                    self._trouble(error)
                self._done(jobs, reports)
                self._rest(jobs, monotonic() - begun)
        except Exception as error:  # half a worker would look like a whole one
            LOG.exception("the worker ends: this should not have happened")
            with self._state:
                self._error, self._stopping = error, True
                self._state.notify_all()

    def _run(self, jobs: Sequence[Job]) -> list[Report | None]:
        several = [(tasks()[job.name], job) for job in jobs]
        here = replace(self._runtime, stopping=lambda: self._stopping)  # anew each time: settings may have changed
        if several[0][0].plan:
            return run_together(here, several)
        return [run(here, task, job, force=False) for task, job in several]

    def _next(self) -> list[Job]:
        """Give a job whose owner has none running here, or several that are planned together; none when it is over."""
        with self._state:
            while not self._stopping:
                try:
                    jobs = self._pick() or ([] if self._gently else self._look())
                except StoreError as error:
                    self._trouble(error)
                    jobs = []
                if jobs:
                    return jobs
                if self._once and not self._busy and not self._gently:
                    self._stopping = True
                    self._state.notify_all()
                elif not self._stopping:
                    self._pause()
        return []

    def _pick(self) -> list[Job]:
        """Take the first job, and with a planned one those after it that are planned too, each of another owner."""
        picked: list[Job] = []
        passed = set(self._busy)
        for job in self._todo:
            plan = tasks()[job.name].plan
            if job.owner not in passed and (not self._gently if plan else not picked):
                picked.append(job)
                if not plan or len(picked) == TOGETHER:
                    break
            passed.add(job.owner)  # an owner's jobs keep their order
        taken = {_row(job) for job in picked}
        self._todo = [job for job in self._todo if _row(job) not in taken]
        self._busy |= {job.owner for job in picked}
        self._gently = self._gently or bool(picked and tasks()[picked[0].name].plan and self._share)
        return picked

    def _look(self) -> list[Job]:
        """Find more that is due, beyond what others have."""
        runtime, limit = self._runtime, LOOK
        if monotonic() - self._forgiven > runtime.settings.jobs.poll_seconds:
            self._refused.clear()
            self._forgiven = monotonic()
        if not self._planned:
            replan(runtime, lambda: self._stopping)
            self._planned = True
        while True:
            with runtime.store.view() as view:
                held = stopped(runtime, view)
                names = [name for name in tasks() if name not in held]
                since = self._beyond(held)
                found = view.due(runtime.now(), names, limit, since) if names else []
            self._back()
            if held:
                self._begin = found[0].due_at if found else runtime.now() - SLACK
            fresh = [job for job in found if _row(job) not in self._refused and job.owner not in self._busy]
            if fresh or len(found) < limit or limit >= MOST:
                break
            limit *= 4
        several: dict[str, list[Job]] = {}
        for job in fresh:
            several.setdefault(job.owner, []).append(job)
        # Each worker begins at another owner, so that they do not all reach for the same row.
        at = runtime.random(16) % max(1, len(several))
        self._todo = [job for owner in [*several][at:] + [*several][:at] for job in several[owner]]
        return self._pick()

    def _beyond(self, stopped: frozenset[str]) -> datetime | None:
        """Give from when on to look: beyond what is paused, which may be much; from the start now and then."""
        if stopped != self._stopped or monotonic() - self._whole > WHOLE_LOOK:
            self._stopped, self._whole, self._begin = stopped, monotonic(), None
        return self._begin

    def _done(self, jobs: Sequence[Job], reports: Sequence[Report | None]) -> None:
        with self._state:
            for job, report in zip(jobs, reports, strict=True):
                self._busy.discard(job.owner)
                if report is None:  # another worker was here: what is next to it may be done as well
                    self._refused.add(_row(job))
                    self._todo = []
                else:
                    self.totals.add(report)
                    self._say(report)
            self._state.notify()

    def _say(self, report: Report) -> None:
        try:
            self._told(report)
        except OSError as error:  # whoever listened has gone
            self._error, self._stopping = error, True
        except Exception:  # theirs, not ours: what was done is done
            LOG.exception("whoever is told of the runs failed at a report of %s", report.job)

    def _pause(self) -> None:
        """Wait for a run here to end, or until it is time to look again; longer while the database is away."""
        poll = self._runtime.settings.jobs.poll_seconds
        deadline = monotonic() + min(poll * 2.0 ** min(self._away, 10), max(poll, LONGEST_WAIT))
        while not self._stopping and (left := deadline - monotonic()) > 0:
            if self._state.wait(min(left, LISTEN)):
                return

    def _rest(self, jobs: Sequence[Job], took: float) -> None:
        """Leave a share of the time to others; while a model is waited for, nobody is kept from anything."""
        sleep(min(took * self._share / (1 - self._share), LONGEST_REST))
        if tasks()[jobs[0].name].plan:
            with self._state:
                self._gently = False
                self._state.notify()

    # When the database is away

    def _trouble(self, error: StoreError) -> None:
        with self._state:
            if isinstance(error, Closed) or self._once:
                self._error = None if isinstance(error, Closed) else error
                self._stopping = True
            elif not self._away:
                LOG.warning("the worker waits for the database: %s", error)
            self._away += 1
            self._todo = []

    def _back(self) -> None:
        if self._away:
            LOG.warning("the database is back: the worker goes on")
            self._away = 0


def _row(job: Job) -> Row:
    return job.owner, job.name, job.key


def stop_all(workers: Iterable[Worker]) -> None:
    """Stop several workers: none of them takes up anything while another is waited for."""
    several = list(workers)
    for worker in several:
        worker.ask_to_stop()
    for worker in several:
        worker.stop()
