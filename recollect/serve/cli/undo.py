"""Taking back the last change: `recollect undo`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from recollect.errors import InvalidInput, NotFound
from recollect.flows.life.last_change import last_change
from recollect.front.space import Space
from recollect.model.hit import Entry
from recollect.model.memory import Memory
from recollect.model.receipt import Report
from recollect.model.values import plain
from recollect.serve.cli.exits import OK, REFUSED
from recollect.serve.cli.frame import KEEPING, command
from recollect.serve.cli.options import Place, space
from recollect.serve.cli.reindex import at_terminal
from recollect.serve.cli.render import emit, note, say, show_memory, show_reports, shown, when

MOST_NAMED = 5


@command(KEEPING, "recollect undo ID, or the last change of all: recollect undo")
def undo(
    place: Place,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="A memory; without it the last change of all.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Take back the last change of a memory, such as a correction; without an id the last one of all, if you agree.

    Where the last change is that a memory was made, it asks too: the memory goes for good; and where it was about
    other memories as well. What jobs did is not looked at: `recollect jobs undo` takes a run back.
    """
    with space(place, existing=True) as mine:
        lines = last_change(mine._runtime, mine._scope, memory_id)
        if not lines:
            raise NotFound(f"there is no change of {memory_id or 'this memory'} left to take back")
        told = _told(mine, lines)
        if not yes and (not memory_id or _goes_far(mine, memory_id, lines)) and not _agreed(told):
            note("nothing was taken back")
            return REFUSED
        report = mine.take_back(lines[0].rev)
        now = _standing(mine, lines)
    if place.as_json:
        emit({**report.to_json(), "revision": lines[0].rev, "changes": plain(lines), "now": plain(now)})
    else:
        _show(report, told, now)
    return OK if report.status == "ok" and report.changed else REFUSED


def _goes_far(mine: Space, memory_id: str, lines: Sequence[Entry]) -> bool:
    """Tell whether a change made what was not there, which is then gone for good, or was about other memories too."""
    own = {one.memory_id for one in mine.history(memory_id)}
    return not any(one.before for one in lines) or not {one.memory_id for one in lines if one.memory_id} <= own


def _agreed(told: str) -> bool:
    if not at_terminal():
        raise InvalidInput(f"this asks for your word, but there is no terminal to ask at: add --yes to undo {told}")
    note(told)
    return typer.confirm("Take this back?", err=True)


def _told(mine: Space, lines: Sequence[Entry]) -> str:
    """Say what a change did, a memory a line, before it is taken back."""
    about = [one for one in lines if one.memory_id and one.op != "linked"]
    named = [f"  {one.op} {one.memory_id}{_words(mine, one.memory_id)}" for one in about[:MOST_NAMED]]
    more = [f"  and {len(about) - MOST_NAMED:,} more"] if len(about) > MOST_NAMED else []
    return "\n".join([f"the change of {when(lines[0].at)} UTC ({lines[0].node}):", *named, *more])


def _words(mine: Space, memory_id: str) -> str:
    with suppress(NotFound):  # gone, or no memory: an entity
        return f": {shown(mine.get(memory_id).content)}"
    return ""


def _standing(mine: Space, lines: Sequence[Entry]) -> list[Memory]:
    """Give the memories a change was about that stand now."""
    found: list[Memory] = []
    for memory_id in dict.fromkeys(one.memory_id for one in lines if one.memory_id):
        with suppress(NotFound):
            found.append(mine.get(memory_id))
    return [one for one in found if one.state == "active"][:MOST_NAMED]


def _show(report: Report, told: str, now: Sequence[Memory]) -> None:
    say(told, "dim")
    show_reports([report], steps=True)
    if now and report.changed:
        note("as it stands now:")
        for memory in now:
            show_memory(memory)
