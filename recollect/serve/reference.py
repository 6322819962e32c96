"""The reference pages of the docs, made from the code: `python -m recollect.serve.reference docs [--check]`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect.config import FILE_NAME, PREFIX, Settings
from recollect.model.kinds import KINDS, SOURCES, STATES, TIERS
from recollect.model.values import dataclass
from recollect.serve.cli import whole
from recollect.serve.cli.exits import EXIT_CODES
from recollect.serve.knobs import docstrings
from recollect.tools.declare import Tool
from recollect.tools.schema import parameters
from recollect.tools.toolbox import PROFILES, find_profile

WIDTH = 100
MADE = "<!-- Made by `make docs` from the code: change it there. -->"


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting: where it stands, what it holds, and what it is for."""

    path: str
    type: str
    default: str
    variable: str
    text: str


def pages() -> dict[str, str]:
    """Give every generated page by its file name."""
    return {"cli.md": cli(), "configuration.md": configuration(), "kinds.md": kinds(), "tools.md": tools()}


def cli() -> str:
    """Describe every command in the words of its own help."""
    parts = [
        MADE,
        "# The command line",
        "`recollect` is one program with a command for every verb. Every command takes `--json`, which puts plain JSON "
        "in UTF-8 on standard output and nothing else; `--db` and `--config` say where the memory is, `--user` and "
        "`--tenant` whose. Errors are one line on standard error, `error: …`; with `--json` they are an object, "
        '`{"error": {"type": …, "message": …}}`. `export -` puts the export on standard output and its summary on '
        "standard error.",
        "Times are ISO 8601, like `2026-05-01T09:30:00+02:00`. One without a zone is taken as UTC; a bare date is its "
        "midnight in UTC. They can also be said in words: `yesterday`, `last week` (midnight seven days ago), "
        "`last month`, `3 days ago`, `May 2026`, `7 May 2026`, `last summer`, or [whatever a query can name]"
        "(searching.md#times); of a span it is the beginning.",
        "## Exit codes",
        _table(("code", "meaning"), [(str(code), text) for code, text in EXIT_CODES.items()]),
        "## Commands",
    ]
    group: Any = typer.main.get_command(whole())
    parts.append(_help(group, "recollect", None))
    with group.make_context("recollect", [], resilient_parsing=True) as root:
        for name in group.list_commands(root):
            parts += [f"### {name}", *_pages(group.commands[name], name, root)]
    return "\n\n".join(parts) + "\n"


def _pages(command: Any, name: str, root: Any) -> Iterator[str]:
    """Give a command's help, and under it that of the commands it has of its own."""
    yield _help(command, name, root)
    inner = getattr(command, "commands", {})
    with command.make_context(name, [], root, resilient_parsing=True) as here:
        for each in inner:
            yield f"#### {name} {each}"
            yield _help(inner[each], each, here)


def _help(command: Any, name: str, parent: Any) -> str:
    """Give a command's help without colours and boxes, so that it is the same on every machine."""
    command.rich_markup_mode = None
    context = command.context_class(
        command,
        info_name=name,
        parent=parent,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["--help"],
    )
    lines = [line.rstrip() for line in command.get_help(context).replace("\\[", "[").splitlines()]
    return "\n".join(["```text", *lines, "```"])


def configuration() -> str:
    """Describe every setting: where it stands, its type, default and variable."""
    parts = [
        MADE,
        "# Configuration",
        f"Nothing has to be set. What is set is taken, later wins: the default, `{FILE_NAME}` in the working folder "
        f"(or the file given with `--config`), variables that start with `{PREFIX}`, keywords of `Recollect(…)`.",
        f'```toml\n# {FILE_NAME}\nuser = "ana"\n\n[terms]\nlanguage = "german"\n```',
        f"The same as variables: `{PREFIX}USER=ana`, `{PREFIX}TERMS__LANGUAGE=german`.",
    ]
    for title, text, knobs in _sections():
        rows = [(f"`{k.path}`", k.type, k.default, k.variable, k.text) for k in knobs]
        parts += [f"## {title}", *([text] if text else [])]
        parts.append(_table(("setting", "type", "default", "variable", "what it does"), rows))
    return "\n\n".join(parts) + "\n"


def _sections() -> Iterator[tuple[str, str, list[Knob]]]:
    settings = Settings()
    yield "General", "", _knobs(settings, "")
    yield from _inner_sections(settings, "")


def _inner_sections(policy: Any, prefix: str) -> Iterator[tuple[str, str, list[Knob]]]:
    for field in fields(policy):
        inner = getattr(policy, field.name)
        if is_dataclass(inner):
            path = f"{prefix}{field.name}"
            if knobs := _knobs(inner, f"{path}."):
                yield f"`{path}`", inspect.getdoc(type(inner)) or "", knobs
            yield from _inner_sections(inner, f"{path}.")


def _knobs(settings: Any, prefix: str) -> list[Knob]:
    texts = docstrings(type(settings))
    found = []
    for field in fields(settings):
        value = getattr(settings, field.name)
        if not is_dataclass(value):
            path = prefix + field.name
            variable = PREFIX + path.upper().replace(".", "__")
            # A list cannot be told in a variable; it is set in the file or by keyword.
            told = "–" if isinstance(value, tuple) else f"`{variable}`"
            kind = str(field.type).replace("|", "\\|")
            found.append(Knob(path, f"`{kind}`", _default(value), told, texts.get(field.name, "")))
    return found


def _default(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value) or "none"
    return f"`{json.dumps(value)}`"


def kinds() -> str:
    """Describe every kind of memory, and the tiers, states and sources there are."""
    rows = [
        (
            f"`{kind.name}`",
            f"`{kind.prefix}_`",
            kind.tier,
            "–" if kind.importance is None else str(kind.importance),
            f"{kind.decay:g}",
            "yes" if kind.injected else "no",
            "when asked" if not kind.default else "yes" if kind.weight == 1 else f"yes, at weight {kind.weight:g}",
            kind.policy,
        )
        for kind in KINDS.values()
    ]
    heads = ("kind", "id", "born in", "importance", "decay a day", "active memory", "found by recall", "writing policy")
    closed = [("tiers", TIERS), ("states", STATES), ("sources", SOURCES)]
    parts = [
        MADE,
        "# Kinds of memory",
        "Everything remembered is a memory of some kind. `decay` is what confidence loses while unused; *active "
        "memory* says whether it is shown in every context; kinds found only when asked are searched with `--kind`.",
        _table(heads, rows),
        *(f"The {name}: {', '.join(f'`{one}`' for one in names)}." for name, names in closed),
    ]
    return "\n\n".join(parts) + "\n"


def tools() -> str:
    """Describe every tool of every profile: what the model is told, its arguments and what it may do."""
    parts = [
        MADE,
        "# Tools for models",
        "Every tool is declared once, as a function of a space; what stands here, the JSON schemas, the MCP tool, the "
        "route `POST /v1/spaces/{user}/tools/{profile}/{tool}` and `recollect tools call` follow from it. "
        "[How they are served](doors.md). Optional arguments have a default of their own type and are never null.",
    ]
    for name in PROFILES:
        found = find_profile(name)
        parts += [f"## {name}", found.text.split("\n\n")[0]]
        for one in found.tools.values():
            marks = [("reads only", one.reads), ("may take away", one.destroys), ("repeatable", one.repeats)]
            told = ", ".join(mark for mark, holds in marks if holds)
            parts += [f"### {name}: {one.name}", one.description + (f"\n\n*{told}*" if told else "")]
            rows = _arguments(one)
            parts += [_table(("argument", "type", "default", "what it says"), rows)] if rows else []
    return "\n\n".join(parts) + "\n"


def _arguments(one: Tool) -> list[tuple[str, ...]]:
    made = parameters(one)
    return [
        (
            f"`{name}`",
            _typed(inner),
            "required" if name in made.get("required", ()) else f"`{json.dumps(inner.get('default', []))}`",
            str(inner.get("description", "")).replace("|", "\\|"),
        )
        for name, inner in made["properties"].items()
    ]


def _typed(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    inner = f" of {schema['items'].get('type', 'object')}" if "items" in schema else ""
    return str(schema.get("type", "any")) + inner


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(
    folder: Annotated[Path, typer.Argument(help="Where the pages are.", show_default=False)],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 when a page is out of date.")] = False,
) -> None:
    """Write the reference pages of the docs, or check that they are up to date."""
    stale = []
    for name, text in pages().items():
        path = folder / name
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not check:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    if check and stale:
        typer.echo(f"out of date: {', '.join(stale)}; run `make docs`", err=True)
        raise typer.Exit(1)
    typer.echo("up to date" if not stale else f"written: {', '.join(stale)}")


if __name__ == "__main__":
    typer.run(main)
