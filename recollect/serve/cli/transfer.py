"""Export and import: the whole memory as lines of JSON, in a file that is there whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from recollect.errors import InvalidInput, NotFound
from recollect.flows.admin.transfer import Transfer
from recollect.model.owner import split_owner
from recollect.model.values import plain
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Base, Place, opened, space_of
from recollect.serve.cli.render import console, emit, note, say

MOMENT = 0.4
"""How long a thing may take before a bar is shown for it."""


@command(CARING, "recollect export backup.jsonl --all")
def export(
    place: Place,
    file: Annotated[str, typer.Argument(help="The file to write; - is standard output.", show_default=False)],
    everyone: Annotated[bool, typer.Option("--all", help="All users and tenants, not one user.")] = False,
) -> None:
    """Write a user's memory, or all of it, to a file of JSON lines."""
    if everyone and (place.user is not None or place.tenant is not None):
        raise InvalidInput("--all is everybody: leave --user and --tenant out")
    with opened(place, existing=True) as memory, progress("exporting") as tick:
        mine = space_of(memory, place)
        if not everyone and split_owner(mine.owner) not in memory.owners():
            raise NotFound(f"user {split_owner(mine.owner)[1]!r} has no memories here: there is nothing to export")
        write = memory.export if everyone else mine.export
        moved = write(sys.stdout if file == "-" else file, tick)
    if file != "-" and not place.as_json:
        say(f"exported {_summary(moved)} to {file}")
    elif place.as_json:
        emit({"file": file, **plain(moved)}, err=file == "-")
    else:
        note(f"exported {_summary(moved)}")


@command(CARING, "recollect backup memory-2026-05-01.db")
def backup(
    place: Base,
    file: Annotated[str, typer.Argument(help="The new file to write.", show_default=False)],
) -> None:
    """Write everything into one file, as it is at one moment; others go on writing."""
    with opened(place, existing=True) as memory:
        made = memory.backup(file)
    if place.as_json:
        emit(made)
        return
    how = "open it with --db" if made.form == "database" else "put it into a new database with `recollect import`"
    say(f"backed up {made.size:,} bytes to {made.path}; to use it, {how}")


@command(CARING, "recollect import backup.jsonl --db new.db", name="import")
def import_(
    place: Base,
    file: Annotated[
        str, typer.Argument(help="An export of `recollect export`; - is standard input.", show_default=False)
    ],
) -> None:
    """Put an export back; users that already have memories are refused."""
    named = "/dev/stdin" if file == "-" else file
    total = None if file == "-" or not Path(file).is_file() else lambda: _count_lines(file)
    with opened(place) as memory, progress("importing", total) as tick:
        moved = memory.import_file(named, tick)
    if place.as_json:
        emit({"file": file, **plain(moved)})
    else:
        say(f"imported {_summary(moved)} from {file}")


def _summary(moved: Transfer) -> str:
    memories = moved.counts.get("memory", 0)
    return f"{memories:,} memories of {moved.owners:,} users ({moved.lines:,} lines)"


def _count_lines(file: str) -> int:
    with Path(file).open("rb") as lines:
        return sum(1 for _ in lines)


@contextmanager
def progress(title: str, total: Callable[[], int] | None = None) -> Iterator[Callable[[int], None]]:
    """Give a function to call with how far it is; a bar appears when it takes long, and goes when it is done."""
    errors = console(stderr=True)
    if not errors.is_terminal:
        yield lambda done: None
        return
    count = TextColumn("{task.completed:,}") if total is None else MofNCompleteColumn()
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        count,
        TimeElapsedColumn(),
        console=errors,
        transient=True,
    )
    begun, task, seen = monotonic(), bar.add_task(title, total=None), 0

    def tick(done: int) -> None:
        nonlocal seen
        if not bar.live.is_started:
            if monotonic() - begun < MOMENT:
                return
            bar.update(task, total=total() if total else None)
            bar.start()
        if done - seen >= 100:
            seen = done
            bar.update(task, completed=done)

    try:
        yield tick
    finally:
        bar.stop()
