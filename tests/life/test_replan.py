"""Settings that change hold for what is there already; a job that is turned off does not run."""

from __future__ import annotations

from typing import Any

import pytest

from recollect import ConfigError, Recollect, Space
from recollect.testing import FixedClock

RULES: dict[str, Any] = {"rules": [{"topic": "work/*", "expire_after": "5d"}]}


def days(rc: Recollect, clock: FixedClock, many: int) -> list[str]:
    """Let days pass and jobs run; give which did something."""
    done: list[str] = []
    for _ in range(many):
        clock.advance(days=1)
        done += [report.job for report in rc.run_jobs() if report.changed]
    return done


def told(rc: Recollect) -> Space:
    """Keep something of work, and something of home."""
    ana = rc.space("ana")
    ana.remember("The server of Apollo stands in Lisbon.", topic="work/apollo", importance=7)
    ana.remember("Ana had toast.", topic="home", importance=3)
    return ana


def test_a_rule_set_later(database: str, clock: FixedClock) -> None:
    """What the rule is about goes at its time, as `forgetting` says, though nobody wrote since."""
    with Recollect(database, clock=clock) as rc:
        told(rc)
        days(rc, clock, 2)
    with Recollect(database, clock=clock, retention=RULES) as rc:
        ana = rc.space("ana")
        (fate,) = [fate for fate in ana.forgetting().fates if fate.topic == "work/apollo"]
        assert "ttl" in days(rc, clock, 7)
        assert [memory.topic for memory in ana.list()] == ["home"]
        assert fate.goes_at is not None
        assert fate.goes_at < clock()


def test_nobody_is_woken_while_nothing_changes(database: str, clock: FixedClock) -> None:
    """The same settings again, given or not, are no reason to look."""
    with Recollect(database, clock=clock) as rc:
        told(rc)
        rc.run_jobs()
        before = [(job.name, job.due_at) for job in rc.jobs() if job.name != "trim"]
    with Recollect(database, clock=clock, retention={"rules": []}, lifecycle={"ttl_days": 60.0}) as rc:
        rc.run_jobs()
        assert [(job.name, job.due_at) for job in rc.jobs() if job.name != "trim"] == before


def test_turned_off_and_on(database: str, clock: FixedClock) -> None:
    """Turned off, a job does not run though it was waiting; turned on, it sees what was written meanwhile."""
    with Recollect(database, clock=clock) as rc:
        ana = told(rc)
    with Recollect(database, clock=clock, jobs={"forget": "", "ttl": "", "age": ""}) as rc:
        ana = rc.space("ana")
        ana.remember("Ana had jam.", topic="home", importance=3)
        assert not set(days(rc, clock, 90)) & {"forget", "ttl", "age"}
        assert {job.state for job in rc.jobs() if job.name in ("forget", "ttl", "age")} == {"paused"}
        assert len(ana.list()) == 3
        (report,) = rc.run_jobs(["age"], owner=ana.owner)
        assert report.text.endswith("It is turned off, and ran because it was named.")
    with Recollect(database, clock=clock) as rc:
        assert "forget" in days(rc, clock, 3)
        assert rc.space("ana").list() == []


def test_a_worker_sees_to_it(database: str, clock: FixedClock) -> None:
    """A worker that starts with other settings plans anew before it looks."""
    with Recollect(database, clock=clock) as rc:
        told(rc)
    with Recollect(database, clock=clock, retention=RULES, jobs={"rest": 0.0}) as rc:
        rc.worker().run(once=True)
        clock.advance(days=8)
        assert rc.worker().run(once=True).changed >= 1
        assert [memory.topic for memory in rc.space("ana").list()] == ["home"]


@pytest.mark.parametrize(("cron", "why"), [("0 0 30 2 *", "Bad day-of-month"), ("61 0 * * *", "Bad minute")])
def test_times_that_cannot_be(cron: str, why: str) -> None:
    """What is wrong with the line is said."""
    with pytest.raises(ConfigError, match=why):
        Recollect(jobs={"forget": cron})
