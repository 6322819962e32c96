"""Relations: links follow what changed, to the nearest that stand, each pair once."""

from __future__ import annotations

import pytest

from recollect import Recollect, Space
from recollect.flows import relating
from recollect.model.change import Connect, Write
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


def test_the_revision_of_a_moment(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """The last revision before a moment is found by halving."""
    moments = []
    for text in TEXTS:
        ana.remember(text)
        clock.advance(hours=1)
        moments.append(clock.moment)
    with rc._runtime.store.view() as view:
        last = [relating.revision_at(view, ana.owner, moment) for moment in moments]
        assert last == sorted(set(last))
        assert last[-1] == view.counters(ana.owner).rev
        assert relating.revision_at(view, ana.owner, moments[0].replace(year=2020)) == 0
