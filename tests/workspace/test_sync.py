"""The workspace: files and store in step, both ways, on every engine; no edit lost, no byte touched without need."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import InvalidInput, Recollect, Space
from recollect.flows.window.workspace.ledger import FILES
from recollect.model.change import DropCheckpoints, Write
from recollect.model.receipt import Receipt
from recollect.rules.window.files import SCAFFOLDS, WorkspacePolicy
from recollect.testing import FixedClock

ADOPTED = {
    "repository": {
        "AGENTS.md": "# Agents\r\n\r\nRun `make test` before you commit.\r\n\r\n## Style\r\n\r\nShort functions.\r\n",
        "docs/releasing.md": "Releasing\n===\n\n## Steps\n\n```sh\n# no heading\nmake release\n```\n\n## After\nTell.",
        "src/main.py": "print('not Markdown')\n",
        ".git/config.md": "[core]\n",
    },
    "vault": {
        "Daily/2026-01-05.md": "---\ntags: [day]\n---\n\n- met Bob\n- [[Projects/Boat]]\n\n\n",
        "Projects/Boat.md": "\ufeff# Boat\n\nThe hull is oak.\n\n### Sails\n\nTwo, white. ⛵\n",
        "Empty.md": "",
        "Blank.md": "\n\n",
        ".obsidian/workspace.json": "{}",
    },
    "memories": {"progress.md": "# Progress\n\nStep 3 of 7.\n", "people/ana.md": "Ana likes tea.\n"},
}


@pytest.fixture
def rc(database: str, clock: FixedClock) -> Iterator[Recollect]:
    """Give an empty memory that reads files at once."""
    with Recollect(database, clock=clock, workspace={"quiet_seconds": 0.0}) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the place of a workspace."""
    return tmp_path / "space"


def contents(folder: Path) -> dict[str, bytes]:
    """Give all files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def laid(folder: Path, files: dict[str, str]) -> None:
    """Write files by hand."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def edit(path: Path, old: str, new: str, ahead: float = 0) -> None:
    """Edit a file by hand, so that its time tells, too."""
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())
    now = path.stat().st_mtime + ahead
    os.utime(path, (now, now))


def full(ana: Space) -> None:
    """Fill a memory with something of each kind."""
    ana.remember("PST", key="user_timezone")
    ana.remember("Ana prefers type hints.\n\nAlways.")
    ana.remember("**bold**: not a key")
    ana.tool_failed("exec", {"a": 1}, "Permission denied: /etc/x", lesson="Stay in /data.")
    ana.tool_failed("exec", {"a": 2}, "Permission denied: /etc/y")
    ana.blocks.append("human", "Name: Ana\n\nLikes tea.")
    ana.workspace.log("Decided to launch in May.")


def test_002_11_the_folder_shows_blocks_facts_lessons_and_the_day(ana: Space, folder: Path) -> None:
    """002.11, 002.14, 002.30, 002.31: each file is a view of the store; private, and begun only where absent."""
    full(ana)
    laid(folder, {"AGENTS.md": "# Mine\n\nHands off.\n"})
    told = ana.workspace.init(folder)
    assert "AGENTS.md" not in told.written
    assert (folder / "AGENTS.md").read_text() == "# Mine\n\nHands off.\n"
    assert (folder / "USER.md").read_text() == "Name: Ana\n\nLikes tea.\n"
    assert (folder / "MEMORY.md").read_text() == (
        f"{SCAFFOLDS['MEMORY.md']}\n<!-- recollect:log -->\n## 2026-01-05\n"
        "- **user_timezone**: PST\n- Ana prefers type hints.\n\n  Always.\n- \\**bold**: not a key\n"
    )
    assert (folder / "learnings/errors.md").read_text() == (
        "## 2026-01-05T09:00:00\n**Tool:** exec\n**Error:** Permission denied: /etc/x\n**Lesson:** Stay in /data.\n"
        "**Times:** 2 (last 2026-01-05T09:00:00)\n\n"
    )
    assert (folder / "memory/2026-01-05.md").read_text().splitlines() == [
        "- [09:00] user_timezone: PST",
        "- [09:00] Ana prefers type hints.",
        "",
        "  Always.",
        "- [09:00] **bold**: not a key",
        "- [09:00] Decided to launch in May.",
    ]
    assert not (folder / "PROJECT.md").exists()
    assert (folder / "MEMORY.md").stat().st_mode & 0o077 == 0
    again = ana.workspace.sync(folder)
    assert not again.changed
    assert again.problems == ()


def test_the_first_line_of_a_newcomer_is_a_fact(ana: Space, folder: Path) -> None:
    """MEMORY.md is begun with its mark: whatever is written behind it, with a dash or without, is a fact."""
    ana.workspace.init(folder)
    path = folder / "MEMORY.md"
    assert path.read_text() == f"{SCAFFOLDS['MEMORY.md']}\n<!-- recollect:log -->\n"
    with path.open("a") as file:
        file.write("Ana likes tea and\nwalks by the sea.\n\nAna has a dog.\n- **user_timezone**: PST\n")
    ana.workspace.sync(folder)
    facts = {one.content: one.key for one in ana.list(kinds="fact")}
    assert facts == {"Ana likes tea and walks by the sea.": "", "Ana has a dog.": "", "PST": "user_timezone"}
    assert ana.list(kinds="document") == []
    assert path.read_text().endswith(
        "- Ana likes tea and walks by the sea.\n- Ana has a dog.\n- **user_timezone**: PST\n"
    )
    edit(path, "this part is yours.", "the boat is called Miau.")
    ana.workspace.sync(folder)
    assert [one.heading for one in ana.workspace.search("boat")] == ["Memory"]
    assert not ana.workspace.sync(folder).changed


def test_a_long_line_is_taken_in_and_written_back_whole(ana: Space, folder: Path) -> None:
    """A paragraph longer than a section may be is never cut within a line, so nothing is added to the file."""
    text = "# Long\n\n" + "one two three four five " * 400 + "\n\nshort\n" + "many words more " * 400 + "\n"
    laid(folder, {"long.md": text})
    ana.workspace.adopt(folder)
    assert (folder / "long.md").read_text() == text
    ana.correct(ana.workspace.search("short")[0].id, "brief")
    ana.workspace.sync(folder)
    assert (folder / "long.md").read_text().count("\n") == text.count("\n")


def test_progress_is_told(ana: Space, folder: Path) -> None:
    """After each commit it is told how many files are done, and of how many."""
    laid(folder, {f"n{number}.md": f"# N\n\n{number}\n" for number in range(120)})
    heard: list[tuple[int, int]] = []
    ana.workspace.adopt(folder, progress=lambda done, of: heard.append((done, of)))
    assert heard == [(50, 120), (100, 120), (120, 120)]


def test_a_folder_is_looked_at_again_where_a_sync_was_cut_short(ana: Space, folder: Path) -> None:
    """The row of all stamps may lag behind those of the files: then they are looked at, and nothing changes."""
    laid(folder, {"a.md": "# A\n\none\n", "b.md": "# B\n\ntwo\n"})
    ana.workspace.init(folder)
    before = contents(folder)
    for row in (".stamps", "."):
        with ana._runtime.store.view() as view:
            (kept,) = [one for one in view.checkpoints(ana._scope.owner, FILES, None, 99) if one.id == row]
        drop = DropCheckpoints(FILES, kept.ns, row)
        write = Write(
            owner=ana._scope.owner, at=ana._runtime.now(), node="t", changes=(drop,), receipt=Receipt(outcome="stored")
        )
        ana._runtime.store.commit(write)
        assert not ana.workspace.sync(folder).changed
    assert contents(folder) == before
    (folder / "a.md").unlink()
    ana.workspace.sync(folder)
    assert [one.content for one in ana.list(kinds="document")] == ["# B\n\ntwo"]


def test_a_folder_that_was_deleted_comes_back_to_the_letter(ana: Space, folder: Path) -> None:
    """Nothing differs, hand-written files and edits included."""
    full(ana)
    ana.workspace.init(folder)
    laid(folder, {"notes/boat.md": "\n\nHull.\n\n# A\n\n## B\ntext\n\n\n# C", "memories/x.md": "one\n\n"})
    edit(folder / "MEMORY.md", "PST", "CET")
    edit(folder / "MEMORY.md", "- **user", "- Ana has a dog.\n- **user")
    edit(folder / "learnings/errors.md", "Stay in /data.", "Never leave /data.")
    edit(folder / "memory/2026-01-05.md", "launch in May", "launch in June")
    ana.workspace.sync(folder)
    before = contents(folder)
    assert not ana.workspace.sync(folder).changed
    shutil.rmtree(folder)
    folder.mkdir()
    ana.workspace.sync(folder)
    assert contents(folder) == before
    shutil.rmtree(folder)
    ana.workspace.init(folder)
    assert contents(folder) == before


def test_a_database_that_was_deleted_comes_back_from_the_folder(
    rc: Recollect, folder: Path, tmp_path: Path, clock: FixedClock
) -> None:
    """Blocks, documents, lessons, and the facts the files hold, with text, key and date, are there again."""
    ana = rc.space("ana", "helper", "s1")
    full(ana)
    clock.advance(days=1)
    ana.remember("CET", key="user_timezone")
    laid(folder, {"notes/boat.md": "# Boat\n\nThe hull is oak.\n"})
    ana.workspace.init(folder)
    before = contents(folder)
    clock.advance(days=3)
    url = f"sqlite:///{tmp_path}/other.db"
    with Recollect(url, clock=clock, workspace={"quiet_seconds": 0.0}) as other:
        new = other.space("ana")
        told = new.workspace.sync(folder)
        assert told.problems == ()
        assert contents(folder) == before
        assert new.blocks.get("human").value == "Name: Ana\n\nLikes tea."
        facts = {(one.content, one.key, one.event_time.date()) for one in new.list(kinds="fact", limit=100)}
        assert facts == {
            ("CET", "user_timezone", datetime(2026, 1, 6, tzinfo=UTC).date()),
            ("Ana prefers type hints.\n\nAlways.", "", datetime(2026, 1, 5, tzinfo=UTC).date()),
            ("**bold**: not a key", "", datetime(2026, 1, 5, tzinfo=UTC).date()),
        }
        (lesson,) = new.lessons()
        assert (lesson.tool, lesson.count, lesson.lesson) == ("exec", 2, "Stay in /data.")
        assert new.workspace.search("hull oak")[0].file == "notes/boat.md"
        new.tool_failed("exec", {}, "Permission denied: /etc/z")
        assert [one.count for one in new.lessons()] == [3]
        assert "PST" not in str([hit.memory.content for hit in new.recall("user timezone")])


@pytest.mark.parametrize("name", ADOPTED)
def test_a_folder_is_adopted_without_changing_a_byte(rc: Recollect, folder: Path, name: str) -> None:
    """A repository, a vault and a memory folder: all is found, and nothing in them is written or added."""
    laid(folder, ADOPTED[name])
    before = contents(folder)
    ana = rc.space("ana", project=name)
    told = ana.workspace.adopt(folder)
    assert (told.written, told.removed, told.problems) == ((), (), ())
    ana.remember("Ana likes boats.")
    assert ana.workspace.sync(folder).written == ()
    assert contents(folder) == before
    found = {"repository": "make release", "vault": "white sails", "memories": "step of seven 7"}[name]
    assert ana.workspace.search(found)
    assert rc.space("ana", project="other").workspace.search(found) == []
    assert ana.workspace.status(folder).adopted


def test_a_second_folder_is_not_adopted_into_a_project_that_has_one(ana: Space, tmp_path: Path) -> None:
    """Their files would become one: it says to name another project."""
    laid(tmp_path / "one", {"a.md": "# A\n\ntext\n"})
    laid(tmp_path / "two", {"b.md": "# B\n\ntext\n"})
    ana.workspace.adopt(tmp_path / "one")
    with pytest.raises(InvalidInput, match="--project"):
        ana.workspace.adopt(tmp_path / "two")


def test_edits_by_hand_are_read_back_with_their_author(ana: Space, folder: Path) -> None:
    """Facts are corrected, added and forgotten, a block and a lesson rewritten; the journal names who did it."""
    full(ana)
    ana.workspace.init(folder)
    since = ana.journal(limit=1000)[-1].rev
    edit(folder / "MEMORY.md", "PST", "CET")
    edit(folder / "MEMORY.md", "- \\**bold**: not a key\n", "- Ana has a dog.\n")
    edit(folder / "USER.md", "tea", "coffee")
    told = ana.workspace.sync(folder, "bob")
    assert set(told.read) == {"MEMORY.md", "USER.md"}
    assert told.written == ("memory/2026-01-05.md",)
    facts = {one.content: one.key for one in ana.list(kinds="fact")}
    assert facts == {"CET": "user_timezone", "Ana prefers type hints.\n\nAlways.": "", "Ana has a dog.": ""}
    assert ana.blocks.get("human").value == "Name: Ana\n\nLikes coffee."
    assert {line.actor for line in ana.journal(since, 1000)} == {"bob"}
    edit(folder / "learnings/errors.md", (folder / "learnings/errors.md").read_text(), "\n# Nothing to learn\n")
    ana.workspace.sync(folder)
    assert ana.lessons() == []


def test_changes_of_the_store_reach_the_files(ana: Space, folder: Path) -> None:
    """What is corrected, forgotten, erased or learnt is there after a sync, and only where it belongs."""
    laid(folder, {"notes.md": "# A\n\none\n\n# B\n\ntwo\n"})
    ana.workspace.init(folder)
    one = ana.remember("Ana lives in Faro.")
    section = next(hit for hit in ana.workspace.search("two") if hit.heading == "B")
    ana.correct(section.id, "# B\n\nthree")
    told = ana.workspace.sync(folder)
    assert told.written == ("MEMORY.md", "memory/2026-01-05.md", "notes.md")
    assert (folder / "notes.md").read_text() == "# A\n\none\n\n# B\n\nthree\n"
    ana.erase(one.id)
    ana.forget(ana.workspace.search("one")[0].id)
    ana.workspace.sync(folder)
    assert b"Faro" not in b"".join(contents(folder).values())
    assert (folder / "notes.md").read_text() == "# B\n\nthree\n"
    ana.forget(ana.workspace.search("three")[0].id)
    assert ana.workspace.sync(folder).removed == ("notes.md",)


def test_a_newer_edit_by_hand_wins_and_both_are_kept(ana: Space, folder: Path, clock: FixedClock) -> None:
    """Two changes of one passage are told, settled by themselves, and what gave way stays on record."""
    laid(folder, {"notes.md": "# A\n\none\n\n# B\n\ntwo\n"})
    ana.workspace.init(folder)
    old = next(hit for hit in ana.workspace.search("two") if hit.heading == "B")
    ana.correct(old.id, "# B\n\nby the store")
    edit(folder / "notes.md", "two", "by hand")
    edit(folder / "notes.md", "one", "one, edited")
    told = ana.workspace.sync(folder)
    (clash,) = told.clashes
    assert clash.reason == "both changed it: the edit by hand stands"
    assert (folder / "notes.md").read_text() == "# A\n\none, edited\n\n# B\n\nby hand\n"
    (listed,) = ana.workspace.conflicts()
    assert (listed.path, listed.kept_text, listed.other_text) == ("notes.md", "# B\n\nby hand", "# B\n\nby the store")
    assert ana.get(clash.other).state == "superseded"
    assert not ana.workspace.sync(folder).changed


def test_a_newer_change_of_the_store_wins_and_both_are_kept(ana: Space, folder: Path, clock: FixedClock) -> None:
    """An edit by hand that is older than the store's change gives way, and is kept beside it."""
    laid(folder, {"notes.md": "# A\n\none\n\n# B\n\ntwo\n"})
    ana.workspace.init(folder)
    edit(folder / "notes.md", "two", "by hand")
    clock.advance(days=3650)
    old = next(hit for hit in ana.workspace.search("two") if hit.heading == "B")
    ana.correct(old.id, "# B\n\nby the store")
    told = ana.workspace.sync(folder)
    assert [one.reason for one in told.clashes] == ["both changed it: the store's change is newer"]
    assert (folder / "notes.md").read_text() == "# A\n\none\n\n# B\n\nby the store\n"
    assert ana.workspace.conflicts()[0].other_text == "# B\n\nby hand"
    assert not ana.workspace.sync(folder).changed
    assert [one for one in ana.list(kinds="document") if "by hand" in one.content] == []


def test_an_edit_beats_a_deletion(ana: Space, folder: Path) -> None:
    """Whichever side deleted: what the other side wrote stands, and that is told."""
    laid(folder, {"notes.md": "# A\n\none\n\n# B\n\ntwo\n"})
    ana.workspace.init(folder)
    found = {hit.heading: hit.id for hit in (*ana.workspace.search("one"), *ana.workspace.search("two"))}
    ana.forget(found["A"])
    ana.correct(found["B"], "# B\n\nby the store")
    laid(folder, {"notes.md": "# A\n\nby hand\n"})
    told = ana.workspace.sync(folder)
    assert sorted(one.reason.partition(":")[0] for one in told.clashes) == [
        "deleted by hand, changed in the store",
        "edited by hand, forgotten in the store",
    ]
    assert sorted((folder / "notes.md").read_text().split("\n")) == sorted(
        "# A\n\nby hand\n# B\n\nby the store\n".split("\n")
    )


def test_files_that_vanish(ana: Space, folder: Path) -> None:
    """A view of the store comes back; what was written by hand alone is forgotten, and can be restored."""
    full(ana)
    laid(folder, {"notes.md": "# A\n\none\n"})
    ana.workspace.init(folder)
    section = ana.workspace.search("one")[0]
    for name in ("MEMORY.md", "notes.md", "SOUL.md"):
        (folder / name).unlink()
    (folder / "learnings/errors.md").write_text("")
    before = {one.content for one in ana.list(kinds="fact")}
    told = ana.workspace.sync(folder)
    assert {"MEMORY.md", "SOUL.md", "learnings/errors.md"} <= set(told.written)
    assert {one.content for one in ana.list(kinds="fact")} == before
    assert len(ana.lessons()) == 1
    assert ana.workspace.search("one") == []
    ana.restore(section.id)
    ana.workspace.sync(folder)
    assert (folder / "notes.md").read_text() == "# A\n\none\n"
    edit(folder / "MEMORY.md", "<!-- recollect:log -->", "")
    ana.workspace.sync(folder)
    assert before <= {one.content for one in ana.list(kinds="fact")}


def test_sections_keep_their_order(ana: Space, folder: Path) -> None:
    """Inserted in the middle, moved by hand, and written anew: the order is the file's."""
    laid(folder, {"notes.md": "# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n"})
    ana.workspace.init(folder)
    ids = {hit.heading: hit.id for word in ("one", "two", "three") for hit in ana.workspace.search(word)}
    text = "# C\n\nthree\n\n# A\n\none\n\n# New\n\nnew\n\n# B\n\ntwo\n"
    laid(folder, {"notes.md": text})
    ana.workspace.sync(folder)
    assert ids == {hit.heading: hit.id for word in ("one", "two", "three") for hit in ana.workspace.search(word)}
    assert ana.workspace.read("notes.md") == text
    for number in range(10):
        text = text.replace("# A\n", f"# N{number}\n\ninserted {number}\n\n# A\n")
        laid(folder, {"notes.md": text})
        ana.workspace.sync(folder)
    assert ana.workspace.read("notes.md") == text


def test_line_ends_and_marks_are_kept(ana: Space, folder: Path) -> None:
    """Windows line ends and a byte order mark stay when the store writes; mixed ends are left as they are."""
    laid(folder, {"w.md": "\ufeff# A\r\n\r\none\r\n\r\n# B\r\n\r\ntwo\r\n", "m.md": "# M\r\n\nmixed\n\n# N\n\nten\n"})
    ana.workspace.init(folder)
    (folder / "w.md").chmod(0o640)
    ana.correct(ana.workspace.search("two")[0].id, "# B\n\nthree")
    ana.correct(ana.workspace.search("ten")[0].id, "# N\n\neleven")
    ana.workspace.sync(folder)
    assert (folder / "w.md").read_bytes() == "\ufeff# A\r\n\r\none\r\n\r\n# B\r\n\r\nthree\r\n".encode()
    assert (folder / "m.md").read_bytes() == b"# M\r\n\nmixed\n\n# N\n\neleven\n"
    assert (folder / "w.md").stat().st_mode & 0o777 == 0o640


def test_files_of_other_programs_and_links_are_left_alone(ana: Space, folder: Path, tmp_path: Path) -> None:
    """Swap files, copies, hidden folders, links out of the folder, and what is no text: none is read or written."""
    laid(tmp_path, {"outside.md": "# Secret\n\nouter\n", "far/x.md": "far\n"})
    laid(folder, {".a.md.swp": "x", "a.md~": "x", "#a.md#": "x", ".#a.md": "x", ".obsidian/b.md": "x", "c.md.tmp": "x"})
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "linked").symlink_to(tmp_path / "far")
    (folder / "bad.md").write_bytes(b"\xff\xfe\x00bad")
    (folder / "zero.md").write_bytes(b"a\x00b")
    before = contents(folder)
    told = ana.workspace.init(folder)
    assert told.read == ()
    assert {line.partition(":")[0] for line in told.problems} == {"link.md", "linked", "bad.md", "zero.md"}
    assert {name: data for name, data in contents(folder).items() if name in before} == before
    assert ana.recall("outer") == []


@pytest.mark.parametrize(
    "path",
    ["../up.md", "/etc/x.md", "a/../../x.md", ".git/hooks.md", "C:\\x.md", "a//b.md", "con.md", "x\n.md", "x.sh", ""],
)
def test_no_path_leads_out_of_the_folder(ana: Space, folder: Path, path: str) -> None:
    """A document that names a path outside is not written anywhere, whoever stored it; nor is it read."""
    ana.remember("# evil", kind="document", attributes={"file": path or "x"}, tags=["file:0"])
    ana.workspace.init(folder)
    every = {str(one.relative_to(folder.parent)) for one in folder.parent.rglob("*.md")}
    assert all(name.startswith("space/") for name in every)
    with pytest.raises(InvalidInput, match="no file of a workspace"):
        ana.workspace.read(path)


def test_a_link_put_in_the_way_is_not_followed(ana: Space, folder: Path, tmp_path: Path) -> None:
    """A folder or file that became a link after the sync began is not written through."""
    laid(folder, {"sub/notes.md": "# A\n\none\n"})
    ana.workspace.init(folder)
    laid(tmp_path, {"target/notes.md": "untouched"})
    shutil.rmtree(folder / "sub")
    (folder / "sub").symlink_to(tmp_path / "target")
    ana.correct(ana.workspace.search("one")[0].id, "# A\n\ntwo")
    ana.workspace.sync(folder)
    assert (tmp_path / "target/notes.md").read_text() == "untouched"


def test_002_12_project_is_read_only(rc: Recollect, folder: Path) -> None:
    """002.12: PROJECT.md is read and shown first, and never written, whatever happens in the store."""
    ana = rc.space("ana", project="boats")
    laid(folder, {"PROJECT.md": "# Boats\n\nThe goal is a hull of oak.\n"})
    ana.workspace.init(folder)
    text = str(ana.context("", 4000, profile="openlegion"))
    assert text.startswith("# Boats\n\nThe goal is a hull of oak.")
    ana.correct(ana.workspace.search("hull")[0].id, "# Boats\n\nThe goal is a hull of steel.")
    assert ana.workspace.sync(folder).written == ()
    assert "oak" in (folder / "PROJECT.md").read_text()


def test_002_13_the_heartbeat_is_for_probes(ana: Space, folder: Path) -> None:
    """002.13: HEARTBEAT.md is read by whoever probes, and stands in no prompt."""
    assert ana.workspace.heartbeat() == ""
    ana.workspace.init(folder)
    (folder / "HEARTBEAT.md").write_text("# Heartbeat\n\n- Check the mail every hour.\n")
    ana.workspace.sync(folder)
    assert "Check the mail" in ana.workspace.heartbeat()
    assert "Check the mail" not in str(ana.context("", 8000, profile="openlegion"))


def test_002_14_the_daily_log(rc: Recollect, ana: Space, folder: Path, clock: FixedClock) -> None:
    """002.14, 002.30: saves and decisions by day with their time; today and yesterday, newest first, in the context."""
    ana.remember("PST", key="user_timezone")
    clock.advance(days=1, hours=1)
    ana.workspace.log("Decided to launch in May.")
    ana.observe("user", "Hello there.")
    clock.advance(days=1)
    ana.remember("Ana has a dog.")
    assert ana.workspace.days() == (
        "# 2026-01-07\n- [10:00] Ana has a dog.\n\n# 2026-01-06\n- [10:00] Decided to launch in May.\n"
    )
    text = str(rc.space("ana", "helper", "s2").context("", 4000, profile="openlegion"))
    assert "## Daily Log\n### 2026-01-07\n- [10:00] Ana has a dog.\n### 2026-01-06\n- [10:00] Decided" in text
    assert "### 2026-01-05" not in text
    ana.workspace.init(folder)
    laid(folder, {"memory/2026-01-04.md": "# Sunday\n\nA free day.\n\n- [09:30] Met Bob.\n- [09:30] Had tea.\n"})
    ana.workspace.sync(folder)
    (event,) = [one for one in ana.list(kinds="event") if one.content == "Met Bob."]
    assert event.event_time == datetime(2026, 1, 4, 9, 30, tzinfo=UTC)
    edit(folder / "memory/2026-01-04.md", "- [09:30] Met Bob.\n", "")
    edit(folder / "memory/2026-01-05.md", "- [09:00] user_timezone: PST\n", "Nothing happened.\n")
    ana.workspace.sync(folder)
    assert (folder / "memory/2026-01-05.md").read_text() == "Nothing happened.\n"
    assert ana.list(key="user_timezone")[0].content == "PST"
    assert "Met Bob." not in [one.content for one in ana.list(kinds="event")]


def test_002_15_sections_are_found_with_file_heading_and_snippet(ana: Space, folder: Path) -> None:
    """002.15: one search for all, ranked; a heading above counts, code is no heading, and other scripts are found."""
    laid(
        folder,
        {
            "ops/deploy.md": "# Deploying\n\n## Rollback\n\nStop all.\nThen run the undo script.\n\n```\n# no\n```\n",
            "people.md": "# Ана\n\nЖивёт в Лиссабоне.\n\n# 田中\n\n東京に住んでいます。\n",
            "huge.md": "# Log\n\n" + "undo undo undo and more words. " * 2000,
        },
    )
    ana.workspace.init(folder)
    best = ana.workspace.search("deploying: which script to undo?")[0]
    assert (best.file, best.heading) == ("ops/deploy.md", "Deploying > Rollback")
    assert best.snippet == "Then run the undo script."
    assert ana.workspace.search("Лиссабоне")[0].heading == "Ана"
    assert ana.workspace.search("東京")[0].heading == "田中"
    assert ana.workspace.search("zebra") == []
    hit = ana.recall("undo script")[0].memory
    assert (hit.kind, hit.attributes["file"], hit.attributes["heading"]) == ("document", best.file, best.heading)


def test_the_files_of_the_memory_tool_are_files_of_the_workspace(ana: Space, folder: Path) -> None:
    """What Anthropic's tool writes under /memories stands in memories/, and an edit there is what the tool sees."""
    from recollect import Tools

    tools = Tools(ana, "anthropic")
    tools.call("memory", {"command": "create", "path": "/memories/plan.md", "file_text": "Step 1\n"})
    ana.workspace.init(folder)
    assert (folder / "memories/plan.md").read_text() == "Step 1\n"
    laid(folder, {"memories/plan.md": "Step 2\n", "memories/new.md": "fresh\n"})
    ana.workspace.sync(folder)
    assert "Step 2" in str(tools.call("memory", {"command": "view", "path": "/memories/plan.md"}))
    assert "fresh" in str(tools.call("memory", {"command": "view", "path": "/memories/new.md"}))
    laid(folder.parent / "boats", {"memories/mine.md": "only here\n"})
    boats = Space(ana._runtime, replace(ana._scope, project="boats"))
    boats.workspace.init(folder.parent / "boats")
    assert not (folder.parent / "boats/memories/new.md").exists()
    assert [one.project for one in boats.list(kinds="document") if "only here" in one.content] == ["boats"]
    tools.call("memory", {"command": "delete", "path": "/memories/plan.md"})
    assert ana.workspace.sync(folder).removed == ("memories/plan.md",)


def test_a_long_file_is_searched_in_part_and_never_written(database: str, folder: Path) -> None:
    """Beyond its cap, 200,000 characters, it is told, and left as it is."""
    assert WorkspacePolicy().file_characters == 200_000
    text = "# Start\n\nbegin\n\n" + "# Part\n\nfiller words here\n\n" * 60 + "# End\n\nomega\n"
    laid(folder, {"long.md": text})
    with Recollect(database, workspace={"quiet_seconds": 0.0, "file_characters": 1000}) as rc:
        ana = rc.space("ana")
        told = ana.workspace.init(folder)
        assert any("the first 1,000 are read" in one for one in told.problems)
        assert ana.workspace.search("begin")[0].heading == "Start"
        assert ana.workspace.search("omega") == []
        ana.correct(ana.workspace.search("begin")[0].id, "# Start\n\nchanged")
        ana.workspace.sync(folder)
    assert (folder / "long.md").read_text() == text


def test_002_11_caps_of_the_prompt(rc: Recollect, ana: Space, folder: Path, clock: FixedClock) -> None:
    """002.11: 8,000, 4,000, 4,000 and 16,000 characters, 40,000 in all; each cut says so, the newest fact is there."""
    long = "a word of text in a line\n" * 1000
    laid(folder, {"AGENTS.md": f"# Agents here\n\n{long}", "SOUL.md": f"# Soul of\n\n{long}", "USER.md": long})
    laid(folder, {"MEMORY.md": f"# Head\n\n{long}", "PROJECT.md": f"# Project\n\n{long[:2000]}"})
    ana.workspace.init(folder)
    for number in range(90):
        ana.remember(f"Fact number {number} is about the boats in the northern harbour.")
        clock.advance(seconds=1)
    text = str(rc.space("ana", "helper", "s2").context("", 100_000, profile="openlegion")).split("\n\n## Learn")[0]
    files = text.split("\n\n## Daily Log")[0].split("\n\n---\n\n")
    assert [one.split("\n")[0] for one in files] == [
        "# Project",
        "# Agents here",
        "# Soul of",
        long.split("\n")[0],
        "# Head",
    ]
    caps = (40_000, 8000, 4000, 4000, 16_000)
    assert all(cap - 200 < len(one) <= cap for cap, one in list(zip(caps, files, strict=True))[1:])
    assert [one.split("\n")[-1].partition(" is cut")[0] for one in files[1:4]] == ["[AGENTS.md", "[SOUL.md", "[USER.md"]
    assert "memory_search finds the rest" in files[4]
    assert files[4].endswith("Fact number 89 is about the boats in the northern harbour.")
    laid(folder, {"PROJECT.md": f"# Project\n\n{long}"})
    ana.workspace.sync(folder)
    text = str(rc.space("ana", "helper", "s3").context("", 100_000, profile="openlegion"))
    assert len(text.split("\n\n## Daily Log")[0]) <= 40_000
    assert "[the workspace is cut at 40,000 characters" in text


def test_the_soul_of_the_project_speaks_while_nobody_wrote_one(rc: Recollect, folder: Path) -> None:
    """SOUL.md of an adopted folder stands in until somebody writes the persona."""
    laid(folder, {"SOUL.md": "# The project's soul\n\nCalm.\n"})
    ana = rc.space("ana", project="boats")
    ana.workspace.adopt(folder)
    assert "The project's soul" in str(ana.context("", 4000, profile="openlegion"))
    ana.blocks.rethink("persona", "I am Sage.")
    text = str(rc.space("ana", project="boats", session="s2").context("", 4000, profile="openlegion"))
    assert "I am Sage." in text
    assert "The project's soul" not in text


def test_002_8_what_compaction_keeps_is_in_the_file(ana: Space, folder: Path) -> None:
    """002.8: whatever becomes a fact, by whichever way, stands in MEMORY.md and in the database."""
    ana.workspace.init(folder)
    ana.observe("user", "Please remember that my boat is called Miau.")
    ana.end()
    ana.workspace.sync(folder)
    facts = [one.content for one in ana.list(kinds="fact")]
    text = (folder / "MEMORY.md").read_text()
    assert facts
    assert all(one in text for one in facts)


def test_one_owner_and_project_never_sees_another(rc: Recollect, tmp_path: Path) -> None:
    """Three workspaces of one database share nothing but the user's own blocks."""
    for user, project, text in (("ana", "", "alpha"), ("ana", "boats", "beta"), ("bob", "", "gamma")):
        space = rc.space(user, project=project)
        space.remember(f"The word is {text}.")
        space.tool_failed("t", {}, text)
        laid(tmp_path / text, {"notes.md": f"# N\n\n{text}\n"})
        space.workspace.init(tmp_path / text)
    for text, others in (("alpha", "beta gamma"), ("beta", "alpha gamma"), ("gamma", "alpha beta")):
        whole = b"".join(contents(tmp_path / text).values()).decode()
        assert text in whole
        assert not any(other in whole for other in others.split())


def test_secrets_are_taken_out_of_the_store_not_of_the_file(ana: Space, folder: Path) -> None:
    """A key in a file by hand stays there, is told, and is not remembered."""
    key = "sk-ant-api03-" + "a" * 80
    laid(folder, {"notes.md": f"# Keys\n\nThe key is {key} today.\n\n# B\n\ntwo\n"})
    told = ana.workspace.init(folder)
    assert any("taken out" in one for one in told.problems)
    ana.correct(ana.workspace.search("two")[0].id, "# B\n\nthree")
    ana.workspace.sync(folder)
    assert key in (folder / "notes.md").read_text()
    assert all(key not in one.content for one in ana.list(kinds="document"))


def test_status_says_what_a_sync_would_do(ana: Space, folder: Path) -> None:
    """Without changing anything: what hands and the store have changed, and what clashed."""
    with pytest.raises(InvalidInput, match="recollect workspace init"):
        ana.workspace.status(folder)
    laid(folder, {"notes.md": "# A\n\none\n"})
    assert not ana.workspace.status(folder).known
    ana.workspace.init(folder)
    quiet = ana.workspace.status(folder)
    assert (quiet.edited, quiet.behind, quiet.known) == ((), (), True)
    ana.remember("Ana has a dog.")
    laid(folder, {"notes.md": "# A\n\ntwo!\n"})
    told = ana.workspace.status(folder)
    assert (told.edited, told.behind) == (("notes.md",), ("MEMORY.md", "memory/2026-01-05.md"))


def test_two_folders_of_one_workspace_come_together(ana: Space, tmp_path: Path) -> None:
    """What is edited in one reaches the other, without a clash."""
    one, two = tmp_path / "one", tmp_path / "two"
    laid(one, {"notes.md": "# A\n\none\n"})
    ana.workspace.init(one)
    ana.workspace.init(two)
    assert (two / "notes.md").read_text() == "# A\n\none\n"
    laid(two, {"notes.md": "# A\n\none\n\n# B\n\ntwo\n"})
    ana.workspace.sync(two)
    ana.workspace.sync(one)
    assert contents(one) == contents(two)


def test_a_day_long_gone_is_not_written_into_today(ana: Space, folder: Path, clock: FixedClock) -> None:
    """A fact added by hand under an old day is dated then, and the log of today does not tell of it."""
    ana.workspace.init(folder)
    ana.remember("Ana has a dog.")
    ana.workspace.sync(folder)
    edit(folder / "MEMORY.md", "## 2026", "## 2025-12-24\n- Ana got a boat.\n\n## 2026")
    clock.advance(days=1)
    ana.workspace.sync(folder)
    (boat,) = [one for one in ana.list(kinds="fact") if "boat" in one.content]
    assert boat.event_time.date() == datetime(2025, 12, 24, tzinfo=UTC).date()
    assert not (folder / "memory/2026-01-06.md").exists()
    assert (clock() - boat.created_at) < timedelta(days=1)


def test_002_11_the_log_of_memory_is_trimmed_on_disk_oldest_first(
    database: str, folder: Path, clock: FixedClock
) -> None:
    """002.11 (3.6): beyond its cap the oldest facts leave the file, not the store; a mark in a text is no mark."""
    assert WorkspacePolicy().log_characters == 100_000
    with Recollect(database, clock=clock, workspace={"quiet_seconds": 0.0, "log_characters": 1000}) as rc:
        ana = rc.space("ana")
        ana.workspace.init(folder)
        for number in range(40):
            ana.remember(f"Fact number {number} is about boats in the northern harbour.")
            clock.advance(hours=1)
        ana.remember("A mark <!-- recollect:log --> inside a fact.")
        ana.workspace.sync(folder)
        text = (folder / "MEMORY.md").read_text()
        log = text.partition("<!-- recollect:log -->")[2]
        assert len(log) < 1200
        assert text.count("<!-- recollect:log -->") == 1
        assert "- A mark  inside a fact." in log
        assert "Fact number 39" in log
        assert "Fact number 0 " not in log
        assert not ana.workspace.sync(folder).changed
        assert len(ana.list(kinds="fact", limit=100)) == 41
        edit(folder / "MEMORY.md", "number 39", "number thirty-nine")
        ana.workspace.sync(folder)
        assert len(ana.list(kinds="fact", limit=100)) == 41


def test_002_15_what_finds_nothing_and_how_many_are_found(ana: Space, folder: Path) -> None:
    """002.15 (3.7): no words, or only common ones, find nothing; five by default; accents count for nothing."""
    laid(folder, {f"n{number}.md": f"# Café {number}\n\nThe crème brûlée of day {number}.\n" for number in range(8)})
    ana.workspace.init(folder)
    assert ana.workspace.search("the of and") == []
    assert len(ana.workspace.search("creme brulee")) == 5
    assert len(ana.workspace.search("cafe", 8)) == 8


def test_002_11_what_matters_stays_in_the_prompt_beside_the_newest(
    rc: Recollect, ana: Space, folder: Path, clock: FixedClock
) -> None:
    """002.11 (3.6): of the room of MEMORY.md half is for what matters, however old; the newest always get there."""
    laid(folder, {"MEMORY.md": "# Head\n\n" + "a word of text in a line\n" * 1000})
    ana.workspace.init(folder)
    ana.remember("Ana must never eat walnuts.", importance=9)
    for number in range(300):
        ana.remember(f"Fact number {number} is about the boats in the northern harbour.")
        clock.advance(seconds=1)
    text = str(rc.space("ana", "helper", "s2").context("", 100_000, profile="openlegion")).split("## Daily Log")[0]
    assert "- Ana must never eat walnuts.\n" in text
    assert "Fact number 299 " in text
    assert "Fact number 0 " not in text
    assert text.index("walnuts") < text.index("number 299")


def test_a_folder_emptied_after_a_sync_was_broken_off_comes_back(ana: Space, folder: Path) -> None:
    """What a sync that died had taken in is not forgotten because the whole folder is gone."""
    laid(folder, {"a.md": "# A\n\none\n"})
    ana.workspace.init(folder)
    laid(folder, {"b.md": "# B\n\ntwo\n"})

    def died(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ana.workspace.sync(folder, progress=died)
    for path in folder.rglob("*.md"):
        path.unlink()
    ana.workspace.sync(folder)
    assert {one.content for one in ana.list(kinds="document")} == {"# A\n\none", "# B\n\ntwo"}
    assert (folder / "b.md").read_text("utf-8") == "# B\n\ntwo\n"


def test_what_a_sync_takes_in_gets_its_vector(tmp_path: Path, folder: Path) -> None:
    """The job that embeds is due after a sync, and nothing waits behind it."""
    laid(folder, {"a.md": "# Depot\n\nThe fasteners are in the third container.\n"})
    with Recollect(tmp_path / "m.db", embedder="recollect-1", workspace={"quiet_seconds": 0.0}) as rc:
        ana = rc.space("ana")
        ana.workspace.init(folder)
        rc.run_jobs()
        with ana._runtime.store.view() as view:
            assert view.pending(ana._scope.owner, "recollect-1", 0, 9) == []
        assert not [one for one in rc.doctor() if not one.ok]
