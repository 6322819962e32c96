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
