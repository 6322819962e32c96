"""Where something may take another's place, the command line shows both texts, not their ids alone."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from recollect import Recollect
from recollect.serve.cli import whole


def run(*arguments: str) -> str:
    """Run the command line and give what it says."""
    done = CliRunner().invoke(whole(), list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_inbox_shows_what_stands_now(tmp_path: Path) -> None:
    """A proposal that would change a slot is shown with the slot's present value."""
    db = str(tmp_path / "m.db")
    with Recollect(db) as rc:
        me = rc.space("me")
        me.remember("Lisbon", key="city", source="user")
        assert me.remember("Porto", key="city", source="agent").outcome == "queued"
    said = run("inbox", "--db", db)
    assert "Porto" in said
    assert "now: Lisbon" in said


def test_the_status_of_a_workspace_shows_both_texts_of_a_clash(tmp_path: Path) -> None:
    """Two changes of one passage are shown as texts: the one that stands, and the one kept aside."""
    db, folder = str(tmp_path / "m.db"), tmp_path / "notes"
    folder.mkdir()
    note = folder / "notes.md"
    note.write_text("# A\n\none\n\n# B\n\ntwo\n")
    with Recollect(db) as rc:
        me = rc.space("me")
        me.workspace.init(folder)
        old = next(hit for hit in me.workspace.search("two") if hit.heading == "B")
        me.correct(old.id, "# B\n\nby the store")
        note.write_text(note.read_text().replace("two", "by hand"))
        assert me.workspace.sync(folder).clashes
    said = run("workspace", "status", str(folder), "--db", db)
    texts = [line.split(": ", 1)[1] for line in said.splitlines() if line.strip().startswith(("stands:", "aside:"))]
    assert sorted(texts) == ["# B by hand", "# B by the store"]
