"""Core blocks: shown, edited, and brought back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.receipt import Receipt
from recollect.serve.cli.exits import OK
from recollect.serve.cli.frame import KEEPING, command
from recollect.serve.cli.options import Place, Speaker, space, text
from recollect.serve.cli.render import emit, note, one_line, say, show_receipt, when


@command(KEEPING, 'recollect blocks human --append "Name: Ana"')
def blocks(
    place: Place,
    speaker: Speaker,
    label: Annotated[str, typer.Argument(help="The block; nothing shows them all.")] = "",
    append: Annotated[
        str | None, typer.Option("--append", help="Add this on a line of its own; - reads standard input.")
    ] = None,
    rethink: Annotated[str | None, typer.Option("--rethink", help="Write it anew, making it if need be.")] = None,
    replace: Annotated[
        str | None, typer.Option("--replace", help="This text, which stands there once, gives way …")
    ] = None,
    by: Annotated[str, typer.Option("--by", help="… to this one.")] = "",
    history: Annotated[bool, typer.Option("--history", help="Show its versions, the newest first.")] = False,
    restore: Annotated[int, typer.Option("--restore", help="Give it the value of this version.")] = 0,
    delete: Annotated[bool, typer.Option("--delete", help="Take it out of the prompt.")] = False,
) -> int:  # long because each edit is an option
    """Show core blocks, which always stand in the prompt, or edit one."""
    edits: dict[str, Callable[[Space], Receipt]] = {}
    if append is not None:
        edits["--append"] = lambda mine: mine.blocks.append(label, text(append))
    if rethink is not None:
        edits["--rethink"] = lambda mine: mine.blocks.rethink(label, text(rethink))
    if replace is not None:
        edits["--replace"] = lambda mine: mine.blocks.replace(label, replace, by)
    if restore:
        edits["--restore"] = lambda mine: mine.blocks.restore(label, restore)
    if delete:
        edits["--delete"] = lambda mine: mine.blocks.delete(label)
    if edits and not label:
        raise InvalidInput(f"{next(iter(edits))} changes one block: name it, such as human")
    if len(edits) > 1:
        raise InvalidInput(f"{' and '.join(edits)} are several changes: make one at a time")
    with space(place, speaker) as mine:
        for edit in edits.values():
            return show_receipt(edit(mine), place.as_json)
        found = (
            mine.blocks.history(label) if label and history else [mine.blocks.get(label)] if label else mine.blocks()
        )
    if place.as_json:
        emit(found)
        return OK
    for one in found:
        since = f", {when(one.updated_at)}" if one.updated_at else ""
        say(f"{one.label}  ({len(one.value):,} of {one.limit:,} characters, version {one.version}{since})", "bold")
        say("\n".join(f"  {one_line(line)}" for line in one.value.splitlines()))
    if not found:
        note("no versions")
    return OK
