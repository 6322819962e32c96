"""The archive: what leaves the database is verified first, is still found, comes back whole, and can be erased."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from recollect import ConfigError, InvalidInput, NotFound, Recollect, Space, StoreError, Unavailable
from recollect.flows.life import batches
from recollect.model.change import Shelve, Write
from recollect.providers.archives import open_archive
from recollect.rules.life.archiving import ArchivePolicy, index_line
from recollect.testing import FixedClock
from tests.life.test_undo import remembered

LONG = (
    "The lighthouse of {name} was painted again this year, said a letter nobody answered, and " + "so on and on " * 12
)
BEYOND = 4


@pytest.fixture(params=["folder", "elsewhere"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give where the archive is: a plain folder, and a place that fsspec reaches."""
    if request.param == "folder":
        return str(tmp_path / "archive")
    fsspec.filesystem("memory").store.clear()
    return "memory://bucket/recollect"


@pytest.fixture
def rc(database: str, clock: FixedClock, url: str) -> Iterator[Recollect]:
    """Give a memory that may keep few in its long tier."""
    with Recollect(database, clock=clock, archive={"url": url, "beyond": BEYOND, "batch": 3}) as opened:
        yield opened


@pytest.fixture
def full(rc: Recollect, clock: FixedClock) -> Space:
    """Give somebody with twelve memories in the long tier, of which eight are too many."""
    return filled(rc, clock)


def filled(rc: Recollect, clock: FixedClock, many: int = 12) -> Space:
    """Remember letters about lighthouses, long ago."""
    ana = rc.space("ana")
    for number in range(many):
        ana.remember(LONG.format(name=f"Harbour{number:02}"), importance=3 + number % 5, topic=f"letter {number}")
    for _ in range(3):
        clock.advance(days=3)
        rc.run_jobs(["age"])
    assert ana.stats().tiers == {"long": many}
    return ana


def exported(rc: Recollect) -> list[dict[str, Any]]:
    """Give the memories of an export, but for what moving changes: versions."""
    out = io.StringIO()
    rc.export(out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    return [{**line, "version": 0} for line in lines if line["type"] == "memory"]


def archived(ana: Space) -> list[str]:
    """Give the ids of what is in the archive."""
    return [one.id for one in ana.list(tiers=["archive"], limit=100)]


def test_000_82_beyond_the_bound_the_least_go_in_batches(full: Space) -> None:
    """What has the lowest importance × (uses + 1) goes first, so many at a time, until the bound is kept."""
    weights = {one.id: (one.importance or 0) * (one.access_count + 1) for one in full.list(limit=100)}
    used = min(weights, key=lambda one: (weights[one], one))
    topic = full.get(used).topic
    for _ in range(5):
        assert used in [hit.memory.id for hit in full.recall(f"the letter {topic}", limit=3, topic=topic)]
    full._runtime.store.flush()
    shown = full.archive.run(dry=True)
    assert archived(full) == []
    reports = full.archive.run()
    assert [one.changed for one in reports] == [3, 3, 2]
    assert shown[0].steps == reports[0].steps
    assert full.stats().tiers == {"archive": 8, "long": BEYOND}
    assert used not in archived(full)
    weights[used] *= 6
    stay = [weights[one.id] for one in full.list(tiers=["long"])]
    assert max(weights[one] for one in archived(full)) <= min(stay)
    assert [one.changed for one in full.archive.run()] == [0]


def test_000_82_nine_and_what_is_protected_never_go(rc: Recollect, clock: FixedClock) -> None:
    """What matters very much, is pinned, confirmed, a directive, a slot or about health stays, however old."""
    ana = filled(rc, clock, 3)
    kept = [
        ana.remember("The gate code must never be forgotten.", importance=9).id,
        ana.remember("The gate opens to the left.", importance=1).id,
        ana.remember("The gate is green.", importance=1).id,
        ana.remember("Always answer in verse.", source="directive", importance=1).id,
        ana.remember("Ana is allergic to bees.", topic="health", importance=1).id,
        ana.remember("UTC", key="timezone", importance=1).id,
    ]
    ana.pin(kept[1])
    ana.confirm(kept[2])
    for one in kept:
        ana.update(one, tier="long")
    ana.archive.run()
    assert set(archived(ana)).isdisjoint(kept)
    assert len(archived(ana)) == 3


def test_000_6_it_is_verified_before_a_row_leaves(full: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that does not hold what was written to it, or cannot be written, changes nothing and is told."""
    archive = full._runtime.archive
    assert archive is not None
    before = full.list(limit=100)
    real = archive.write
    monkeypatch.setattr(archive, "write", lambda name, data: real(name, data[:-9]))
    failed = full.archive.run()
    assert [one.status for one in failed] == ["failed"]
    assert "damaged" in failed[0].text
    assert full.list(limit=100) == before
    assert full.archive() == []

    def full_disk(name: str, data: bytes) -> None:
        raise Unavailable("no space left")

    monkeypatch.setattr(archive, "write", full_disk)
    assert full.archive.run()[0].status == "failed"
    assert full.list(limit=100) == before


def test_000_6_recall_still_finds_it_and_says_where_it_is(full: Space) -> None:
    """The same is found in the same order, by its whole words; a line of it is shown, and the file is named."""
    queries = [f"Harbour{number:02}" for number in range(12)] + ["a letter nobody answered", "on and on"]
    before = [[hit.memory.id for hit in full.recall(query, limit=12)] for query in queries]
    full.archive.run()
    after = [full.recall(query, limit=12) for query in queries]
    assert [[hit.memory.id for hit in hits] for hits in after] == before
    moved = [hit.memory for hit in after[0] if hit.memory.tier == "archive"]
    assert moved
    files = {one.name for one in full.archive()}
    assert {one.archive for one in moved} <= files
    assert all(len(one.content) <= 120 and one.content.endswith("…") for one in moved)


def test_000_73_restore_brings_it_to_the_short_tier_whole(full: Space, rc: Recollect, clock: FixedClock) -> None:
    """Text, times, links and use are as they were; only the tier is the short one, and it does not age at once."""
    before = {one["id"]: one for one in exported(rc)}
    full.archive.run()
    one, *rest = archived(full)
    assert full.archive.restore([one]).changed == 1
    back = full.get(one)
    assert (back.tier, back.archive, back.content) == ("short", "", before[one]["content"])
    assert full.archive.restore([one]).changed == 0
    name = full.get(rest[0]).archive
    many = sum(full.get(id).archive == name for id in rest)
    assert full.archive.restore(file=name.rpartition("/")[2]).changed == many
    assert full.archive.restore(everything=True).changed == len(rest) - many
    changed = ("tier", "last_accessed", "updated_at")
    after = {one["id"]: one for one in exported(rc)}
    assert {id: {k: v for k, v in one.items() if k not in changed} for id, one in after.items()} == {
        id: {k: v for k, v in one.items() if k not in changed} for id, one in before.items()
    }
    assert rc.run_jobs(["age"])[0].changed == 0
    assert all(finding.ok for finding in rc.doctor())
    for ids in ([], [one]):
        with pytest.raises(InvalidInput, match="say what to restore"):
            full.archive.restore(ids, everything=bool(ids))
    with pytest.raises(NotFound):
        full.archive.restore(["fact_nobody"])
    with pytest.raises(NotFound, match="archive list"):
        full.archive.restore(file="arc_nothing")


def test_an_export_needs_no_archive(full: Space, rc: Recollect, tmp_path: Path, clock: FixedClock) -> None:
    """It holds every text whole, is the same as before, and can be read into another database that has no archive."""
    before = exported(rc)
    full.archive.run()
    assert exported(rc) == before
    rc.export(tmp_path / "all.jsonl")
    with Recollect(tmp_path / "other.db", clock=clock) as other:
        other.import_file(tmp_path / "all.jsonl")
        assert exported(other) == before
    with Recollect(tmp_path / "copy.db", clock=clock) as other:
        rc.copy_to(other)
        assert exported(other) == before


def test_what_is_damaged_missing_or_foreign_is_named(full: Space) -> None:
    """Each file that is not what it should be is told by its name, and nothing is read from it."""
    archive = full._runtime.archive
    assert archive is not None
    full.archive.run()
    first, second, third = (one.name for one in sorted(full.archive(), key=lambda one: -one.memories))
    assert sorted((one.memories, one.spare, one.problem) for one in full.archive.verify()) == [
        (2, 0, ""), (3, 0, ""), (3, 0, ""),
    ]  # fmt: skip
    good = archive.read(first + batches.END)
    other = archive.read(second + batches.END)
    assert good is not None
    assert other is not None
    archive.write(first + batches.END, good[:50] + bytes([good[50] ^ 1]) + good[51:])
    archive.write(second + batches.END, good)
    archive.remove(third + batches.END)
    stranger = f"{first.rpartition('/')[0]}/arc_stranger"
    archive.write(stranger + batches.END, gzip.compress(b'{"some": "thing"}\n'))
    found = {one.name: one.problem for one in full.archive.verify()}
    assert "damaged" in found[first]
    assert f"foreign: it is {first}" in found[second]
    assert "missing" in found[third]
    assert "foreign" in found[stranger]
    for name, problem in found.items():
        assert name in problem
    with pytest.raises(StoreError, match="damaged"):
        full.archive.restore(file=first)
    assert len(archived(full)) == 8
    archive.write(second + batches.END, other)
    assert full.archive.restore(file=second).changed == 3


def test_erase_reaches_into_the_archive(rc: Recollect, clock: FixedClock, url: str, tmp_path: Path) -> None:
    """No byte of what was erased is left in any file, the rest is there, and the receipt says so."""
    ana = filled(rc, clock)
    nonce = ana.remember(LONG.format(name="Zorblaxing"), importance=1).id
    ana.update(nonce, tier="long")
    mine, other = ana.archive.run(), filled_for(rc, clock, "ben")
    assert mine
    assert "Zorblaxing" in texts(ana)
    receipt = ana.erase(nonce)
    assert receipt.archive == "scrubbed"
    assert "Zorblaxing" not in texts(ana)
    assert {one.problem for one in ana.archive.verify()} == {""}
    assert sum(one.memories for one in ana.archive()) == len(archived(ana)) == 8
    by_name = ana.erase(entity="Harbour00")  # it stands only in what is archived, or in the lines that stay
    assert by_name.count == 1
    assert "Harbour00" not in texts(ana)
    assert ana.erase(everything=True).archive == "scrubbed"
    assert texts(ana) == ""
    assert other.archive()
    assert {one.problem for one in other.archive.verify()} == {""}
    assert rc.run_jobs(["shred"])[0].numbers["texts"] == 0


def test_erase_says_when_the_archive_cannot_be_reached(full: Space, rc: Recollect) -> None:
    """Then the receipt says so, a job waits, and takes the text out when the archive is back."""
    full.archive.run()
    gone = archived(full)[0]
    archive = full._runtime.archive
    assert archive is not None
    rc._runtime._archives[0] = open_archive("/proc/nowhere")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(rc._runtime._archives[0]), "names", _unreachable)
        assert full.erase(gone).archive == "pending"
    rc._runtime._archives[0] = archive
    assert [one.numbers["texts"] for one in rc.run_jobs() if one.job == "shred"] == [1]
    assert [one for one in rc.jobs() if one.name == "shred"] == []


def _unreachable(self: object, folder: str) -> list[str]:
    raise Unavailable("the archive is away")


def test_a_changed_embedder_reads_whole_texts(tmp_path: Path, clock: FixedClock) -> None:
    """What is archived is embedded by all it says, not by the line that is left of it."""
    archive = {"url": str(tmp_path / "archive"), "beyond": 1}
    with Recollect(tmp_path / "m.db", clock=clock, archive=archive) as rc:
        ana = filled(rc, clock, 3)
        tail = ana.remember("A long story. " * 20 + "In the end the astronomer adopted a parrot.", importance=1).id
        ana.update(tail, tier="long")
        ana.archive.run()
        assert tail in archived(ana)
    with Recollect(tmp_path / "m.db", clock=clock, archive=archive, embedder="minilm") as rc:
        rc.reindex()
        with rc._runtime.store.view() as view:
            doc = view.numbers(ana.owner, [tail])[tail]
            vector = view.embeddings(ana.owner, "minilm-l6-v2", [doc])[doc]
        whole = rc._runtime.embedder()
        assert whole is not None
        from recollect.text.vectors import packed

        assert (
            packed(whole.embed(["A long story. " * 20 + "In the end the astronomer adopted a parrot."]).vectors[0])
            == vector
        )


def test_changing_what_is_archived_works_on_the_whole_text(full: Space) -> None:
    """A new topic, a correction and a merge see all of it; a tier alone is refused, with what to do."""
    full.archive.run()
    one, two, three, *_ = archived(full)
    line = full.get(one).content
    moved = full.get(full.update(one, topic="lighthouses").id)
    assert (moved.archive, moved.tier) == ("", "short")
    assert moved.content.startswith(line.rstrip("…"))
    assert len(moved.content) > 200
    with pytest.raises(InvalidInput, match="recollect archive restore"):
        full.update(two, tier="short")
    merged = full.get(full.merge([two, three]).id)
    assert merged.archive == ""
    assert "Harbour" in merged.content
    assert len(merged.content) > 200
    assert full.remember(moved.content).outcome == "duplicate"


def test_messages_go_by_age_when_they_were_worked_through(tmp_path: Path, clock: FixedClock) -> None:
    """Raw messages older than the set days go, never those of a conversation nobody has read yet."""
    settings = {"url": str(tmp_path / "archive"), "messages_after_days": 30}
    with Recollect(tmp_path / "m.db", clock=clock, archive=settings) as rc:
        read, unread = rc.space("ana", session="read"), rc.space("ana", session="unread")
        for number in range(3):
            read.observe("user", LONG.format(name=f"Old{number}"))
        read.end()
        unread.observe("user", LONG.format(name="Unread"))
        clock.advance(days=29)
        assert read.archive.run()[0].changed == 0
        due = [job.due_at for job in rc.jobs() if job.name == "archive"]
        assert due
        clock.advance(days=2)
        assert [one.changed for one in read.archive.run()] == [3]
        assert {hit.memory.tier for hit in read.recall("Old1", kinds=["episode"], limit=1)} == {"archive"}
        assert {hit.memory.tier for hit in read.recall("Unread", kinds=["episode"], limit=1)} == {"long"}


def test_without_an_archive_nothing_moves_and_it_is_said(tmp_path: Path, clock: FixedClock) -> None:
    """The job is skipped with what to set; nothing is put into the queue for it."""
    with Recollect(tmp_path / "m.db", clock=clock) as rc:
        ana = filled(rc, clock, 2)
        assert "archive.url" in rc.run_jobs(["archive"])[0].skipped
        assert [one for one in rc.jobs() if one.name == "archive"] == []
        with pytest.raises(ConfigError, match=r"archive\.url"):
            ana.archive()


def test_a_run_that_was_cut_off_leaves_nothing_lost_or_doubled(full: Space, rc: Recollect) -> None:
    """A file whose commit never came is spare: the memories stand in the database, and the next run goes on."""
    before = exported(rc)
    store, real = rc._runtime.store, rc._runtime.store.commit

    def cut(write: Write) -> Any:
        if any(isinstance(change, Shelve) for change in write.changes):
            raise KeyboardInterrupt
        return real(write)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "commit", cut)
        with pytest.raises(KeyboardInterrupt):
            full.archive.run()
    assert archived(full) == []
    assert [(one.memories, one.spare) for one in full.archive()] == [(0, 3)]
    rc._runtime.clock.advance(minutes=10)  # type: ignore[attr-defined]
    full.archive.run()
    assert len(archived(full)) == 8
    assert exported(rc) == before
    assert {one.problem for one in full.archive.verify()} == {""}


def test_undo_puts_the_texts_back(full: Space, rc: Recollect) -> None:
    """A run is undone as any other: columns and texts are as before."""
    out = io.StringIO()
    rc.export(out)
    reports = full.archive.run()
    for report in reversed(reports):
        assert full.jobs.undo(report.run).numbers["left"] == 0
    assert archived(full) == []
    again = io.StringIO()
    rc.export(again)
    assert remembered(again.getvalue()) == remembered(out.getvalue())


@pytest.mark.parametrize(
    ("text", "most", "line"),
    [
        ("short", 120, "short"),
        ("one two three four", 12, "one two…"),
        ("x" * 50, 10, "x" * 9 + "…"),
        ("", 10, ""),
        ("日本語の長い文章" * 9, 10, "日本語の長い文章日…"),
    ],
)
def test_what_stays_of_a_text(text: str, most: int, line: str) -> None:
    """A short text stays whole, a long one is cut between words where it has any."""
    assert index_line(text, most) == line
    assert ArchivePolicy().line == 120


def test_where_an_archive_can_be(tmp_path: Path) -> None:
    """A folder by path or file URL; a scheme nobody knows, or whose library is missing, is told."""
    for place in (str(tmp_path / "a"), (tmp_path / "b").as_uri()):
        archive = open_archive(place)
        assert archive is not None
        archive.write("x/y", b"1")
        assert (archive.read("x/y"), archive.read("x/z"), archive.names("x")) == (b"1", None, ["y"])
        archive.remove("x/y")
        archive.remove("x/y")
        assert archive.names("x") == []
    with pytest.raises(ConfigError, match="nosuch"):
        open_archive("nosuch://bucket")
    (tmp_path / "file").write_text("")
    blocked = open_archive(str(tmp_path / "file"))
    assert blocked is not None
    with pytest.raises(Unavailable, match=r"archive\.url"):
        blocked.write("x", b"1")


def texts(ana: Space) -> str:
    """Give all that an owner's files hold, unpacked."""
    runtime = ana._runtime
    archive = runtime.archive
    assert archive is not None
    from recollect.flows.life.shelves import files, folder_of

    found = (archive.read(name + batches.END) for name in files(archive, folder_of(runtime, ana.owner)))
    return "".join(gzip.decompress(data).decode() for data in found if data)


def filled_for(rc: Recollect, clock: FixedClock, user: str) -> Space:
    """Give somebody else with an archive."""
    other = rc.space(user)
    for number in range(6):
        other.update(other.remember(LONG.format(name=f"Cape{number}"), importance=2).id, tier="long")
    other.archive.run()
    return other
