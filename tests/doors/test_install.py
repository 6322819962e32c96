"""Installing: a client's settings get our entry and nothing else, and lose it again."""

from __future__ import annotations

import json
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from recollect import Recollect
from recollect.serve.cli import whole
from recollect.serve.install.clients import CLIENTS
from tests.patience import PATIENCE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home of this test's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


def run(*arguments: str, told: str | None = None) -> Result:
    """Run the command line."""
    return CliRunner().invoke(whole(), list(arguments), input=told)


@pytest.mark.parametrize("name", CLIENTS)
def test_in_and_out_again(home: Path, name: str) -> None:
    """The entry starts this program for the user named, a second time changes nothing, and it goes without a trace."""
    done = run("install", name, "--user", "ana", "--yes", "--json")
    assert done.exit_code == 0, done.output
    path = CLIENTS[name].files()[0]
    text = path.read_text("utf-8")
    assert str(home) in str(path)
    assert all(word in text for word in ("recollect", "mcp", "--user", "ana"))
    if path.suffix == ".toml":
        assert tomllib.loads(text)["mcp_servers"]["recollect"]["args"] == ["mcp", "--user", "ana"]
    assert run("install", name, "--user", "ana", "--yes", "--json").stdout.strip() == "[]"
    assert run("uninstall", name, "--yes").exit_code == 0
    assert not any(one.exists() for one in CLIENTS[name].files())


def test_what_the_user_wrote_stays(home: Path) -> None:
    """Other servers, other settings and hooks stay as they were; a copy is kept of each file."""
    mine = {"theme": "dark", "mcpServers": {"other": {"command": "x"}}, "deep": {"list": [1, 2, {"é": "ü"}]}}
    hooks = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo hello"}]}]}, "model": "best"}
    files = CLIENTS["claude-code"].files()
    files[1].parent.mkdir(parents=True)
    for path, made in zip(files, (mine, hooks), strict=True):
        path.write_text(json.dumps(made, indent=4, ensure_ascii=False), "utf-8")
    before = [path.read_text("utf-8") for path in files]
    told = json.loads(run("install", "claude-code", "--yes", "--json").stdout)
    now: dict[str, Any] = json.loads(files[0].read_text("utf-8"))
    assert now.pop("mcpServers").keys() == {"other", "recollect"}
    assert now == {"theme": "dark", "deep": mine["deep"]}
    starts = json.loads(files[1].read_text("utf-8"))["hooks"]["SessionStart"]
    assert starts[0] == hooks["hooks"]["SessionStart"][0]  # type: ignore[index]
    assert [Path(one["copy"]).read_text("utf-8") for one in told] == before
    assert run("uninstall", "claude-code", "--yes").exit_code == 0
    assert [path.read_text("utf-8") for path in files] == before


def test_nothing_is_written_unasked(home: Path) -> None:
    """A dry run shows the difference; without a terminal to ask at nothing is written."""
    assert '+    "recollect": {' in run("install", "cursor", "--dry-run").stdout
    assert run("install", "cursor").exit_code == 2
    assert not CLIENTS["cursor"].files()[0].exists()


@pytest.mark.parametrize("text", ['{"a": 1, // comment\n}', "[]", '{"mcpServers": []}', "\udcff"])
def test_files_that_cannot_be_edited_are_left_alone(home: Path, text: str) -> None:
    """What is no plain JSON object is refused with what to do, and stays to the byte."""
    path = CLIENTS["cursor"].files()[0]
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = run("install", "cursor", "--yes")
    assert done.exit_code == 2
    assert path.read_bytes() == text.encode("utf-8", "surrogateescape")
    assert list(path.parent.iterdir()) == [path]


def test_an_entry_somebody_changed_is_left_alone(home: Path) -> None:
    """Our name with other words in it is the user's own."""
    path = CLIENTS["cursor"].files()[0]
    path.parent.mkdir(parents=True)
    path.write_text('{"mcpServers": {"recollect": {"command": "mine"}}}')
    assert run("install", "cursor", "--yes").exit_code == 4
    assert "mine" in path.read_text()


def test_hooks_lay_out_and_keep(home: Path) -> None:
    """A session begins with what is known, within 2,500 tokens; its transcript is kept once, and learnt from."""
    database = f"sqlite:///{home}/m.db"
    with Recollect(database, embedder="none") as memory:
        memory.space("ana").remember("Ana lives in Lisbon.", importance=9)
    place = ("--db", database, "--user", "ana")
    assert "Ana lives in Lisbon." in run("hook", "session-start", *place, told="{}").stdout
    lines = [
        {"type": "user", "uuid": "u1", "timestamp": "2026-05-01T10:00:00Z", "message": {"content": "I have a dog."}},
        {"type": "assistant", "uuid": "u2", "message": {"content": [{"type": "text", "text": "Nice."}]}},
        {"type": "user", "uuid": "u3", "isMeta": True, "message": {"content": "noise"}},
        {"type": "summary", "summary": "noise"},
    ]
    script = home / "talk.jsonl"
    script.write_text("\n".join(json.dumps(one) for one in lines) + '\n{"type": "user", "uu')
    told = json.dumps({"session_id": "c1", "transcript_path": str(script)})
    for moment in ("save", "session-end"):
        assert run("hook", moment, *place, told=told).exit_code == 0
    with Recollect(database, embedder="none") as memory:
        said = memory.space("ana").list(kinds="episode", sessions="c1")
    assert [one.content for one in said] == ["Nice.", "I have a dog."]
    assert run("hook", "session-start", *place, told="nonsense").exit_code == 2


@pytest.mark.parametrize("name", ["cursor", "codex"])
def test_rights_and_ends_of_lines_stay(home: Path, name: str) -> None:
    """A file only its owner may read stays so, as does its copy; lines go on ending as they did."""
    path = CLIENTS[name].files()[0]
    path.parent.mkdir(parents=True)
    text = b'{\r\n  "theme": "dark"\r\n}\r\n' if name == "cursor" else b'model = "best"\r\n'
    path.write_bytes(text)
    path.chmod(0o600)
    (told,) = json.loads(run("install", name, "--yes", "--json").stdout)
    copy = Path(told["copy"])
    assert copy.read_bytes() == text
    assert [one.stat().st_mode & 0o777 for one in (path, copy)] == [0o600, 0o600]
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n") > 3
    assert run("uninstall", name, "--yes").exit_code == 0
    assert path.read_bytes() == text


def test_a_write_that_fails_leaves_nothing_behind(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file cannot be replaced it stays, and no half of a new one lies beside it."""
    path = CLIENTS["cursor"].files()[0]

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("recollect.serve.install.editing.os.replace", refuse)
    assert run("install", "cursor", "--yes").exit_code != 0
    assert list(path.parent.iterdir()) == []


def test_a_name_that_is_allowed_needs_a_key(tmp_path: Path) -> None:
    """Who lets the server answer under another name cannot do so without a key."""
    done = run("serve", "--db", f"{tmp_path}/m.db", "--allow-host", "memory.example.org")
    assert done.exit_code != 0
    assert "keys create" in done.output


def test_a_name_cannot_run_anything(home: Path) -> None:
    """Whatever a user is called, the command of a hook holds it as one word."""
    name = "a$(touch x)`b`"
    assert run("install", "claude-code", "--user", name, "--yes").exit_code == 0
    path = CLIENTS["claude-code"].files()[1]
    line = json.loads(path.read_text("utf-8"))["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    assert shlex.split(line)[-2:] == ["--user", name]
    assert f"'{name}'" in line
    assert run("uninstall", "claude-code", "--yes").exit_code == 0
    assert not path.exists()


@pytest.mark.parametrize("name", CLIENTS)
def test_another_user_takes_the_place_of_the_first(home: Path, name: str) -> None:
    """Installing anew for another user renews our own entry and hooks, and leaves one of each."""
    assert run("install", name, "--user", "ana", "--yes").exit_code == 0
    done = run("install", name, "--user", "ben", "--yes")
    assert done.exit_code == 0, done.output
    text = "\n".join(path.read_text("utf-8") for path in CLIENTS[name].files() if path.exists())
    assert "ben" in text
    assert "ana" not in text.replace(str(home), "")
    assert text.count("hook save") == (name == "claude-code")
    assert run("uninstall", name, "--yes").exit_code == 0


def test_a_client_finds_the_database_from_anywhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database and settings named from this folder are written down with it."""
    monkeypatch.chdir(home)
    (home / "my.toml").write_text("")
    assert run("install", "cursor", "--db", "m.db", "--config", "my.toml", "--yes").exit_code == 0
    args = json.loads(CLIENTS["cursor"].files()[0].read_text())["mcpServers"]["recollect"]["args"]
    assert args[args.index("--db") + 1] == f"sqlite:///{home}/m.db"
    assert args[args.index("--config") + 1] == f"{home}/my.toml"
    run("install", "codex", "--db", "postgresql://db/m", "--yes")
    assert "postgresql://db/m" in CLIENTS["codex"].files()[0].read_text()


def test_a_missing_library_is_told_with_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the SDK installing warns, with a command that works in an environment that has no pip."""
    monkeypatch.setattr("recollect.serve.cli.doors.install.find_spec", lambda name: None)
    done = run("install", "cursor", "--yes")
    assert done.exit_code == 0
    assert "cannot be served yet" in done.stderr
    assert f"--python {sys.executable} install" in done.stderr
    assert "[mcp]" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server(home: Path, number: int) -> None:
    """Ctrl-C and SIGTERM end `recollect mcp`, although its standard input stays open."""
    program = str(Path(sys.executable).with_name("recollect"))
    command = [program, "mcp", "--db", str(home / "m.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        server.stdin.write(json.dumps(asked).encode() + b"\n")
        server.stdin.flush()
        assert b"recollect" in server.stdout.readline()
        server.send_signal(number)
        assert server.wait(PATIENCE) == 128 + number


def test_a_port_in_use_is_told(home: Path) -> None:
    """Nothing is said to be served where somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "--db", str(home / "m.db"), "--port", str(taken.getsockname()[1]))
    assert done.exit_code == 3
    assert "choose another with --port" in done.stderr
    assert "serving at" not in done.stderr


def test_small_things_on_the_command_line(home: Path) -> None:
    """An empty text is an edit, two edits are too many, keys have one name each, and refusals have their codes."""
    place = ("--db", str(home / "m.db"))
    assert run("blocks", "human", "--rethink", "Name: Ana", *place).exit_code == 0
    assert run("blocks", "human", "--rethink", "", *place).exit_code == 0
    assert "0 of" in run("blocks", "human", *place).stdout
    assert run("blocks", "--append", "x", *place).exit_code == 2
    assert run("blocks", "human", "--append", "x", "--delete", *place).exit_code == 2
    assert run("keys", "create", "laptop", *place).exit_code == 0
    again = run("keys", "create", "laptop", *place)
    assert (again.exit_code, "revoke that one first" in again.stderr) == (4, True)
    assert run("tools", "call", "memory_get", "id=fact_none", *place).exit_code == 1
    assert run("tools", "call", "memory_get", "wish=1", *place).exit_code == 2
