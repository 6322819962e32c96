"""The folder on disk: whole files or none, no edit written over, and a watched folder that keeps in step."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bench import workspace as bench
from recollect import InvalidInput, Recollect
from recollect.flows.window.workspace.folder import Folder, Read
from recollect.model.window import Synced
from recollect.serve.cli import whole
from tests.engines import fresh
from tests.patience import PATIENCE
from tests.wide import many


def test_a_file_is_not_written_over_an_edit(tmp_path: Path) -> None:
    """Where the file is not the one that was read any more, nothing is written, and the edit stands."""
    folder = Folder(tmp_path)
    path = tmp_path / "a.md"
    path.write_text("one")
    path.chmod(0o644)
    read = folder.read("a.md")
    assert read is not None
    path.write_text("by hand")
    assert folder.write("a.md", b"two", read, "t1") is None
    assert not folder.remove("a.md", read, "t2")
    assert folder.write("a.md", b"two", None, "t3") is None
    assert path.read_text() == "by hand"
    now = folder.read("a.md")
    assert isinstance(now, Read)
    done = folder.write("a.md", b"two", now, "t4")
    assert done is not None
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two", 0o644)
    assert folder.remove("a.md", done, "t5")
    assert [one.name for one in tmp_path.iterdir()] == []


def test_what_a_killed_sync_left_is_taken_away(tmp_path: Path) -> None:
    """A half-written file of our own is not a file of the workspace."""
    (tmp_path / ".recollect-abc.tmp").write_text("half")
    found, links = Folder(tmp_path).scan()
    assert (found, links, list(tmp_path.iterdir())) == ({}, [], [])


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """It says how to make one."""
    with pytest.raises(InvalidInput, match="recollect workspace init"):
        Folder(tmp_path / "nowhere")


def test_edits_with_kills_in_between_lose_nothing() -> None:
    """A hand and two processes, one of them killed: `make wide` and `python -m bench.workspace drill 20` do more."""
    told = bench.drill(many(1, 6), seed=5, steps=many(3, 4))
    assert told["edits"] > 0
    assert (told["lost"], told["apart"], told["left behind"], told["findings of the doctor"]) == (0, 0, 0, 0)


def test_a_watched_folder_keeps_in_step(tmp_path: Path) -> None:
    """An edit by hand reaches the store, a change of the store the files, without anybody asking."""
    settings = {"quiet_seconds": 0.01, "poll_seconds": 0.05}
    with Recollect(fresh("sqlite", tmp_path), workspace=settings) as rc:
        ana, folder, stop, heard = rc.space("ana"), tmp_path / "space", threading.Event(), list[Synced]()
        ana.workspace.init(folder)
        thread = threading.Thread(target=ana.workspace.watch, args=(folder, heard.append, stop))
        thread.start()
        try:
            ana.remember("Ana has a dog.")
            (folder / "notes.md").write_text("# N\n\nThe hull is oak.\n")
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until and not (
                "dog" in (folder / "MEMORY.md").read_text() and ana.workspace.search("hull")
            ):
                time.sleep(0.02)
        finally:
            stop.set()
            thread.join()
        assert "Ana has a dog." in (folder / "MEMORY.md").read_text()
        assert ana.workspace.search("hull")[0].file == "notes.md"
        assert heard


def test_the_command_line(tmp_path: Path) -> None:
    """Begin, edit, sync, look, search, adopt and import, in words and as JSON; errors say what to do."""
    db, folder = f"sqlite:///{tmp_path}/m.db", str(tmp_path / "space")

    def run(*args: str, code: int = 0) -> str:
        done = CliRunner().invoke(whole(), [args[0], "--db", db, *args[1:]], catch_exceptions=False)
        assert done.exit_code == code, done.output
        return done.stdout

    assert "written  MEMORY.md" in run("workspace", "init", folder)
    run("workspace", "log", "Decided to launch in May.")
    assert "behind   memory/" in run("workspace", "status", folder)
    (tmp_path / "space" / "notes.md").write_text("# Boat\n\nThe hull is oak.\n")
    told = json.loads(run("workspace", "sync", folder, "--author", "bob", "--json"))
    assert told["read"] == ["notes.md"]
    assert "in step" in run("workspace", "sync", folder)
    assert "notes.md  Boat" in run("workspace", "search", "hull")
    nothing = CliRunner().invoke(whole(), ["workspace", "--db", db, "search", "zeppelin"])
    assert nothing.stderr == "nothing found in files: `recollect recall` searches all memories\n"
    shown = " ".join(CliRunner().invoke(whole(), ["workspace", "--help"]).stdout.replace("│", " ").split())
    assert "search finds sections of files alone, `recollect recall` all memories" in shown
    assert json.loads(run("lessons", "--json")) == []
    run("workspace", "import", str(tmp_path / "nowhere"), code=2)
    run("workspace", "status", str(tmp_path / "nowhere"), code=2)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "x.md").write_text("# X\n\ny\n")
    assert "read     x.md" in run("workspace", "adopt", str(tmp_path / "vault"), "--project", "vault")


def test_questions_about_a_folder_are_measured(tmp_path: Path) -> None:
    """`python -m bench.workspace search FOLDER QUESTIONS` counts how often the right section comes first."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Boats\n\n## Hull\n\nOak.\n\n## Sails\n\nWhite linen.\n")
    asked = [{"question": "What is the hull made of?", "file": "a.md", "heading": "Hull"}]
    asked += [{"question": "Which linen?", "file": "a.md", "heading": "Boats > Sails"}]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, asked)))
    told = bench.search(str(tmp_path / "docs"), str(tmp_path / "q.jsonl"), "none")
    assert (told["questions"], told["first"], told["missed"]) == (2, 1.0, [])
