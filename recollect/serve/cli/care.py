"""Care: erasing for good, and the doctor."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.text import Text

from recollect.errors import InvalidInput
from recollect.serve.cli.exits import ABSENT, OK, REFUSED
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Base, Place, opened, space_of
from recollect.serve.cli.render import emit, note, one_line, say


@command(CARING, "recollect erase ID, or: recollect erase --entity Berlin --yes")
def erase(
    place: Place,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="One memory with its story.")] = "",
    session: Annotated[str, typer.Option("--session", help="A conversation and all learnt in it.")] = "",
    entity: Annotated[str, typer.Option("--entity", help="All that names a person, place or thing.")] = "",
    everything: Annotated[bool, typer.Option("--everything", help="All of this user.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Erase for good: no text is left in the database, its journal or its files."""
    chosen = [
        what
        for given, what in (
            (memory_id, f"the memory {memory_id} with its whole story"),
            (session, f"the session {session} and all learnt in it"),
            (entity, f"all that names {entity}"),
            (everything, "everything"),
        )
        if given
    ]
    if len(chosen) != 1:
        raise InvalidInput("say what to erase: one of a memory id, --session, --entity or --everything")
    with opened(place, existing=True) as memory:
        user = memory.settings.user if place.user is None else place.user
        if not yes and not _agreed(f"Erase {chosen[0]} of user {user} for good?"):
            note("nothing was erased")
            return REFUSED
        mine = space_of(memory, place)
        receipt = mine.erase(memory_id, session=session, entity=entity, everything=everything)
    if place.as_json:
        emit(receipt.to_json())
    elif receipt.scrub == "scrubbed":
        say(f"erased {receipt.count} memories; no text of them is left in the files")
    else:
        say(f"erased {receipt.count} memories; a reader still holds an older state of the files:")
        say("end it, then run `recollect jobs run scrub` to drive the text out")
    if receipt.archive == "pending" and not place.as_json:
        say("text of them may be left in the archive, which cannot be rewritten now; see `recollect archive verify`,")
        say("and `recollect jobs run` tries again")
    return OK


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InvalidInput("erasing asks for confirmation, but there is no terminal to ask at: add --yes")
    return typer.confirm(one_line(question), err=True)


@command(CARING, "recollect doctor --fix")
def doctor(
    place: Base, fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended first.")] = False
) -> int:
    """Check files, counters and links of the whole database."""
    with opened(place, existing=True) as memory:
        findings = memory.doctor(fix)
    healthy = all(finding.ok for finding in findings)
    if place.as_json:
        emit({"ok": healthy, "findings": findings})
        return OK if healthy else ABSENT
    for one in findings:
        mark = ("ok   ", "green") if one.ok else ("wrong", "bold red")
        wrong = f": {one.count} {one_line(one.text)}; to mend it: {one_line(one.fix)}"
        # What is well and has no fix is told for its own sake.
        said = wrong if not one.ok else "" if one.fix else f": {one_line(one.text)}"
        say(Text.assemble(mark, f" {one.check}{said}"))
    say("all is well" if healthy else "something is wrong", "green" if healthy else "bold red")
    return OK if healthy else ABSENT
