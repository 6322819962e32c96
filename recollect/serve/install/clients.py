"""The clients there are: where each keeps its settings, and how it writes down a server of MCP."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from recollect.errors import InvalidInput
from recollect.model.values import dataclass
from recollect.serve.install import editing
from recollect.serve.install.editing import Edit

NAME = "recollect"
HOOKS = {
    "SessionStart": ("startup|resume|clear|compact", "session-start"),
    "PreCompact": ("", "save"),
    "SessionEnd": ("", "session-end"),
}
"""The moments of a session a hook is called at: for which of them, and with what."""


@dataclass(frozen=True, slots=True)
class Client:
    """One program that speaks MCP."""

    name: str
    title: str
    files: Callable[[], tuple[Path, ...]]
    """Its settings; the second, if there is one, holds hooks."""
    add: Callable[[str, Sequence[str]], str]
    """Gives the text of its settings with us in it."""
    remove: Callable[[str], str]


def _entry(command: Sequence[str]) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:])}


def _json(section: str, entry: Callable[[Sequence[str]], dict[str, Any]]) -> tuple[Any, Any]:
    def add(text: str, command: Sequence[str]) -> str:
        return editing.put(text, (section, NAME), entry(command))

    def remove(text: str) -> str:
        return editing.take(text, (section, NAME))

    return add, remove


def _toml_add(text: str, command: Sequence[str]) -> str:
    args = ", ".join(json.dumps(one) for one in command[1:])
    return editing.put_block(text, f"[mcp_servers.{NAME}]", f"command = {json.dumps(command[0])}\nargs = [{args}]")


def _home(*parts: str) -> Callable[[], tuple[Path, ...]]:
    return lambda: (Path.home().joinpath(*parts),)


def _config(app: str, *parts: str) -> Callable[[], tuple[Path, ...]]:
    return lambda: (user_config_path(app, appauthor=False, roaming=True).joinpath(*parts),)


def _made(name: str, title: str, files: Any, pair: tuple[Any, Any]) -> Client:
    return Client(name, title, files, *pair)


_SERVERS = _json("mcpServers", _entry)
CLIENTS: dict[str, Client] = {
    one.name: one
    for one in (
        _made(
            "claude-code",
            "Claude Code",
            lambda: (Path.home() / ".claude.json", Path.home() / ".claude" / "settings.json"),
            _json("mcpServers", lambda command: {"type": "stdio", **_entry(command)}),
        ),
        _made("claude-desktop", "Claude Desktop", _config("Claude", "claude_desktop_config.json"), _SERVERS),
        _made("cursor", "Cursor", _home(".cursor", "mcp.json"), _SERVERS),
        _made("codex", "Codex", _home(".codex", "config.toml"), (_toml_add, editing.take_block)),
        _made(
            "vscode",
            "VS Code",
            _config("Code", "User", "mcp.json"),
            _json("servers", lambda command: {"type": "stdio", **_entry(command)}),
        ),
        _made("gemini", "Gemini CLI", _home(".gemini", "settings.json"), _SERVERS),
        _made(
            "opencode",
            "opencode",
            lambda: (Path.home() / ".config" / "opencode" / "opencode.json",),
            _json("mcp", lambda command: {"type": "local", "command": list(command), "enabled": True}),
        ),
    )
}


def find(name: str) -> Client:
    """Give a client by its name."""
    if name not in CLIENTS:
        raise InvalidInput(f"there is no client {name!r}: use one of {', '.join(CLIENTS)}")
    return CLIENTS[name]


def planned(name: str, command: Sequence[str], *, hooks: bool = True, away: bool = False) -> list[Edit]:
    """Give what would be written into a client's files, to put us in or take us out again."""
    client = find(name)
    servers, *others = client.files()
    if away:
        edits = [Edit.away(servers, client.remove), *(Edit.away(one, _unhooked) for one in others[:1])]
    else:
        edits = [Edit.of(servers, lambda text: client.add(text, command))]
        edits += [Edit.of(one, lambda text: _hooked(text, command)) for one in others[:1] if hooks]
    return [one for one in edits if one.changes or one.by_hand]


def _hooked(text: str, command: Sequence[str]) -> str:
    """Add our hooks to a client's settings, in the place of older ones of ours; those of others stay before them."""
    made = editing.loaded(text)
    hooks = editing.within(made, "hooks")
    who = " ".join(_shell(one) for one in command[2:])
    for moment, (matcher, word) in HOOKS.items():
        line = f"{_shell(command[0])} hook {word} {who}".rstrip()
        ours = {"hooks": [{"type": "command", "command": line, "timeout": 30}]}
        known = hooks.get(moment, [])
        if not isinstance(known, list):
            raise InvalidInput(f"the hooks {moment} are not a list: look at the file, then try again")
        made_now = {"matcher": matcher, **ours} if matcher else ours
        if made_now not in known:
            hooks[moment] = [*(one for one in known if not _is_ours(one)), made_now]
    return editing.dumped(made, text)


def _shell(word: str) -> str:
    """Give a word as the shell of this machine reads it: whatever is in it, it stays one word."""
    return subprocess.list2cmdline([word]) if os.name == "nt" else shlex.quote(word)


def _is_ours(hook: Any) -> bool:
    return f"{NAME} hook " in json.dumps(hook).replace('\\"', "").replace("'", "").replace("recollect.exe", NAME)


def _unhooked(text: str) -> str:
    made = editing.loaded(text)
    hooks = made.get("hooks")
    if not isinstance(hooks, dict) or not any(_is_ours(one) for one in hooks.values()):
        return text
    for moment in list(hooks):
        if isinstance(hooks[moment], list) and any(_is_ours(one) for one in hooks[moment]):
            hooks[moment] = [one for one in hooks[moment] if not _is_ours(one)]
            if not hooks[moment]:
                del hooks[moment]
    if not hooks:
        del made["hooks"]
    return editing.dumped(made, text)
