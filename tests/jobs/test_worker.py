"""The engine: workers share the work, runs happen once, failures wait, and the database may go away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from recollect import NotFound, Recollect, Report, Unavailable
from recollect.jobs import once, registry
from recollect.jobs import worker as looking
from recollect.jobs.registry import Task, tasks
from recollect.jobs.run import run
from recollect.model.change import Enqueue, Extend, Lease, Note, Write
from recollect.model.clock import LATEST
from recollect.model.expectation import Leased
from recollect.model.job import Job, Plan
from recollect.rules.life.schedule import JobsPolicy, wait_after
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.store.sql.view import SqlView
from recollect.testing import FixedClock
from recollect.testing.conversations import good_model
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE, until

Bodies = dict[str, Callable[[Runtime, Job], Report]]
QUICK = {
    "lease_seconds": 600.0,
    "stop_seconds": PATIENCE,
    "poll_seconds": 0.02,
    "retry_seconds": 10.0,
    "attempts": 3,
    "rest": 0.0,
}
OWNER = "/ana"


@pytest.fixture
def bodies() -> Iterator[Bodies]:
    """Give a place for jobs of this test's own: what stands in it under `held` and `other` is run."""
    found: Bodies = {}
    known = tasks()
    for name in ("held", "other"):
        known[name] = Task(name, "", body=lambda rt, job: found[job.name](rt, job), preview=lambda rt, job: None)
    yield found
    for name in ("held", "other"):
        del known[name]


@pytest.fixture
def house(database: str) -> Iterator[Recollect]:
    """Give a memory that looks often for work, with the machine's clock."""
    with Recollect(database, jobs=QUICK) as opened:
        yield opened


def enqueue(rc: Recollect, name: str, owner: str = OWNER, **more: Any) -> None:
    """Make a job due now."""
    now = rc._runtime.now()
    rc._runtime.store.commit(Write(owner=owner, at=now, node="test", changes=(Enqueue(name, now, **more),)))


def rows(rc: Recollect, owner: str = OWNER) -> list[Job]:
    """Give an owner's jobs."""
    return [job for job in rc.jobs() if job.owner == owner]


def ok(runtime: Runtime, job: Job) -> Report:
    """Do nothing, well."""
    return Report(job=job.name, owner=job.owner, changed=1)


def test_every_job_can_be_previewed() -> None:
    """Each job is planned or has a preview, and says in a sentence what it is for."""
    for task in tasks().values():
        assert (task.plan is None) != (task.body is None), task.name
        assert task.plan or task.preview, task.name
        assert task.text.endswith("."), task.name
        assert registry.tasks()[task.name] is task


def test_a_lease_is_renewed_while_its_holder_works(database: str, clock: FixedClock, bodies: Bodies) -> None:
    """A run much longer than its lease keeps it, nobody else gets the job meanwhile, and its commits hold."""
    seen: list[bool] = []

    def slow(runtime: Runtime, this: Job) -> Report:
        for _ in range(4):
            clock.advance(seconds=0.2)
            assert until(lambda: rows(rc)[0].lease_until == clock() + timedelta(seconds=0.3))
            seen.append(run(runtime, tasks()["held"], this, force=False) is None)
        expect = (Leased(this.name, this.key, this.lease_token),)
        note = Note("run_x", "ran")
        runtime.store.commit(Write(owner=OWNER, at=runtime.now(), node="held", changes=(note,), expect=expect))
        return ok(runtime, this)

    bodies["held"] = slow
    with Recollect(database, jobs=QUICK | {"lease_seconds": 0.3}, clock=clock) as rc:
        enqueue(rc, "held")
        assert [one.status for one in rc.run_jobs()] == ["ok"]
        assert seen == [True] * 4
        assert rows(rc) == []


def test_a_lost_lease_keeps_its_holder_from_writing(house: Recollect, bodies: Bodies) -> None:
    """When another worker took the job over, the first one's commit is refused and its report says so."""

    def robbed(runtime: Runtime, this: Job) -> Report:
        later = runtime.now() + timedelta(hours=1)
        taken = Lease(this.name, this.key, "thief", later + timedelta(minutes=1))
        runtime.store.commit(Write(owner=OWNER, at=later, node="test", changes=(taken,)))
        expect = (Leased(this.name, this.key, this.lease_token),)
        runtime.store.commit(Write(owner=OWNER, at=later, node="t", changes=(Note("run_x", "ran"),), expect=expect))
        return ok(runtime, this)

    bodies["held"] = robbed
    enqueue(house, "held")
    (report,) = house.run_jobs()
    assert (report.status, "lease" in report.text) == ("failed", True)
    assert [job.lease_token for job in rows(house)] == ["thief"]
    assert house.space("ana").jobs.runs() == []


def test_a_failing_job_waits_longer_and_is_put_aside(database: str, clock: FixedClock, bodies: Bodies) -> None:
    """Each failure doubles the wait; after the last the job lies aside with its error, and can be tried again."""

    def broken(runtime: Runtime, this: Job) -> Report:
        raise ValueError("the well is dry")

    bodies["held"] = broken
    with Recollect(database, jobs=QUICK, clock=clock) as rc:
        enqueue(rc, "held")
        for attempt in (1, 2, 3):
            (report,) = rc.run_jobs()
            assert (report.status, report.text) == ("failed", "ValueError: the well is dry")
            (job,) = rows(rc)
            wait = wait_after(attempt, rc.settings.jobs)
            assert (job.attempts, job.due_at) == (attempt, LATEST if attempt == 3 else clock() + wait)
            clock.advance(seconds=wait.total_seconds())
        assert (job.state, (job.last_report or {})["text"]) == ("dead", "ValueError: the well is dry")
        assert rc.run_jobs() == []
        assert [one.name for one in rc.jobs.retry(["held"])] == ["held"]
        bodies["held"] = ok
        assert [one.status for one in rc.run_jobs()] == ["ok"]
        assert rows(rc) == rc.jobs.retry() == []


def test_a_job_that_kills_its_workers_is_put_aside(database: str, clock: FixedClock, bodies: Bodies) -> None:
    """A job that was taken too often and never ended is not run again by itself, and its report names it."""
    bodies["held"] = ok
    with Recollect(database, jobs=QUICK, clock=clock) as rc:
        enqueue(rc, "held")
        for number in range(3):
            lease = Lease("held", "", f"dead{number}", clock() + timedelta(seconds=1))
            rc._runtime.store.commit(Write(owner=OWNER, at=clock(), node="test", changes=(lease,)))
            clock.advance(seconds=1)
        (report,) = rc.run_jobs()
        assert (report.status, "died, 3 times" in report.text) == ("failed", True)
        assert [job.state for job in rows(rc)] == ["dead"]
        enqueue(rc, "held")  # new work: it may try again
        assert [one.status for one in rc.run_jobs()] == ["ok"]


def test_a_plan_that_fails_is_reported(house: Recollect) -> None:
    """A planned job that raises is a failed run that waits, and changes nothing."""

    def plan(runtime: Runtime, view: View, this: Job) -> Plan:
        raise ValueError("no plan")

    known = tasks()
    known["planned"] = Task("planned", "", plan=plan)
    try:
        enqueue(house, "planned")
        assert [one.text for one in house.run_jobs()] == ["ValueError: no plan"]
        assert [(job.state, job.attempts) for job in rows(house)] == [("waiting", 1)]
    finally:
        del known["planned"]


@contextmanager
def stands_in(name: str, **parts: Any) -> Iterator[Task]:
    """Let a job do something else for a while; give what it was."""
    known, plain = tasks(), tasks()[name]
    known[name] = replace(plain, **parts)
    try:
        yield plain
    finally:
        known[name] = plain


@pytest.mark.usefixtures("passing")
def test_what_is_asked_for_while_a_plan_is_made_is_not_lost(rc: Recollect, clock: FixedClock) -> None:
    """A memory saved between a job's look and its commit still finds somebody who forgets it."""
    ana = rc.space("ana")
    ana.remember("The old oak stands in the yard.")
    clock.advance(days=31)
    plain, saved = tasks()["forget"].plan, list[str]()
    assert plain is not None

    def plan(runtime: Runtime, view: View, this: Job) -> Plan:
        found = plain(runtime, view, this)
        if not saved:
            saved.append(ana.remember("Maria plays the cello on Sundays.").id)
        return found

    with stands_in("forget", plan=plan):
        rc.run_jobs(["forget"])
    (row,) = [job for job in ana.jobs() if job.name == "forget"]
    assert clock() < row.due_at <= clock() + timedelta(days=31)
    for _ in range(40):
        clock.advance(days=1)
        rc.run_jobs()
    assert ana.get(saved[0]).state == "deleted"


@pytest.mark.usefixtures("passing")
def test_an_owner_who_never_rests_is_looked_after(rc: Recollect, clock: FixedClock) -> None:
    """Somebody who writes during every look does not keep a job from its work."""
    ana = rc.space("ana")
    old = ana.remember("The old oak stands in the yard.").id
    clock.advance(days=31)
    plain, number = tasks()["forget"].plan, count()
    assert plain is not None

    def plan(runtime: Runtime, view: View, this: Job) -> Plan:
        ana.remember(f"Number {next(number)} came by.")
        return plain(runtime, view, this)

    with stands_in("forget", plan=plan):
        assert [one.status for one in rc.run_jobs() if one.job == "forget"] == ["ok"]
    assert (ana.get(old).state, next(number)) == ("deleted", 1)


def test_a_named_job_without_a_row_comes_back_when_it_asks_to(rc: Recollect, clock: FixedClock) -> None:
    """What a run by name leaves for later is done later, though nobody had asked for it before."""

    def plan(runtime: Runtime, view: View, this: Job) -> Plan:
        return Plan(Report(job="ttl", owner=this.owner, again=runtime.now() + timedelta(days=2)))

    rc.space("ana").remember("Toast is nice.", pinned=True)
    assert "ttl" not in [job.name for job in rows(rc)]
    with stands_in("ttl", plan=plan):
        rc.run_jobs(["ttl"])
    assert [job.due_at for job in rows(rc) if job.name == "ttl"] == [clock() + timedelta(days=2)]
    rc.space("ana").age(after_hours=0)
    assert [job.key for job in rows(rc) if job.name == "age"] in ([], [""])


def test_new_work_does_not_hurry_what_fails(database: str, clock: FixedClock, bodies: Bodies) -> None:
    """While an endpoint is away, each message asks for the job anew; it is still tried ever more seldom."""
    tried: list[datetime] = []

    def broken(runtime: Runtime, this: Job) -> Report:
        tried.append(clock())
        if len(tried) == 2:
            enqueue(rc, "held")  # asked for while it runs, too
        raise ValueError("the well is dry")

    bodies["held"] = broken
    with Recollect(database, jobs=QUICK | {"attempts": 4}, clock=clock) as rc:
        for _ in range(16):
            enqueue(rc, "held")
            rc.run_jobs()
            clock.advance(seconds=2)
        assert [(one - tried[0]).total_seconds() for one in tried] == [0, 10, 30]
        bodies["held"] = ok
        clock.advance(minutes=5)
        assert [one.status for one in rc.run_jobs()] == ["ok"]


def test_asked_for_in_its_last_failure_a_job_begins_anew(database: str, clock: FixedClock, bodies: Bodies) -> None:
    """What fails once too often while new work comes is not put aside: it counts from the start."""

    def broken(runtime: Runtime, this: Job) -> Report:
        enqueue(rc, "held")
        raise ValueError("the well is dry")

    bodies["held"] = broken
    with Recollect(database, jobs=QUICK | {"attempts": 1}, clock=clock) as rc:
        enqueue(rc, "held")
        rc.run_jobs()
        assert [(job.state, job.attempts) for job in rows(rc)] == [("due", 0)]


def test_a_listener_that_fails_does_not_end_the_work(
    tmp_path: Path, bodies: Bodies, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever is told of runs may fail at it: it is logged, and all that is due is done."""
    bodies["held"] = ok

    def told(report: Report) -> None:
        raise ValueError("cannot write that")

    with Recollect(f"sqlite:///{tmp_path}/memory.db", jobs=QUICK) as rc:
        for number in range(5):
            enqueue(rc, "held", f"/u{number}")
        assert rc.worker(told).run(once=True).runs == 5
    assert "failed at a report of held" in caplog.text


def test_a_worker_that_breaks_ends_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What nobody foresaw ends all threads of a worker and reaches whoever waits for it."""
    with Recollect(f"sqlite:///{tmp_path}/memory.db", jobs=QUICK) as rc:
        worker = rc.worker()

        def broken() -> list[Job]:
            raise KeyError("nobody thought of it")

        worker._look = broken  # type: ignore[method-assign]
        with pytest.raises(KeyError):
            worker.run()
    assert "the worker ends" in caplog.text


def test_a_worker_runs_what_becomes_due(house: Recollect, bodies: Bodies) -> None:
    """A worker in the process picks up jobs as they come, owners at once and one owner's one after the other."""
    running: set[str] = set()
    met, clashes, guard = threading.Event(), list[str](), threading.Lock()

    def body(runtime: Runtime, this: Job) -> Report:
        with guard:
            clashes.extend([this.owner] if this.owner in running else [])
            running.add(this.owner)
            if len(running) > 1:
                met.set()
        met.wait(PATIENCE)
        with guard:
            running.discard(this.owner)
        return ok(runtime, this)

    bodies["held"] = bodies["other"] = body
    heard: list[Report] = []
    with house.worker(heard.append) as first, house.worker() as second:
        for owner in ("/a", "/b", "/c"):
            for name in ("held", "other"):
                enqueue(house, name, owner)
        assert until(lambda: house.jobs() == [])
    assert first.totals.runs + second.totals.runs == 6
    assert len(heard) == first.totals.runs
    assert (clashes, met.is_set()) == ([], True)


def test_closing_stops_the_worker_after_what_runs(database: str, bodies: Bodies) -> None:
    """Closing waits for the run that is on its way, takes up nothing more, and leaves no lease."""
    begun, ended = threading.Event(), threading.Event()

    def body(runtime: Runtime, this: Job) -> Report:
        begun.set()
        assert until(lambda: worker._stopping)
        ended.set()
        return ok(runtime, this)

    bodies["held"] = body
    rc = Recollect(database, jobs=QUICK | {"threads": 1})
    enqueue(rc, "held")
    enqueue(rc, "held", key="second")
    worker = rc.worker().start()
    assert begun.wait(PATIENCE)
    rc.close()
    assert ended.is_set()
    assert [thread for thread in threading.enumerate() if thread.name.startswith("recollect-worker")] == []
    with Recollect(database) as again:
        assert [(job.state, job.key) for job in rows(again)] in ([("due", "second")], [("due", "")])


def test_paused_jobs_wait(house: Recollect, bodies: Bodies) -> None:
    """A paused job is left alone by workers and sweeps, runs when it is named and says so, and goes on resumed."""
    bodies["held"] = bodies["other"] = ok
    assert house.jobs.pause(["held"]) == ["held"]
    enqueue(house, "held")
    enqueue(house, "other")
    assert house.worker().run(once=True).runs == 1
    assert house.run_jobs() == []
    assert [job.state for job in rows(house)] == ["paused"]
    assert "paused, and ran because" in house.run_jobs(["held"], owner=OWNER)[0].text
    enqueue(house, "held")
    assert house.jobs.resume(["held"]) == []
    assert [one.job for one in house.run_jobs()] == ["held"]


def test_what_is_paused_is_not_read_at_every_look(
    house: Recollect, bodies: Bodies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker looks beyond jobs that are paused, however many they are, and finds them when they are resumed."""
    bodies["held"] = bodies["other"] = ok
    asked: list[datetime | None] = []
    due = SqlView.due

    def noted(view: SqlView, now: datetime, names: Any = (), limit: int = 100, since: Any = None) -> list[Job]:
        asked.append(since)
        return due(view, now, names, limit, since)

    now = house._runtime.now()
    old = Enqueue("held", now - timedelta(days=1))
    house._runtime.store.commit(Write(owner=OWNER, at=now, node="test", changes=(old,)))
    house.jobs.pause(["held"])
    monkeypatch.setattr(SqlView, "due", noted)
    monkeypatch.setattr(looking, "WHOLE_LOOK", PATIENCE)
    with house.worker() as worker:
        assert until(lambda: len(asked) > 2)
        enqueue(house, "other")
        assert until(lambda: worker.totals.runs == 1)
        assert asked[0] is None
        assert all(since is not None and since > old.due_at for since in asked[1:])
        house.jobs.resume(["held"])
        assert until(lambda: worker.totals.runs == 2)


def test_a_worker_outlives_the_loss_of_its_database(
    tmp_path: Path, bodies: Bodies, caplog: pytest.LogCaptureFixture
) -> None:
    """While the database is away the worker waits and says so once; when it is back, it goes on and says so."""
    bodies["held"] = ok
    away = threading.Event()
    with Recollect(f"sqlite:///{tmp_path}/memory.db", jobs=QUICK) as rc:
        store = rc._runtime.store
        plain = store.view

        def view() -> Any:
            if away.is_set():
                raise Unavailable("it is away")
            return plain()

        store.view = view  # type: ignore[method-assign]
        away.set()
        with rc.worker() as worker:
            assert until(lambda: worker._away > 2)
            away.clear()
            enqueue(rc, "held")
            assert until(lambda: worker.totals.runs == 1)
        told = [record.getMessage() for record in caplog.records]
        assert told == ["the worker waits for the database: it is away", "the database is back: the worker goes on"]
        away.set()
        with pytest.raises(Unavailable):
            rc.worker().run(once=True)


def test_only_one_owners_jobs_are_run(house: Recollect, bodies: Bodies) -> None:
    """With an owner, what is due or named is run for that owner alone."""
    bodies["held"] = ok
    for owner in ("/ana", "/bob"):
        enqueue(house, "held", owner)
    assert [one.owner for one in house.run_jobs(owner="/ana")] == ["/ana"]
    assert [one.owner for one in house.run_jobs(["held"], owner="/bob")] == ["/bob"]
    assert house.jobs() == []


def test_nobody_is_made_by_naming_a_job_for_them(rc: Recollect) -> None:
    """A job named for somebody who is not there is refused, and they are not there afterwards either."""
    rc.space("ana").remember("Toast is nice.")
    for name in ("judge", "age"):
        for dry in (False, True):
            with pytest.raises(NotFound, match="typo"):
                rc.run_jobs([name], owner="/typo", dry=dry)
    assert rc.run_jobs(owner="/typo") == []
    assert [one.job for one in rc.run_jobs(["scrub"], owner="/typo")] == ["scrub"]  # it is the database's own
    assert rc.owners() == [("", "ana")]


def test_a_named_job_that_another_worker_has_is_told_of(house: Recollect, bodies: Bodies) -> None:
    """Named while somebody else runs it, a job is reported as skipped, and is not run once more for that."""
    told: list[Report] = []

    def body(runtime: Runtime, this: Job) -> Report:
        told.extend(house.run_jobs(["held"], owner=OWNER))
        return ok(runtime, this)

    bodies["held"] = body
    enqueue(house, "held")
    house.jobs.pause(["held"])
    assert [one.status for one in house.run_jobs(["held"], owner=OWNER)] == ["ok"]
    assert [(one.status, one.skipped, one.owner) for one in told] == [("skipped", "another worker has it", OWNER)]
    assert "ran because" not in told[0].text
    assert rows(house) == []


def test_what_is_asked_for_later_stays_later(rc: Recollect, clock: FixedClock) -> None:
    """A message that comes while its session is worked through waits for the night, as any other does."""
    space = rc.space("ana", "helper", "s1")
    space.observe("user", "I like tea.")
    plain = tasks()["consolidate"].body
    assert plain is not None
    (night,) = [job.due_at for job in space.jobs() if job.name == "consolidate"]
    rc.space("ana", "helper", "s2").observe("user", "I like cake.")  # the first session is due now

    def body(runtime: Runtime, this: Job) -> Report:
        done = plain(runtime, this)
        space.observe("user", "I like coffee, too.")
        until = runtime.now() + timedelta(minutes=5)
        longer = Extend(this.name, this.key, this.lease_token, until)
        runtime.store.commit(Write(owner=OWNER, at=runtime.now(), node="test", changes=(longer,)))
        return done

    with stands_in("consolidate", body=body):
        assert "consolidate" in [one.job for one in rc.run_jobs()]
    assert [job.due_at for job in space.jobs() if (job.name, job.key) == ("consolidate", "s1")] == [night]


def test_what_is_skipped_again_and_again_is_tried_more_seldom(database: str, clock: FixedClock, bodies: Bodies) -> None:
    """A job that cannot run, and has no time of day, waits ever longer, is never put aside, and new work hurries it."""

    def skipped(runtime: Runtime, this: Job) -> Report:
        return Report(job=this.name, owner=this.owner, status="skipped", skipped="a reader is in the way")

    bodies["held"] = skipped
    waits: list[float] = []
    with Recollect(database, jobs=QUICK, clock=clock) as rc:
        enqueue(rc, "held")
        for _ in range(14):
            assert [one.status for one in rc.run_jobs()] == ["skipped"]
            (row,) = rows(rc)
            waits.append((row.due_at - clock()).total_seconds())
            clock.moment = row.due_at
        assert waits == [min(10.0 * 2**n, 6 * 3600) for n in range(14)]
        rc.run_jobs()
        enqueue(rc, "held")
        bodies["held"] = ok
        assert [one.status for one in rc.run_jobs()] == ["ok"]


def test_a_worker_in_the_foreground_waits_no_longer_than_it_may(
    tmp_path: Path, bodies: Bodies, caplog: pytest.LogCaptureFixture
) -> None:
    """Asked to stop, it waits for what runs as long as is set, and then leaves it to a later run."""
    begun, go = threading.Event(), threading.Event()

    def slow(runtime: Runtime, this: Job) -> Report:
        begun.set()
        go.wait(PATIENCE)
        return ok(runtime, this)

    bodies["held"] = slow
    with Recollect(f"sqlite:///{tmp_path}/memory.db", jobs=QUICK | {"stop_seconds": 0.3}) as rc:
        enqueue(rc, "held")
        worker = rc.worker()

        def stop_it() -> None:
            begun.wait(PATIENCE)
            worker.ask_to_stop()

        threading.Thread(target=stop_it).start()
        assert (worker.run().runs, begun.is_set(), go.is_set()) == (0, True, False)
        worker.stop()
        assert [job.state for job in rows(rc)] == ["running"]
        go.set()
        assert until(lambda: rows(rc) == [])
    assert "before what it runs" in caplog.text


def test_all_that_is_due_is_run(house: Recollect, bodies: Bodies, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many jobs are due, one sweep runs them all."""
    monkeypatch.setattr(once, "MOST", 2)
    bodies["held"] = ok
    for number in range(11):
        enqueue(house, "held", key=str(number))
    assert len(house.run_jobs()) == 11
    assert rows(house) == []


def test_a_job_is_found_among_many_by_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bodies: Bodies) -> None:
    """Running one job reads its own row, not all the rows of its owner."""
    bodies["held"] = ok
    with Recollect(f"sqlite:///{tmp_path}/memory.db", jobs=QUICK) as rc:
        enqueue(rc, "held", key="k")
        (job,) = rows(rc)

        def never(view: SqlView, owner: str) -> list[Job]:
            raise AssertionError("all rows were read")

        monkeypatch.setattr(SqlView, "jobs", never)
        assert run(rc._runtime, tasks()["held"], job, force=False) is not None


def test_a_dry_run_says_what_the_run_does(rc: Recollect, clock: FixedClock) -> None:
    """Rehearsed one after the other, every due job reports what it then does, and nothing is changed before."""
    ana = rc.space("ana", "helper", "s1")
    for text in ("I live in Lisbon.", "Remember that my locker is number 77.", "I prefer tea.", "Bob is my brother."):
        ana.observe("user", text, actor="Ana")
    for number in range(3):
        ana.remember(f"Ana had toast number {number}.")
    rc.space("ana", "helper", "s2").observe("user", "I moved to Porto.", actor="Ana")
    clock.advance(days=3)
    rc._runtime.store.flush()  # what was counted makes its trimming due
    before = ana.stats(), ana.jobs()
    for names in (None, ["consolidate", "age", "learn", "expire", "judge", "embed"]):
        dry = rc.run_jobs(names, dry=True)
        assert (ana.stats(), ana.jobs()) == before
        wet = rc.run_jobs(names)
        assert [replace(one, run="") for one in wet] == dry
        assert dry
        assert names or any(one.changed for one in dry)
        rc._runtime.store.flush()
        before = ana.stats(), ana.jobs()


def test_a_dry_run_asks_nobody(tmp_path: Path) -> None:
    """What would ask a model or an embedder counts what it would be asked about, and is not asked."""
    with (
        ScriptedLlm(good_model) as server,
        Recollect(
            f"sqlite:///{tmp_path}/memory.db",
            embedder="ollama:nobody",
            llm="openai:scripted",
            models={"base_url": server.url},
            learning={"mode": "all"},
        ) as rc,
    ):
        ana = rc.space("ana", "helper", "s1")
        for text in ("I live in Lisbon.", "Remember that my locker is number 77.", "I prefer tea.", "I had soup."):
            ana.observe("user", text)
        told = {one.job: one for one in rc.run_jobs(["consolidate", "learn", "embed", "judge", "scrub"], dry=True)}
        assert "4 messages of 1 sessions" in told["consolidate"].text
        assert told["embed"].changed == 4
        assert "Would ask a model" in told["learn"].text
        assert "nothing to judge" in told["judge"].text
        assert (told["scrub"].status, told["scrub"].changed) == ("ok", 0)
        assert server.requests == []


def started(db: str, *more: str) -> subprocess.Popen[str]:
    """Start `recollect worker` as a process of its own."""
    command = [sys.executable, "-c", "from recollect.serve.cli import main; main()", "worker", "--db", db, *more]
    env = os.environ | {"RECOLLECT_EMBEDDER": "none"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def test_the_worker_is_a_process(tmp_path: Path) -> None:
    """`recollect worker --once` runs what is due and ends; without, it ends well when told to."""
    db = f"sqlite:///{tmp_path}/memory.db"
    past = datetime.now(UTC) - timedelta(days=5)
    with Recollect(db, clock=lambda: past) as rc:
        for user in ("ana", "bob"):
            rc.space(user, session="s1").observe("user", "hello")
            rc.space(user).remember("Toast is nice.")
    out, _ = (once := started(db, "--once", "--json")).communicate(timeout=PATIENCE)
    lines = [json.loads(line) for line in out.splitlines()]
    assert once.returncode == 0
    assert sorted(line["owner"] for line in lines if line.get("job") == "age") == ["/ana", "/bob"]
    assert lines[-1]["totals"]["failed"] == 0
    assert lines[-1]["totals"]["changed"] == 2
    with started(db) as long:
        assert long.stderr is not None
        assert "Ctrl-C" in long.stderr.readline()
        long.send_signal(signal.SIGTERM)
        assert "0 runs" in long.stderr.read()
    assert long.returncode == 0


def test_a_worker_told_to_stop_while_it_starts_ends_well(tmp_path: Path) -> None:
    """A signal that comes while the database is being opened ends the worker as any other does."""
    db = f"sqlite:///{tmp_path}/memory.db"
    Recollect(db).close()
    code = """
import os, signal
from recollect.serve.cli import main, work
plain = work.opened
def opened(*given, **more):
    os.kill(os.getpid(), signal.SIGTERM)
    return plain(*given, **more)
work.opened = opened
main()
"""
    command = [sys.executable, "-c", code, "worker", "--db", db]
    env = os.environ | {"RECOLLECT_EMBEDDER": "none"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE)
    assert (done.returncode, "0 runs" in done.stderr) == (0, True), done.stderr


def test_bad_times_are_refused() -> None:
    """Settings no worker can work with are refused when they are loaded, with what to write instead."""
    for knob, value in (("rest", 1.5), ("poll_seconds", 0.0), ("threads", 0), ("lease_seconds", 0.0)):
        with pytest.raises(Exception, match=f"jobs.{knob}"):
            Recollect("sqlite:///unused.db", jobs={knob: value})
    assert JobsPolicy().rest < 1
