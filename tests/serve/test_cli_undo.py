"""`recollect undo`: the last change of a memory, or of all, taken back and told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recollect import Recollect
from recollect.serve.cli import whole

APP = whole()


def run(folder: Path, *arguments: str) -> Result:
    """Run the command line on a database of this test's own."""
    return CliRunner().invoke(APP, [*arguments, "--db", str(folder / "m.db")])


def kept(folder: Path, text: str) -> str:
    """Remember something, and give its id."""
    return str(json.loads(run(folder, "remember", text, "--json").stdout)["id"])


def contents(folder: Path) -> list[str]:
    """Give what is remembered."""
    return [one["content"] for one in json.loads(run(folder, "list", "--json").stdout)]


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_correction_is_taken_back(tmp_path: Path, which: str) -> None:
    """The receipt of correct names the command; by the old id or the new one it brings the old text back."""
    old = kept(tmp_path, "Ana has a cat.")
    done = run(tmp_path, "correct", old, "Ana has a dog.")
    new = done.stdout.split()[1]
    assert f"to take it back: recollect undo {new} --db {tmp_path / 'm.db'}" in done.stderr
    told = run(tmp_path, "undo", old if which == "old" else new)
    assert told.exit_code == 0, told.output
    assert f"superseded {old}: Ana has a cat." in told.stdout
    assert "Took back revise" in told.stdout
    assert contents(tmp_path) == ["Ana has a cat."]


def test_what_others_would_lose_is_asked(tmp_path: Path) -> None:
    """A change that was about other memories as well is not taken back for one of them without a word."""
    with Recollect(tmp_path / "m.db", embedder="none") as rc:
        me = rc.space("me")
        me.remember("Ana lives in Lisbon.", key="home")
        items = [{"content": "Ana lives in Porto.", "key": "home"}, {"content": "Ana is allergic to penicillin."}]
        named = me.remember_many(items)[1].id
    asked = run(tmp_path, "undo", named)
    assert asked.exit_code == 2
    assert "add --yes" in asked.stderr
    assert sorted(contents(tmp_path)) == ["Ana is allergic to penicillin.", "Ana lives in Porto."]
    assert run(tmp_path, "undo", named, "--yes").exit_code == 0
    assert contents(tmp_path) == ["Ana lives in Lisbon."]


def test_step_by_step_and_not_beyond_the_beginning_unasked(tmp_path: Path) -> None:
    """Each undo goes one change further back; that a memory was made is taken back only where that is agreed to."""
    one = kept(tmp_path, "Ana has a cat.")
    run(tmp_path, "pin", one)
    run(tmp_path, "rate", one, "9")
    first = json.loads(run(tmp_path, "undo", one, "--json").stdout)
    assert (first["revision"], first["now"][0]["importance"], first["now"][0]["pinned"]) == (3, 5, True)
    assert json.loads(run(tmp_path, "undo", one, "--json").stdout)["now"][0]["pinned"] is False
    asked = run(tmp_path, "undo", one)
    assert asked.exit_code == 2
    assert "add --yes" in asked.stderr
    assert contents(tmp_path) == ["Ana has a cat."]
    assert run(tmp_path, "undo", one, "--yes").exit_code == 0
    assert contents(tmp_path) == []
    assert run(tmp_path, "undo", one).exit_code == 1


def test_without_an_id_the_last_change_of_all(tmp_path: Path) -> None:
    """It asks, or takes --yes; what jobs did since stays; and where nothing is left it says so."""
    first, _ = kept(tmp_path, "Ana has a cat."), kept(tmp_path, "Bo sails.")
    run(tmp_path, "forget", first)
    run(tmp_path, "jobs", "run", "enrich")
    assert run(tmp_path, "undo").exit_code == 2
    done = run(tmp_path, "undo", "--yes")
    assert "Ana has a cat." in done.stdout
    assert sorted(contents(tmp_path)) == ["Ana has a cat.", "Bo sails."]
    for _ in range(2):
        run(tmp_path, "undo", "--yes")
    assert contents(tmp_path) == []
    assert "no change of this memory left" in run(tmp_path, "undo", "--yes").stderr


def test_every_state_can_be_listed(tmp_path: Path) -> None:
    """--state all lists what is forgotten, too."""
    run(tmp_path, "forget", kept(tmp_path, "Ana has a cat."))
    assert "nothing found" in run(tmp_path, "list").stderr
    assert "Ana has a cat." in run(tmp_path, "list", "--state", "all").stdout


def test_what_is_gone_for_good_is_passed_over(tmp_path: Path) -> None:
    """An erasure cannot be taken back, and does not stand in the way of what was done before it."""
    gone, stays = kept(tmp_path, "Ana has a cat."), kept(tmp_path, "Bo has a dog.")
    run(tmp_path, "correct", stays, "Bo has a horse.")
    assert run(tmp_path, "erase", gone, "--yes").exit_code == 0
    told = run(tmp_path, "undo", "--yes")
    assert told.exit_code == 0, told.output
    assert contents(tmp_path) == ["Bo has a dog."]
