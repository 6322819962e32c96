"""Telling a client about this memory, and taking it back; and what its hooks call."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect.errors import InvalidInput, Unavailable
from recollect.serve.cli.exits import OK, REFUSED, USAGE
from recollect.serve.cli.frame import STARTING, command
from recollect.serve.cli.options import Base, Place, opened, space_of
from recollect.serve.cli.reindex import at_terminal
from recollect.serve.cli.render import clean, emit, note, warn
from recollect.serve.install import clients, hooks
from recollect.serve.install.editing import Edit
from recollect.store.engines.sqlite import sqlite_path
from recollect.text.extras import installing

ClientName = Annotated[str, typer.Argument(metavar="CLIENT", help=f"One of {', '.join(clients.CLIENTS)}.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")]
Dry = Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")]


class Moment(StrEnum):
    """When a hook is called."""

    session_start = "session-start"
    save = "save"
    session_end = "session-end"


@command(STARTING, "recollect install claude-code --user ana, and to take it back: recollect uninstall claude-code")
def install(
    place: Place,
    client: ClientName,
    no_hooks: Annotated[bool, typer.Option("--no-hooks", help="Only the tools, no hooks.")] = False,
    yes: Yes = False,
    dry_run: Dry = False,
) -> int:
    """Tell a client about this memory: shows the difference first, and keeps a copy of what was there."""
    if find_spec("mcp") is None:
        warn(f"the tools cannot be served yet, they need more libraries: {installing('mcp')}")
    return _carried_out(place, clients.planned(client, _command(place), hooks=not no_hooks), yes, dry_run)


@command(STARTING, "recollect uninstall cursor")
def uninstall(place: Base, client: ClientName, yes: Yes = False, dry_run: Dry = False) -> int:
    """Take this memory out of a client's settings again; nothing that is remembered is touched."""
    return _carried_out(place, clients.planned(client, ["recollect", "mcp"], away=True), yes, dry_run)


def _command(place: Place) -> list[str]:
    beside = Path(sys.executable).with_name("recollect")
    program = str(beside) if beside.exists() else shutil.which("recollect")
    if program is None:
        raise Unavailable("the program recollect is not found: install it so that it is on the path")
    config = str(Path(place.config).absolute()) if place.config else None
    options = (("--db", _anywhere(place.db)), ("--config", config), ("--user", place.user), ("--tenant", place.tenant))
    return [program, "mcp", *(word for name, value in options if value for word in (name, value))]


def _anywhere(db: str | None) -> str | None:
    """Give a database by a name that means the same in whatever folder the client runs."""
    if not db or ("://" in db and not db.startswith("sqlite:")):
        return db
    return f"sqlite:///{sqlite_path(db).absolute()}"


def _carried_out(place: Base, planned: list[Edit], yes: bool, dry: bool) -> int:
    """Write what can be written, and show what only a hand can."""
    edits, by_hand = [one for one in planned if one.changes], [one for one in planned if one.by_hand]
    shown = [{"file": str(one.path), "copy": None, "written": False, "by_hand": one.by_hand} for one in by_hand]
    if not place.as_json:
        for one in by_hand:
            typer.echo(clean(one.by_hand))
    if by_hand and not edits:
        if place.as_json:
            emit(shown)
        return USAGE
    code = _written(place, edits, shown, yes, dry)
    return REFUSED if by_hand else code


def _written(place: Base, edits: list[Edit], shown: list[dict[str, Any]], yes: bool, dry: bool) -> int:
    if not edits:
        note("there is nothing to change")
        if place.as_json:
            emit([])
        return OK
    if not place.as_json:
        for edit in edits:
            typer.echo(clean(edit.shown()))
    if not dry and not yes and not at_terminal():
        raise InvalidInput("writing asks for your word, but there is no terminal to ask at: add --yes")
    if not dry and not yes and not typer.confirm("Write this?", err=True):
        note("nothing was written")
        return REFUSED
    kept = [None if dry else edit.write() for edit in edits]
    told = [
        {"file": str(edit.path), "copy": str(copy) if copy else None, "written": not dry, "difference": edit.shown()}
        for edit, copy in zip(edits, kept, strict=True)
    ]
    if place.as_json:
        emit([*told, *shown])
        return OK
    for edit, one in zip(edits, told, strict=True) if not dry else ():
        note(
            f"{'removed' if edit.gone else 'wrote'} {one['file']}"
            + (f"; what was there is in {one['copy']}" if one["copy"] else "")
        )
    return OK


@command(STARTING, "recollect hook session-start, called by a client with its own JSON on standard input")
def hook(
    place: Place,
    moment: Annotated[Moment, typer.Argument(help="session-start lays out memory, the others keep what was said.")],
) -> None:
    """Do what a client's hook asks for: lay out memory at the start, keep the conversation before it is lost."""
    told = hooks.event("" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read())
    session = str(told.get("session_id", ""))[:200]
    with opened(place) as memory:
        space = space_of(memory, place)
        if moment is Moment.session_start:
            typer.echo(clean(hooks.begun(space)))
            return
        many = hooks.saved(space.within(session), told) if session else 0
        if moment is Moment.session_end and session and many:
            space.within(session).end()
    note(f"kept {many} messages")
