"""The job that cuts what was kept long enough: what it takes, what it leaves, and when it comes back."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import ConfigError, Recollect, Report, Space
from recollect.jobs.upkeep import trim
from recollect.model.change import Remove, Write
from recollect.testing import FixedClock
from tests.engines import apart

DAYS = 7


@pytest.fixture
def rc(database: str, clock: FixedClock) -> Iterator[Recollect]:
    """Give a memory whose journal and events are kept for a week."""
    with Recollect(database, clock=clock, record={"journal_days": DAYS, "events_days": DAYS}) as opened:
        yield opened


def purge(rc: Recollect, *ids: str) -> None:
    """Remove memories for good, as the job does."""
    runtime = rc._runtime
    runtime.store.commit(Write(owner="/ana", at=runtime.now(), node="purge", changes=(Remove(ids, "purged"),)))


def cut(rc: Recollect) -> Report:
    """Look first, then run, and hold one against the other."""
    (dry,) = rc.run_jobs(["trim"], dry=True)
    (report,) = rc.run_jobs(["trim"])
    assert (dry.changed, dry.numbers, dry.steps, dry.text) == (
        report.changed,
        report.numbers,
        report.steps,
        report.text,
    )
    return report


def test_what_is_cut_and_what_stays(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Purged memories, receipts and runs leave the journal, living ones keep their story; the doctor finds no gap."""
    kept = ana.remember("Ana likes tea.", request_id="r1").id
    ana.pin(kept)
    gone = ana.remember("Bob has a boat.", request_id="r2").id
    purge(rc, gone)
    ana.recall("tea")
    story = ana.history(kept)
    assert cut(rc).changed == 0
    clock.advance(days=DAYS, minutes=1)
    report = cut(rc)
    assert report.numbers == {"events": 3, "lines": 4}  # created, purged and two receipts; three events
    assert ana.history(kept) == story
    assert [entry.op for entry in ana.journal()] == ["created", "pinned", "trimmed", "ran"]
    assert all(finding.ok for finding in rc.doctor())
    assert cut(rc).changed == 0
    assert "tea" not in str(report).casefold()


def test_it_comes_back_when_the_next_is_old(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """It waits for the next line or event to be old enough, and sleeps when there is none."""
    for _ in range(2):
        ana.recall("nothing")
        purge(rc, ana.remember("Bob has a boat.").id)
        clock.advance(days=3)
    due = [job.due_at for job in ana.jobs() if job.name == "trim"]
    assert len(due) == 1
    clock.moment = due[0] - timedelta(milliseconds=1)
    assert [report.job for report in rc.run_jobs() if report.job == "trim"] == []
    clock.moment = due[0]
    (first,) = [report for report in rc.run_jobs() if report.job == "trim"]
    assert first.numbers == {"events": 2, "lines": 2}
    assert first.again is not None
    assert due[0] + timedelta(days=2) < first.again < due[0] + timedelta(days=5)
    clock.moment = first.again
    (second,) = [report for report in rc.run_jobs() if report.job == "trim"]
    assert second.changed > 0
    clock.advance(days=99)
    rc.run_jobs(["trim"])
    assert "trim" not in [job.name for job in ana.jobs()]


def test_a_long_backlog_is_cut_in_steps(
    rc: Recollect, ana: Space, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than one run can take is left for the next, which is due at once."""
    ids = [receipt.id for receipt in ana.remember_many([{"content": f"Boat {number}."} for number in range(6)])]
    for one in ids:
        purge(rc, one)
    monkeypatch.setattr(trim, "MOST", 4)
    clock.advance(days=DAYS + 1)
    counts = []
    while (report := cut(rc)).changed:
        counts.append(report.numbers["lines"])
        assert report.again == clock.moment or len(counts) > 2
    assert sum(counts) == 12
    assert len(counts) > 1
    assert all(finding.ok for finding in rc.doctor())


def test_the_next_step_begins_where_the_last_ended(
    rc: Recollect, ana: Space, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While there is more to cut, a run does not read again what the one before has read."""
    for number in range(6):
        purge(rc, ana.remember(f"Boat {number}.").id)
    monkeypatch.setattr(trim, "MOST", 4)
    clock.advance(days=DAYS + 1)
    reports = [report for _ in range(6) for report in rc.run_jobs() if report.job == "trim"]
    places = [report.numbers.get("upto") for report in reports]
    assert sum(report.numbers["lines"] for report in reports) == 12
    assert places[-1] is None
    assert [place for place in places if place] == sorted({place for place in places if place})
    assert len(places) > 2
    assert all(finding.ok for finding in rc.doctor())


def test_what_was_united_can_be_parted(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """The line that tells what two names were before they became one is kept for as long as they are one."""
    ana.remember("I saw Robert Smith in Porto.")
    ana.remember("I saw Bob in Boston.")
    ana.unite("Bob", "Robert Smith")
    purge(rc, ana.remember("A boat.").id)
    clock.advance(days=DAYS + 1)
    assert cut(rc).changed
    assert "united" in [entry.op for entry in ana.journal()]
    assert cut(rc).changed == 0
    assert ana.part("Bob").op == "parted"
    profile = ana.entity("Bob")
    assert profile is not None
    assert profile.entity.name == "Bob"
    assert all(finding.ok for finding in rc.doctor())


def test_a_trimmed_memory_is_exported_and_put_back(
    rc: Recollect, ana: Space, clock: FixedClock, tmp_path: Path
) -> None:
    """An export after trimming comes back byte by byte, and the doctor finds no gap in it."""
    ana.remember("Ana likes tea.")
    purge(rc, ana.remember("Bob has a boat.").id)
    ana.remember("Carol has a car.")
    clock.advance(days=DAYS + 1)
    assert cut(rc).changed
    out = io.StringIO()
    rc.export(out)
    (tmp_path / "all.jsonl").write_text(out.getvalue())
    with Recollect(apart("sqlite", tmp_path), clock=clock) as other:
        other.import_file(tmp_path / "all.jsonl")
        again = io.StringIO()
        other.export(again)
        assert again.getvalue() == out.getvalue()
        assert all(finding.ok for finding in other.doctor())


def test_who_slept_longer_finds_nothing_purged(rc: Recollect, ana: Space, database: str, clock: FixedClock) -> None:
    """A process that looked before the purge and comes back after the trimming recalls what is there, and no more."""
    ids = [ana.remember(f"Boat number {number} is in the harbour.").id for number in range(5)]
    with Recollect(database, clock=clock) as sleeper:
        assert len(sleeper.space("ana").recall("boat harbour")) == 5
        purge(rc, *ids[:3])
        clock.advance(days=DAYS + 1)
        assert cut(rc).changed
        found = sleeper.space("ana").recall("boat harbour")
        assert sorted(hit.memory.id for hit in found) == sorted(ids[3:])


def test_the_journal_is_kept_by_default(database: str, clock: FixedClock) -> None:
    """Without a setting no line is ever cut, and an owner of whom nothing was noted has no such job."""
    with Recollect(database, clock=clock) as rc:
        ana = rc.space("ana")
        purge(rc, ana.observe("user", "Hello.").id)
        assert "trim" not in [job.name for job in ana.jobs()]
        clock.advance(days=4000)
        assert rc.run_jobs(["trim"])[0].changed == 0
        assert [entry.op for entry in ana.journal()] == ["created", "opened", "purged"]


@pytest.mark.parametrize("wrong", [{"events_days": 0}, {"journal_days": -1}])
def test_bad_numbers_are_refused(wrong: dict[str, int], tmp_path: Path) -> None:
    """Days that make no sense are refused when the settings are read."""
    with pytest.raises(ConfigError, match="record"):
        Recollect(f"sqlite:///{tmp_path}/memory.db", record=wrong)
