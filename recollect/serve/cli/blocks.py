"""Core blocks: shown, edited, and brought back."""

from __future__ import annotations

from typing import Annotated

import typer

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
        str, typer.Option("--append", help="Add this on a line of its own; - reads standard input.")
    ] = "",
    rethink: Annotated[str, typer.Option("--rethink", help="Write it anew, making it if need be.")] = "",
    replace: Annotated[str, typer.Option("--replace", help="This text, which stands there once, gives way …")] = "",
    by: Annotated[str, typer.Option("--by", help="… to this one.")] = "",
    history: Annotated[bool, typer.Option("--history", help="Show its versions, the newest first.")] = False,
    restore: Annotated[int, typer.Option("--restore", help="Give it the value of this version.")] = 0,
    delete: Annotated[bool, typer.Option("--delete", help="Take it out of the prompt.")] = False,
) -> int:  # long because each edit is an option
    """Show core blocks, which always stand in the prompt, or edit one."""
    edits = {"append": text(append) if append else "", "rethink": text(rethink) if rethink else "", "replace": replace}
    with space(place, speaker) as mine:
        if label and (any(edits.values()) or restore or delete):
            return show_receipt(_edited(mine, label, edits, by, restore), place.as_json)
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


def _edited(mine: Space, label: str, edits: dict[str, str], by: str, restore: int) -> Receipt:
    """Carry out the one edit that was asked for; without any, the block goes."""
    if edits["append"]:
        return mine.blocks.append(label, edits["append"])
    if edits["rethink"]:
        return mine.blocks.rethink(label, edits["rethink"])
    if edits["replace"]:
        return mine.blocks.replace(label, edits["replace"], by)
    return mine.blocks.restore(label, restore) if restore else mine.blocks.delete(label)
