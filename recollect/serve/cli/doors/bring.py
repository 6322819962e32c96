"""Bringing other memories in: `recollect import-from`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from recollect.adapters.importers.frame import FORMATS, Imported, Preview, Source, bring, described
from recollect.adapters.importers.items import Skipped
from recollect.errors import InvalidInput
from recollect.model.values import plain
from recollect.serve.cli.exits import OK, REFUSED
from recollect.serve.cli.frame import STARTING, command
from recollect.serve.cli.options import Place, opened, space_of
from recollect.serve.cli.reindex import at_terminal
from recollect.serve.cli.render import emit, note, say
from recollect.serve.cli.transfer import progress

MOST_FILES = MOST_SKIPPED = 5
Format = Enum("Format", {name: name for name in FORMATS})  # type: ignore[misc]


@command(STARTING, "recollect import-from chatgpt conversations.json", name="import-from")
def import_from(
    place: Place,
    format: Annotated[Format, typer.Argument(help="; ".join(f"{one}: {text}" for one, text in described().items()))],
    file: Annotated[str, typer.Argument(help="The file or folder.", show_default=False)],
    of: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="USER",
            help="Only what belongs to this user, where a file holds several; all for everybody's.",
        ),
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Begin without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what is in it.")] = False,
) -> int:
    """Bring in what another memory, or an account of ChatGPT or Claude, has kept: newest first, each thing once."""
    source = Source(format.value, file, of)
    with opened(place) as memory:
        space = space_of(memory, place)
        seen = source.preview(space)
        if not place.as_json:
            say(_told(seen, Path(file).name))
        if dry_run:
            if place.as_json:
                emit(plain(seen))
            return OK
        source.settled()
        if not yes and not at_terminal():
            raise InvalidInput("importing asks for your word, but there is no terminal to ask at: add --yes")
        if not yes and not typer.confirm("Bring this in?", err=True):
            note("nothing was brought in")
            return REFUSED
        with progress(f"importing from {format.value}", lambda: source.total) as tick:
            done = bring(space, source, tick)
    if place.as_json:
        emit(plain(done))
        return OK
    say(_done(done))
    note("it is found by its words at once; `recollect jobs run` or `recollect worker` makes facts and meaning of it")
    return OK


def _told(seen: Preview, named: str) -> str:
    """Say what is in a file, in a few lines; of a folder or a zip also which files were read."""
    counts = {"conversations": seen.talks, "messages": seen.messages, "notes": seen.notes, "blocks": seen.blocks}
    text = ", ".join(f"{many:,} {name}" for name, many in counts.items() if many)
    lines = [f"{seen.format}: {text}"]
    if seen.files and seen.files != (named,):
        more = f" and {len(seen.files) - MOST_FILES:,} more" if len(seen.files) > MOST_FILES else ""
        lines.append(f"read from {', '.join(seen.files[:MOST_FILES])}{more}")
    if seen.first and seen.last:
        lines.append(f"from {seen.first:%Y-%m-%d} to {seen.last:%Y-%m-%d}")
    if seen.newest:
        lines.append("newest: " + "; ".join(title or "(no title)" for title in seen.newest))
    if seen.whose:
        lines.append("of " + ", ".join(f"{name}: {many:,}" for name, many in seen.whose.items()))
    if seen.left_out:
        lines.append(f"left out: {seen.left_out:,} messages that are hidden, of tools, or in branches that were left")
    if seen.empty:
        lines.append(f"empty: {seen.empty:,} conversations without a message to bring in")
    if seen.wordless:
        lines.append(f"without text: {seen.wordless:,} messages, such as a picture alone")
    lines += _skipped("not readable", seen.skipped)
    if seen.known:
        lines.append(f"here already: {seen.known:,} messages")
    return "\n".join(lines)


def _done(done: Imported) -> str:
    kept = {"messages": done.messages, "notes": done.notes, "blocks": done.blocks, "known already": done.known}
    lines = ["kept " + ", ".join(f"{many:,} {name}" for name, many in kept.items() if many or name == "messages")]
    lines += [f"passed over {done.empty:,} empty conversations"] if done.empty else []
    lines += [f"left out {done.wordless:,} messages without text"] if done.wordless else []
    lines += _skipped("skipped", done.skipped)
    lines += [f"refused {many:,}: {reason}" for reason, many in done.refused.items()]
    return "\n".join(lines)


def _skipped(called: str, those: Sequence[Skipped]) -> list[str]:
    """Say what cannot be read and why, a line each; of very many the first."""
    lines = [f"{called}: {one.what}: {one.why}" for one in those[:MOST_SKIPPED]]
    more = len(those) - MOST_SKIPPED
    return [*lines, f"{called}: {more:,} more, which --json lists"] if more > 0 else lines
