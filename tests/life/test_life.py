"""The life of a memory: ageing, forgetting, expiring, purging, coming back; on every engine, on a clock that stands."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Conflict, InvalidInput, NotFound, Recollect, Space
from recollect.rules.life.lifecycle import MS
from recollect.rules.life.schedule import next_time
from recollect.testing import FixedClock
from recollect.testing.contract import everything
from tests.engines import ask

DAY = timedelta(days=1)


def due(space: Space, name: str) -> datetime | None:
    """Say when a job of this owner is due."""
    return next((job.due_at for job in space.jobs() if job.name == name), None)


def until(rc: Recollect, clock: FixedClock, days: int) -> None:
    """Let days pass, running at every hour what is due."""
    for _ in range(days * 24):
        clock.advance(hours=1)
        while rc.run_jobs():
            pass


def test_a_year(rc: Recollect, clock: FixedClock) -> None:
    """Importance nine said in January is in Active Memory in December; three, never used, is gone and can come back."""
    clock.moment = datetime(2026, 1, 10, 12, tzinfo=UTC)
    january = rc.space("ana", agent="helper", session="january")
    january.observe("user", "hello")
    vital = january.remember("Ana is allergic to nuts.", importance=9, topic="health").id
    trifle = january.remember("Ana tried the new toaster.", importance=3, topic="home").id
    for month in range(2, 13):
        clock.moment = datetime(2026, month, 10, 12, tzinfo=UTC)
        while rc.run_jobs():
            pass
    december = rc.space("ana", agent="helper", session="december")
    december.observe("user", "hello again")
    context = december.context()
    assert "allergic to nuts" in str(context)
    assert vital in context.ids
    assert december.recall("toaster") == []
    (gone,) = [entry for entry in december.history(trifle) if entry.op == "forgotten"]
    assert (gone.actor, (gone.meta or {})["why"][:10], gone.at > datetime(2026, 2, 9, tzinfo=UTC)) == (
        "forget", "confidence", True,
    )  # fmt: skip
    assert (december.get(trifle).state, december.get(trifle).purge_at) == ("deleted", None)
    before = january.get(trifle)
    assert december.restore(trifle).ok
    (hit,) = december.recall("toaster")
    assert (hit.memory.id, hit.memory.content, hit.memory.topic, hit.memory.created_at) == (
        trifle, "Ana tried the new toaster.", "home", before.created_at,
    )  # fmt: skip
    assert hit.memory.last_accessed == clock()
    assert all(finding.ok for finding in rc.doctor())
    assert rc.run_jobs(["forget"])[0].changed == 0


def test_forgetting_at_its_moment(ana: Space, rc: Recollect, clock: FixedClock) -> None:
    """The job is due at its first time after the confidence falls below the line, not a run earlier."""
    one = ana.remember("Ana had toast.", importance=6).id
    rc.run_jobs(["relate"])
    moment = clock() + timedelta(milliseconds=2_588_312_685)  # ln(20) / 0.1 days
    assert due(ana, "forget") == next_time(ana.owner, "forget", moment - MS, rc.settings.jobs)
    assert rc.run_jobs(["forget"], now=moment - MS)[0].changed == 0
    assert rc.run_jobs(["forget"], now=moment, dry=True)[0].changed == 1
    assert ana.get(one).state == "active"
    (report,) = rc.run_jobs(["forget"], now=moment)
    assert (report.changed, report.numbers, report.run != "") == (1, {"forgotten": 1, "waiting": 0}, True)
    assert one in report.steps[0]
    assert "toast" not in str(report.to_json())
    assert due(ana, "relate") is not None  # its links go with it
    assert rc.run_jobs(["forget"], now=moment)[0].changed == 0
    assert due(ana, "forget") is None


def test_use_puts_forgetting_off(ana: Space, rc: Recollect, clock: FixedClock) -> None:
    """Being returned by recall starts the decay over; being shown as Active Memory, or only looked at, does not."""
    used = ana.remember("Ana had toast.", importance=6).id
    shown = ana.remember("Ana owns a lamp.", importance=6).id
    clock.advance(days=20)
    assert [hit.memory.id for hit in ana.recall("toast")] == [used]
    ana.context()
    ana.list()
    ana.explain("lamp", shown)
    clock.advance(days=10)
    (report,) = rc.run_jobs(["forget"])
    assert [step.split(":")[0] for step in report.steps] == [shown]
    assert report.again == next_time(
        ana.owner, "forget", clock() - 10 * DAY + timedelta(milliseconds=2_588_312_685) - MS, rc.settings.jobs
    )


def test_only_what_is_returned_is_used(ana: Space, rc: Recollect) -> None:
    """Of many that fit, exactly those a recall gives back are touched, once each."""
    for n in range(30):
        ana.remember(f"Ana visited lighthouse number {n}.")
    given = {hit.memory.id for hit in ana.recall("lighthouse", limit=4)}
    rc.run_jobs(["age"])  # jobs write down what was used before they look
    used = {memory.id: memory.access_count for memory in ana.list(limit=100) if memory.access_count}
    assert used == dict.fromkeys(given, 1)


def test_ttl_and_purge(rc: Recollect, ana: Space, clock: FixedClock, database: str) -> None:
    """Unused for sixty days and of little importance it expires; thirty days later no text of it is left."""
    one = ana.remember("Ana glimpsed a zyxquark.", kind="event", importance=4, topic="zyxtopic").id
    kept = ana.remember("Ana met a friend.", kind="event", importance=6).id
    start = clock()
    assert rc.run_jobs(["ttl"], now=start + 60 * DAY)[0].changed == 0
    clock.moment = start + 60 * DAY + MS
    (report,) = rc.run_jobs(["ttl"])
    assert (report.changed, ana.get(one).state, ana.get(kept).state) == (1, "deleted", "active")
    gone = ana.get(one).purge_at
    assert gone == clock() + 30 * DAY
    assert ana.recall("zyxquark") == []
    assert due(ana, "purge") == next_time(ana.owner, "purge", gone - MS, rc.settings.jobs)
    assert rc.run_jobs(["purge"], now=gone - MS)[0].changed == 0
    clock.moment = gone
    assert rc.run_jobs(["purge"], dry=True)[0].changed == 1
    assert ana.get(one).state == "deleted"
    (report,) = rc.run_jobs(["purge"])
    assert report.changed == 1
    assert "cannot be undone" in report.text
    assert rc.run_jobs(["purge"])[0].changed == 0
    with pytest.raises(NotFound):
        ana.get(one)
    assert [entry.op for entry in ana.history(one)][-1] == "purged"
    for table in ("memories", "journal", "terms", "postings", "links", "names", "entities", "jobs"):
        assert "zyx" not in str(ask(database, f"SELECT * FROM {table}"))
    clock.advance(hours=2)
    assert "scrub" in [report.job for report in rc.run_jobs()]
    rc.close()
    if database.startswith("sqlite"):
        files = Path(database.removeprefix("sqlite:///"))
        assert not any(b"zyx" in file.read_bytes() for file in files.parent.glob(f"{files.name}*"))


def test_restored_before_the_purge(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """What is restored in time has no date any more and is not purged."""
    one = ana.remember("Ana saw a heron.", kind="event", importance=4).id
    clock.advance(days=61)
    rc.run_jobs(["ttl"])
    clock.advance(days=29)
    assert ana.restore(one).ok
    clock.advance(days=2)
    assert rc.run_jobs(["purge"])[0].changed == 0
    assert (ana.get(one).state, ana.get(one).purge_at) == ("active", None)
    assert [hit.memory.id for hit in ana.recall("heron")] == [one]


@pytest.mark.parametrize("end", ["reject", "expire", "replace"])
def test_what_was_never_believed_goes(rc: Recollect, ana: Space, clock: FixedClock, end: str) -> None:
    """A proposal that was rejected, replaced or ran out is purged thirty days later."""
    one = ana.remember("Ana lives in Porto.", key="city", source="session").id
    assert ana.get(one).state == "proposed"
    if end == "reject":
        ana.inbox.reject(one)
    elif end == "replace":
        ana.remember("Ana lives in Faro.", key="city", source="user")
    else:
        clock.advance(days=7)
        assert [(report.job, report.changed) for report in rc.run_jobs() if report.changed] == [("expire", 1)]
    assert ana.get(one).purge_at == clock() + 30 * DAY
    with pytest.raises(Conflict):
        ana.restore(one)
    clock.advance(days=32)
    while rc.run_jobs():
        pass
    with pytest.raises(NotFound):
        ana.get(one)


def test_a_crowded_short_tier(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Above a hundred unprotected memories the short tier is brought down to fifty; protected ones do not count."""
    for part in range(4):
        ana.remember_many([{"content": f"Ana noted number {part * 30 + n}.", "importance": 4} for n in range(30)])
    vital = ana.remember("Ana is allergic to nuts.", importance=9).id
    ana.recall("number 7", limit=1)
    clock.advance(hours=1)
    (report,) = rc.run_jobs(["age"])
    assert (report.changed, report.numbers) == (70, {"old": 0, "crowded": 70, "stay": 50})
    assert "more than 100" in report.text
    assert rc.run_jobs(["age"])[0].changed == 0
    assert ana.get(vital).tier == "short"
    used = ana.recall("number 7", limit=1)[0].memory
    assert (used.access_count > 0, used.tier) == (True, "short")


def test_ageing_on_demand(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Other numbers move other memories, at once, and leave the next run in time where it was."""
    ids = [ana.remember(f"Ana noted number {n}.", importance=n).id for n in (4, 5, 6)]
    clock.advance(hours=13)
    before = due(ana, "age")
    assert ana.age().changed == 0
    assert ana.age(12, 2, dry=True).changed == 2
    report = ana.age(after_hours=12, most=2)
    assert (report.changed, report.owner) == (2, ana.owner)
    assert [ana.get(one).tier for one in ids] == ["long", "long", "short"]
    assert due(ana, "age") == before
    assert rc.run_jobs(["age"], now=clock() + 3 * DAY)[0].changed == 1
    for bad in ({"after_hours": -1}, {"after_hours": "12"}, {"most": 0}, {"after_hours": float("nan")}):
        with pytest.raises(InvalidInput):
            ana.age(**bad)


def test_retention(database: str, clock: FixedClock) -> None:
    """Rules of a topic keep longer, let go sooner or never; the raw messages a rule names expire with their text."""
    rules = [
        {"topic": "work/*", "age_after": "30d", "expire_after": "365d"},
        {"topic": "health", "never": True},
        {"topic": "gossip", "expire_after": "7d"},
        {"kind": "episode", "expire_after": "90d"},
    ]
    with Recollect(database, clock=clock, retention={"rules": rules}) as rc:
        ana = rc.space("ana", session="s")
        said = ana.observe("user", "hello there").id
        work, health, gossip, plain = (
            ana.remember(f"Ana said something of {topic}.", topic=topic, importance=6).id
            for topic in ("Work/Plans", "health", "gossip", "other")
        )
        until(rc, clock, 9)
        states = {one: (ana.get(one).tier, ana.get(one).state) for one in (work, health, gossip, plain)}
        assert states[gossip] == ("long", "deleted")
        assert [states[one] for one in (work, health)] == [("short", "active")] * 2
        assert states[plain] == ("long", "active")
        for days in (31, 60, 280, 30, 30):
            clock.advance(days=days)
            while rc.run_jobs():
                pass
            if days == 31:
                assert [ana.get(one).state for one in (work, health, plain)] == ["active", "active", "deleted"]
        assert ana.get(health).state == "active"
        for one in (said, gossip, work):
            with pytest.raises(NotFound):
                ana.get(one)


def test_a_hand_laid_on_it_is_a_use(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """What is unpinned or rated lower after a long time fades from that moment on, not from its last use."""
    pinned = ana.remember("Ana has a cat.", pinned=True).id
    vital = ana.remember("Ana sings in a choir.", importance=9).id
    clock.advance(days=300)
    ana.pin(pinned, False)
    ana.rate(vital, 4)
    for job in ("forget", "ttl"):
        assert rc.run_jobs([job], now=clock() + 20 * DAY)[0].changed == 0
    assert rc.run_jobs(["forget"], now=clock() + 31 * DAY)[0].changed == 2


def test_the_forecast_comes_true(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """What `forgetting` says goes on a day is gone then, by the job it names, and was there a moment before."""
    rc.run_jobs()  # the settings are known, so that no job looks sooner because of them
    fact = ana.remember("Ana had toast.", importance=3).id
    event = ana.remember("Ana went swimming.", kind="event", importance=3).id
    vital = ana.remember("Ana is allergic to nuts.", importance=9).id
    found = ana.forgetting(weeks=10)
    assert [(fate.id, fate.job) for fate in found.fates] == [(fact, "forget"), (event, "ttl")]
    assert sum(found.weeks) == 2
    assert [n for n, many in enumerate(found.weeks) if many] == [4, 8]
    for fate in found.fates:
        assert fate.goes_at is not None
        for moment, state in ((fate.goes_at - MS, "active"), (fate.goes_at, "deleted")):
            clock.moment = moment
            while rc.run_jobs():
                pass
            assert ana.get(fate.id).state == state
    one = ana.forgetting(memory_id=event)
    assert (one.fates[0].job, one.curve) == ("purge", ())
    stays = ana.forgetting(memory_id=vital)
    assert (stays.fates[0].goes_at, stays.fates[0].kept) == (None, "importance 9")
    assert ana.forgetting(memory_id=fact).fates[0].kept.startswith("out of sight")


def test_the_curve_of_one(ana: Space) -> None:
    """One memory's curve falls from what it is now to what makes it go."""
    one = ana.remember("Ana had toast.", importance=6).id
    found = ana.forgetting(memory_id=one)
    curve = [point.confidence for point in found.curve]
    assert curve[0] == 1.0
    assert curve == sorted(curve, reverse=True)
    assert curve[-1] < 0.05
    assert found.curve[-1].at == found.fates[0].goes_at
    with pytest.raises(NotFound):
        ana.forgetting(memory_id="fact_none")
    with pytest.raises(InvalidInput):
        ana.forgetting(weeks=0)


def test_no_owner_is_woken_for_nothing(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """What is protected makes no job due, and an owner whose memories have all gone has none left."""
    ana.remember("Ana is allergic to nuts.", importance=9)
    ana.remember("A long text.", kind="passage")
    assert [job.name for job in ana.jobs()] == ["relate"]
    ana.remember("Ana had toast.", importance=6)
    assert [job.name for job in ana.jobs()] == ["age", "forget", "relate"]
    for days in (40, 1):  # in the night after, the links of what was forgotten are looked at
        clock.advance(days=days)
        while rc.run_jobs():
            pass
    assert ana.jobs() == []


def test_many_are_moved_in_short_commits(rc: Recollect, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run changes only so many, and the rest follows at once."""
    monkeypatch.setattr("recollect.flows.life.crossings.MOST", 4)
    ana = rc.space("ana")
    ana.remember_many([{"content": f"Ana noted number {n}."} for n in range(10)])
    clock.advance(days=31)
    reports = [report for _ in range(5) for report in rc.run_jobs() if report.job == "forget"]
    assert [report.changed for report in reports] == [4, 4, 2]


def test_lives_are_bare(rc: Recollect, ana: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs see columns without texts, of few owners' rows at once and of many streamed, the same."""
    for n in range(5):
        ana.remember(f"Ana noted number {n}.", tags=["x"], attributes={"a": n})
    look: Callable[[], Any] = lambda: sorted(view.lives(everything(owner=ana.owner)), key=lambda one: one.id)  # noqa: E731
    with rc._runtime.store.view() as view:
        few = look()
        monkeypatch.setattr("recollect.store.sql.read.reading.MOST_HELD", 2)
        assert look() == few
    assert [(one.content, one.tags, one.attributes) for one in few] == [("", (), {"a": n}) for n in range(5)]
    assert [one.id for one in few] == sorted(one.id for one in ana.list())
