"""Relations: links follow what changed, to the nearest that stand, each pair once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recollect import Recollect, Report, Space
from recollect.flows.find import relating
from recollect.jobs.registry import tasks
from recollect.model.change import Connect, Write
from recollect.model.job import Job, Plan
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.testing import FixedClock

TEXTS = (
    "Ana likes green tea in the morning.",
    "Ana drinks green tea every morning at work.",
    "The office is in Lisbon near the river.",
    "Our office in Lisbon has a view of the river.",
    "Green tea is what Ana orders in cafes.",
)


@pytest.fixture
def told(database: str, clock: FixedClock) -> Recollect:
    """Give a memory that compares meaning."""
    return Recollect(database, embedder="minilm", clock=clock)


def related(space: Space, ids: list[str]) -> set[frozenset[str]]:
    """Give the pairs that are linked, and see that none is linked twice or to itself."""
    links = {(link.from_id, link.to_id) for id in ids for link in space.links(id) if link.type == "related_to"}
    pairs = {frozenset(link) for link in links}
    assert len(pairs) == len(links)
    assert all(len(pair) == 2 for pair in pairs)
    return pairs


def test_links_follow(told: Recollect, clock: FixedClock) -> None:
    """Links of what was replaced go on to the newest, those of what is forgotten end, and a second run does nothing."""
    with told as rc:
        ana = rc.space("ana", session="s1")
        ids = [ana.remember(text).id for text in TEXTS]
        assert frozenset(ids[:2]) in related(ana, ids)
        clock.advance(days=1)
        assert [report.changed for report in rc.run_jobs() if report.job == "relate"] == [0]
        assert "relate" not in [job.name for job in ana.jobs()]
        new = ana.correct(ids[0], "Ana likes jasmine tea in the evening.").id
        ana.forget(ids[2])
        (shown,) = rc.run_jobs(["relate"], dry=True)
        clock.advance(days=1)
        (done,) = [report for report in rc.run_jobs() if report.job == "relate"]
        assert (shown.changed, shown.numbers) == (done.changed, done.numbers)
        assert done.changed == len(done.steps) > 0
        pairs = related(ana, [*ids, new])
        assert frozenset((ids[1], new)) in pairs
        assert not any(ids[0] in pair or ids[2] in pair for pair in pairs)
        assert [report.changed for report in rc.run_jobs(["relate"])] == [0]
        assert all(finding.ok for finding in rc.doctor())


def test_cut_deduplicated_and_repointed(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Without vectors, pairs linked both ways are linked once, and links to a merged memory go on to the whole."""
    first, second, third = (ana.remember(text).id for text in TEXTS[1:4])
    links = (Connect(first, second, "related_to", 0.5), Connect(second, first, "related_to", 0.6))
    more = (Connect(third, first, "related_to", 0.7),)
    rc._runtime.store.commit(Write(owner=ana.owner, at=clock.moment, node="test", changes=(*links, *more)))
    (report,) = rc.run_jobs(["relate"])
    assert report.numbers["cut"] == 1
    fourth = ana.remember(TEXTS[4]).id
    whole = ana.merge([first, fourth]).id
    (report,) = rc.run_jobs(["relate"])
    assert report.status == "ok"
    assert related(ana, [first, second, third, whole]) == {frozenset((second, whole)), frozenset((third, whole))}
    assert [report.changed for report in rc.run_jobs(["relate"])] == [0]


def test_many_changes_take_many_runs(rc: Recollect, ana: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run looks at so many and goes on where it ended."""
    monkeypatch.setattr(relating, "RUN", 2)
    ids = [ana.remember(text).id for text in TEXTS]
    with rc._runtime.store.view() as view:
        some, upto, more = relating.changed(view, ana.owner, 0)
        assert (some, more) == (ids[:2], True)
        rest, _, more = relating.changed(view, ana.owner, upto)
        assert (rest, more) == (ids[2:4], True)
        assert relating.changed(view, ana.owner, view.counters(ana.owner).rev) == (
            [],
            view.counters(ana.owner).rev,
            False,
        )


def looked_at(reports: list[Report]) -> list[int]:
    """Give how many memories each run looked at."""
    return [int(report.numbers["looked_at"]) for report in reports if report.job == "relate"]


def test_nothing_is_lost_while_it_fails(
    rc: Recollect, ana: Space, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changed before it was put aside is looked at when it is retried, days later, and only once."""
    task = tasks()["relate"]
    ana.remember(TEXTS[0])
    clock.advance(days=1)
    assert looked_at(rc.run_jobs(["relate"])) == [1]

    def fails(runtime: Runtime, view: View, this: Job) -> Plan:
        raise RuntimeError("no")

    ana.remember(TEXTS[2])
    monkeypatch.setitem(tasks(), "relate", replace(task, plan=fails))
    for _ in range(8):
        clock.advance(hours=6)
        rc.run_jobs(["relate"])
    assert [job.state for job in ana.jobs() if job.name == "relate"] == ["dead"]
    monkeypatch.setitem(tasks(), "relate", task)
    clock.advance(days=4)
    assert [job.name for job in rc.jobs.retry()] == ["relate"]
    assert looked_at(rc.run_jobs(["relate"])) == [1]
    assert looked_at(rc.run_jobs(["relate"])) == [0]
    assert [job.name for job in rc.jobs() if job.name in ("relate", "place")] == []


def test_a_long_backlog_and_a_clock_that_goes_back(
    rc: Recollect, ana: Space, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every change is looked at once, however old it is by then and whatever the clock said of it."""
    monkeypatch.setattr(relating, "RUN", 2)
    for text in TEXTS:
        ana.remember(text)
        clock.advance(days=2)
    clock.advance(days=-30)
    ana.remember("The harbour is closed in winter.")
    clock.advance(days=40)
    found = [looked_at(rc.run_jobs(["relate"])) for _ in range(5)]
    assert found == [[2], [2], [2], [0], [0]]
