"""Uninstalling: what installing made goes, and what the user wrote is to the letter as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recollect.serve.cli import whole
from recollect.serve.install.clients import CLIENTS

WRITTEN = ("", "{}", '{"theme":"dark","list":[1,2]}', '{\n   "mcpServers": {}\n}', '{"hooks": {}}\n')


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home of this test's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


def run(*arguments: str) -> Result:
    """Run the command line."""
    done = CliRunner().invoke(whole(), [*arguments, "--yes"])
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.parametrize("name", CLIENTS)
def test_a_file_that_installing_made_goes(home: Path, name: str) -> None:
    """No empty object is left where there was no file, also after the entry was made for another user."""
    run("install", name, "--user", "ana")
    run("install", name, "--user", "bob")
    assert "removed" in run("uninstall", name).stderr
    assert not any(one.exists() for one in CLIENTS[name].files())


@pytest.mark.parametrize("text", WRITTEN)
def test_what_was_there_is_there_again(home: Path, text: str) -> None:
    """However a file was laid out, it is the same bytes afterwards; what changed meanwhile is kept."""
    files = CLIENTS["claude-code"].files()
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    assert "nothing to change" in run("uninstall", "claude-code").stderr
    run("install", "claude-code")
    run("uninstall", "claude-code")
    assert [path.read_bytes() for path in files] == [text.encode()] * 2
    run("install", "claude-code")
    for path in files:
        path.write_text(path.read_text().replace("{", '{"mine": 1,', 1))
    run("uninstall", "claude-code")
    assert all('"mine": 1' in path.read_text() for path in files)


@pytest.mark.parametrize("text", ["", "# mine", 'model = "best"\n\n\n'])
def test_what_was_there_is_there_again_in_toml(home: Path, text: str) -> None:
    """A text without an end of its last line, or with empty lines, is the same bytes afterwards."""
    (path,) = CLIENTS["codex"].files()
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    run("install", "codex")
    run("uninstall", "codex")
    assert path.read_bytes() == text.encode()


def test_what_a_hand_wrote_beside_us_is_not_lost(home: Path) -> None:
    """A section of the user's own keeps the file, though it is empty; a linked file goes where it lies, with a copy."""
    (path,) = CLIENTS["cursor"].files()
    run("install", "cursor")
    path.write_text(path.read_text().replace("{", '{"inputs": {},', 1))
    run("uninstall", "cursor")
    assert json.loads(path.read_text()) == {"inputs": {}}
    path.unlink()
    kept = home / "dotfiles.json"
    kept.write_text("")
    path.symlink_to(kept)
    kept.unlink()
    run("install", "cursor")
    told = kept.read_text()
    path.with_name(f"{path.name}.before-recollect-1").write_bytes(b"\xff")
    run("uninstall", "cursor")
    assert not kept.exists()
    assert told in [one.read_text() for one in path.parent.glob("*.before-recollect-[2-9]")]


def test_an_entry_of_our_name_that_somebody_else_wrote_stays(home: Path) -> None:
    """What installing would not touch, uninstalling does not touch either."""
    (path,) = CLIENTS["cursor"].files()
    path.parent.mkdir(parents=True)
    path.write_text(text := '{"mcpServers": {"recollect": {"url": "https://team.example/mcp"}}}')
    assert "nothing to change" in run("uninstall", "cursor").stderr
    assert path.read_text() == text


COMMENTED = """{
  // which "model" to take: see https://example.org/*not a comment*/
  "url": "https://example.org", /* mine */
  "mcpServers": {"other": {"command": "x", "args": ["// no comment",]},},
}
"""


def test_a_file_with_comments_is_left_and_what_to_do_is_printed(home: Path) -> None:
    """Installing prints what to add, uninstalling what to take out, each alone; done by hand there is nothing to do."""
    (path,) = CLIENTS["cursor"].files()
    path.parent.mkdir(parents=True)
    path.write_text(COMMENTED)
    assert "nothing to change" in run("uninstall", "cursor").stderr
    done = CliRunner().invoke(whole(), ["install", "cursor", "--user", "ana", "--yes"])
    assert done.exit_code == 2
    assert "has comments or commas that JSON has not, and would lose them: it is left as it is" in done.stdout
    said, _, snippet = done.stdout.partition("Add this to it:")
    assert "Take" not in said
    entry = json.loads(snippet)["mcpServers"].pop("recollect")
    assert entry["args"] == ["mcp", "--user", "ana"]
    assert list(path.parent.iterdir()) == [path]
    assert path.read_text() == COMMENTED

    path.write_text(added := COMMENTED.replace('"other":', f'"recollect": {json.dumps(entry)}, "other":'))
    assert "nothing to change" in run("install", "cursor", "--user", "ana").stderr
    told = CliRunner().invoke(whole(), ["uninstall", "cursor", "--yes", "--json"])
    assert told.exit_code == 2
    said, _, snippet = json.loads(told.stdout)[0]["by_hand"].partition("Take this out of it:")
    assert "dd this" not in said
    assert json.loads(snippet) == {"mcpServers": {"recollect": entry}}
    assert path.read_text() == added


def test_comments_in_one_file_do_not_hold_up_the_other(home: Path) -> None:
    """The server is written where that is safe; the hooks are printed, and the exit code says so."""
    servers, hooks = CLIENTS["claude-code"].files()
    hooks.parent.mkdir(parents=True)
    hooks.write_text("{} // mine")
    done = CliRunner().invoke(whole(), ["install", "claude-code", "--yes"])
    assert done.exit_code == 4
    assert "recollect" in json.loads(servers.read_text())["mcpServers"]
    assert hooks.read_text() == "{} // mine"
    assert '"SessionStart"' in done.stdout
