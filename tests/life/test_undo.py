"""Undoing a run: everything is as it was, but for what was changed since."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from recollect import NotFound, Recollect, Report, Space
from recollect.flows.gate.pending import PENDING
from recollect.model.change import Note, Patch, Write
from recollect.testing import FixedClock
from recollect.testing.contract.stock import make, put
from recollect.testing.judge import PlainJudge

Dump = Callable[[], str]


def remembered(text: str) -> list[str]:
    """Give the lines of an export that say what is remembered, without versions and times of change.

    How long something waits is left out too: what had run out waits a day more.
    """
    lines = []
    for line in map(json.loads, text.splitlines()):
        if line.get("state") in PENDING:
            del line["purge_at"]
        if line["type"] not in ("entry", "job", "end"):
            lines.append(json.dumps({k: v for k, v in line.items() if k not in ("version", "updated_at")}))
    return lines


def ran(rc: Recollect, name: str) -> Report:
    """Run a job by name and give its only report."""
    (report,) = (one for one in rc.run_jobs([name]) if one.run)
    return report


def talk(rc: Recollect) -> Space:
    """Let Ana tell of herself in two sessions, the second one changing what the first told."""
    first = rc.space("ana", "helper", "s1")
    first.remember("Ana lives in Faro.", topic="home")
    for text in ("I live in Lisbon.", "My dog is called Rex.", "I work at Acme with Bob Stone.", "I prefer tea."):
        first.observe("user", text, actor="Ana")
    second = rc.space("ana", "helper", "s2")
    for text in ("I moved to Porto.", "I prefer coffee now.", "My dog is called Rex.", "Call me Anita, please."):
        second.observe("user", text, actor="Ana")
    return first


def test_ageing_is_undone(rc: Recollect, ana: Space, clock: FixedClock, dump: Dump) -> None:
    """Aged memories stand in the short tier again; used since or not, the job waits for its next time."""
    for number in range(3):
        ana.remember(f"Ana had toast number {number}.")
    clock.advance(days=3)
    before = dump()
    report = ran(rc, "age")
    assert remembered(dump()) != remembered(before)
    told = ana.jobs.undo(report.run)
    assert (told.status, told.changed, told.numbers["restored"]) == ("ok", 3, 3)
    assert remembered(dump()) == remembered(before)
    assert [job.state for job in ana.jobs() if job.name == "age"] == ["waiting"]
    assert [line.op for line in ana.jobs.runs()] == ["undone", "ran"]
    assert "toast" not in told.text + "".join(told.steps)


def test_consolidation_is_undone(rc: Recollect, clock: FixedClock, dump: Dump) -> None:
    """Facts, links, entities and summaries of a run are gone, what they replaced is back, the sessions are open."""
    rc._runtime.own_judge = PlainJudge()
    ana = talk(rc)
    clock.advance(minutes=5)
    before = dump()
    report = ran(rc, "consolidate")
    assert report.changed > 1
    told = ana.jobs.undo(report.run)
    assert told.numbers["left"] == 0
    assert remembered(dump()) == remembered(before)
    assert not ana.is_session_consolidated()
    assert all(finding.ok for finding in rc.doctor())
    again = ran(rc, "consolidate")
    assert (again.changed, again.numbers) == (report.changed, report.numbers)


def test_learning_is_undone_once(rc: Recollect, ana: Space, dump: Dump) -> None:
    """What was learnt from a message is gone and is not learnt from it again; a second undo says so."""
    ana.observe("user", "Please remember that my locker is number 77.")
    before = dump()
    (report,) = (one for one in rc.run_jobs(["learn"]) if one.run)
    assert "scrub" not in [job.name for job in rc.jobs()]
    assert ana.jobs.undo(report.run).numbers["removed"] == 1
    assert "scrub" in [job.name for job in rc.jobs()]  # the files still hold the text
    assert remembered(dump()) == remembered(before)
    second = ana.jobs.undo(report.run)
    assert (second.status, second.changed) == ("skipped", 0)
    assert "undone before" in second.skipped
    rc.run_jobs()
    assert [one.content for one in ana.list(kinds=["fact"])] == []


def test_what_changed_since_stays(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """A memory that was changed after the run is left as it is, and the report says which and why."""
    one, two = (ana.remember(f"Ana had toast number {number}.").id for number in (1, 2))
    clock.advance(days=3)
    run = ran(rc, "age").run
    ana.rate(one, 7)
    told = ana.jobs.undo(run)
    assert (ana.get(one).tier, ana.get(two).tier) == ("long", "short")
    assert (told.numbers["restored"], told.numbers["left"]) == (1, 1)
    assert any(step.startswith(f"{one}: left, it was changed since (updated") for step in told.steps)


def test_what_stands_for_it_stays_with_it(rc: Recollect, clock: FixedClock) -> None:
    """When the new value was confirmed since, the old one it replaced does not come back beside it."""
    ana = rc.space("ana", "helper", "s1")
    old = ana.remember("Ana's boss is Tom.", source="session", confidence=0.6).id
    ana.observe("user", "Not Tom, Tim.", actor="Ana")
    clock.advance(minutes=5)
    report = ran(rc, "learn")
    assert ana.get(old).state == "superseded"
    (new,) = (link.from_id for link in ana.links(old) if link.type == "supersedes")
    ana.confirm(new)
    told = ana.jobs.undo(report.run)
    assert (ana.get(old).state, ana.get(new).state) == ("superseded", "active")
    assert any(step.startswith(f"{old}: left, {new}") for step in told.steps)


def test_runs_are_undone_one_after_the_other(rc: Recollect, ana: Space, clock: FixedClock, dump: Dump) -> None:
    """Of two runs that changed the same memory the later is undone first; then the earlier can be, whole."""
    one = ana.remember("Ana had toast.").id
    clock.advance(days=3)
    before = dump()
    first = ran(rc, "age").run
    changes = (Patch(one, {"tier": "archive"}, "archived"),)
    rc._runtime.store.commit(Write(owner=ana.owner, at=clock(), node="age", changes=changes, run="run_second"))
    assert ana.jobs.undo("run_second").changed == 1
    assert ana.get(one).tier == "long"
    assert ana.jobs.undo(first).changed == 1
    assert remembered(dump()) == remembered(before)


def test_a_key_taken_since_is_not_taken_twice(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """A slot the run emptied and somebody filled since stays with who has it now."""
    old = ana.remember("UTC", key="user_timezone").id
    gone = (Patch(old, {"state": "deleted"}, "forgotten"),)
    rc._runtime.store.commit(Write(owner=ana.owner, at=clock(), node="forget", changes=gone, run="run_1"))
    new = ana.remember("Europe/Lisbon", key="user_timezone").id
    told = ana.jobs.undo("run_1")
    assert (ana.get(old).state, told.changed, told.numbers["left"]) == ("deleted", 0, 1)
    assert told.steps == (f"{old}: left, {new} has its place by now",)


def test_what_stood_beside_it_before_does_not_keep_it_away(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """A note and what was claimed of it may be in the same words; one that came to say so since has its place."""
    owls = [put(make(id, "Elsie likes owls.", owner=ana.owner)) for id in ("fact_note", "fact_claim", "fact_later")]
    store, gone = rc._runtime.store, (Patch("fact_note", {"state": "superseded"}, "superseded"),)
    store.commit(Write(owner=ana.owner, at=clock(), node="test", changes=tuple(owls[:2])))
    for run in ("run_1", "run_2"):
        store.commit(Write(owner=ana.owner, at=clock(), node="judge", changes=gone, run=run))
        if run == "run_1":
            assert ana.jobs.undo(run).numbers["left"] == 0
            assert ana.get("fact_note").state == "active"
    ana.forget("fact_claim")
    store.commit(Write(owner=ana.owner, at=clock(), node="test", changes=(owls[2],)))
    assert ana.jobs.undo("run_2").steps == ("fact_note: left, fact_later has its place by now",)


def test_what_was_purged_stays_gone(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """A memory erased after the run that made or moved it is named as gone, and the rest is undone."""
    one, two = (ana.remember(f"Ana had toast number {number}.").id for number in (1, 2))
    clock.advance(days=3)
    run = ran(rc, "age").run
    ana.erase(one)
    told = ana.jobs.undo(run)
    assert (told.numbers["restored"], told.steps[-1]) == (1, f"{one}: left, it is gone by now")
    assert ana.get(two).tier == "short"


def test_only_a_run_of_ones_own_can_be_undone(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """An unknown run, another owner's run and a memory's id are refused."""
    ana.remember("Ana had toast.")
    clock.advance(days=3)
    run = ran(rc, "age").run
    for space, name in ((ana, "run_unknown"), (rc.space("bob"), run)):
        with pytest.raises(NotFound, match="no run"):
            space.jobs.undo(name)


def test_who_nobody_mentioned_before_the_run_stays(rc: Recollect, ana: Space, clock: FixedClock, dump: Dump) -> None:
    """An entity that stood without a mention when a run mentioned it stands so again, with its names."""
    ana.remember("we asked Robert Smith.")
    gone = ana.remember("we saw Bobby Flint.").id
    ana.unite("Bobby Flint", "Robert Smith")
    ana.erase(gone)
    ana.part("Bobby Flint")
    before = dump()
    new = put(make("fact_9", "we met Bobby Flint and Eve Stone.", owner=ana.owner))
    rc._runtime.store.commit(Write(owner=ana.owner, at=clock(), node="learn", changes=(new,), run="run_1"))
    assert ana.jobs.undo("run_1").numbers["removed"] == 1
    assert remembered(dump()) == remembered(before)
    assert ana.entity("Bobby Flint") is not None
    assert all(finding.ok for finding in rc.doctor())


def test_what_comes_back_is_looked_after(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """A memory put back by undo ages and is forgotten as any other: the jobs that gave up on it are due again."""
    one = ana.remember("Maria plays the cello on Sundays.").id
    gone = (Patch(one, {"state": "superseded"}, "superseded"),)
    rc._runtime.store.commit(Write(owner=ana.owner, at=clock(), node="judge", changes=gone, run="run_1"))
    for _ in range(3):
        clock.advance(days=70)
        rc.run_jobs()
    assert [job.name for job in ana.jobs()] == []
    assert ana.jobs.undo("run_1").numbers["restored"] == 1
    assert {job.name for job in ana.jobs()} >= {"age", "forget", "ttl", "relate"}
    clock.advance(days=2)
    rc.run_jobs()
    assert ana.get(one).state == "deleted"


def test_a_proposal_that_had_run_out_can_be_answered(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Undoing its end gives a proposal a day more: it is seen, can be answered, and runs out then."""
    one = ana.remember("Ana lives in Porto.", key="city", source="agent").id
    clock.advance(days=7, hours=1)
    run = ran(rc, "expire").run
    assert "expire runs again" in ana.jobs.undo(run).text
    assert [(wish.memory.id, wish.memory.purge_at) for wish in ana.inbox()] == [(one, clock() + timedelta(days=1))]
    clock.advance(hours=23)
    assert not [report for report in rc.run_jobs() if report.job == "expire"]
    clock.advance(hours=1)
    second = ran(rc, "expire").run
    assert ana.inbox() == []
    ana.jobs.undo(second)
    ana.inbox.accept(one)
    assert ana.get(one).state == "active"


def test_a_run_of_very_many_commits(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """All of a run's commits are undone, however many, and it is undone once."""
    one = ana.remember("Ana had toast.").id
    store, many = rc._runtime.store, (Note("run_1", "ran"),) * 1001
    store.commit(Write(owner=ana.owner, at=clock(), node="age", changes=many))
    last = (Patch(one, {"tier": "long"}, "aged"),)
    store.commit(Write(owner=ana.owner, at=clock(), node="age", changes=last, run="run_1"))
    assert ana.jobs.undo("run_1").numbers["restored"] == 1
    assert ana.get(one).tier == "short"
    assert ana.jobs.undo("run_1").status == "skipped"
