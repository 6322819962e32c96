"""The archive: moving texts out of the database, looking at the files, and bringing them back."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.archive import ArchiveFile
from recollect.serve.cli.exits import ABSENT, OK, REFUSED
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Place, space
from recollect.serve.cli.render import emit, note, one_line, say, show_reports, show_table, when


class ArchiveAction(StrEnum):
    """What to do with the archive."""

    list = "list"
    run = "run"
    restore = "restore"
    verify = "verify"


@command(
    CARING, "recollect archive run --dry-run, or: recollect archive restore fact_1f…, or: recollect archive verify"
)
def archive(
    place: Place,
    action: Annotated[
        ArchiveAction,
        typer.Argument(
            help="list the files; run: move out what is beyond archive.beyond; restore memories whole, into the short "
            "tier; verify: read every file and hold it against the memories."
        ),
    ] = ArchiveAction.list,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="For restore: the memories.")] = None,
    file: Annotated[str, typer.Option("--file", help="For restore: all memories of one file.")] = "",
    everything: Annotated[bool, typer.Option("--everything", help="For restore: all there are.")] = False,
    dry: Annotated[bool, typer.Option("--dry-run", help="For run: only say what would be moved.")] = False,
) -> int:
    """Move texts of what matters least out of the database, show the files, bring them back, or check them."""
    if action is not ArchiveAction.restore and (ids or file or everything):
        raise InvalidInput("ids, --file and --everything go with `recollect archive restore`")
    if dry and action is not ArchiveAction.run:
        raise InvalidInput("--dry-run goes with `recollect archive run`")
    with space(place, existing=True) as mine:
        if action is ArchiveAction.run:
            return _run(place, mine, dry=dry)
        if action is ArchiveAction.restore:
            report = mine.archive.restore(ids or [], file=file, everything=everything)
            emit(report.to_json()) if place.as_json else show_reports([report])
            return OK
        found = mine.archive.verify() if action is ArchiveAction.verify else mine.archive()
    wrong = [one for one in found if one.problem]
    if place.as_json:
        emit({"ok": not wrong, "files": found})
    else:
        _show(found)
    return ABSENT if wrong else OK


def _run(place: Place, mine: Space, *, dry: bool) -> int:
    reports = mine.archive.run(dry=dry)
    if place.as_json:
        emit([one.to_json() for one in reports])
    else:
        show_reports(reports, steps=dry)
        if dry:
            note("(a dry run: nothing was moved)")
    return REFUSED if any(one.status == "failed" for one in reports) else OK


def _show(found: Sequence[ArchiveFile]) -> None:
    if not found:
        note("nothing of this user is archived")
        return
    rows = [
        (one.name.rpartition("/")[2], when(one.made_at), str(one.memories), str(one.spare), str(one.size))
        for one in found
    ]
    show_table(("file", "written (UTC)", "memories", "spare", "bytes"), rows)
    for one in found:
        if one.problem:
            say(one_line(one.problem), "bold red")
