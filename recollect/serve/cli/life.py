"""The life of memories: ageing at once, what will be forgotten when, and the archive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.forecast import ArchiveFile, Fate, Forecast
from recollect.rules.life.retention import PRESETS, span
from recollect.rules.life.salience import WEEK
from recollect.serve.cli.exits import ABSENT, OK, REFUSED
from recollect.serve.cli.frame import CARING, LOOKING, command
from recollect.serve.cli.options import Place, space
from recollect.serve.cli.render import emit, note, one_line, say, show_reports, show_table, when

WIDE = 40
"""How many characters the longest bar has."""
DAY = "%Y-%m-%d"


@command(CARING, "recollect age --after 12h --most 20")
def age(
    place: Place,
    after: Annotated[str, typer.Option("--after", metavar="TIME", help="Unused for so long: 12h, 3d, 1w.")] = "",
    most: Annotated[int | None, typer.Option("--most", help="Move at most so many.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be moved.")] = False,
) -> int:
    """Move what is old from the short to the long tier now, with numbers of your own."""
    try:
        hours = span(after) / timedelta(hours=1) if after else None
    except ValueError as error:
        raise InvalidInput(f"--after: {error}") from error
    with space(place, existing=True) as mine:
        report = mine.age(hours, most, dry=dry_run)
    if place.as_json:
        emit(report.to_json())
    else:
        show_reports([report])
        for step in report.steps if dry_run else ():
            say(f"  {one_line(step)}", "dim")
        if dry_run:
            note("(a dry run: nothing was moved)")
    return REFUSED if report.status == "failed" else OK


@command(LOOKING, "recollect forgetting --preset fading, or: recollect forgetting ID")
def forgetting(
    place: Place,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="One memory: how it fades, and when it goes.")] = "",
    weeks: Annotated[int, typer.Option("--weeks", "-w", help="Look so many weeks ahead.")] = 12,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Name at most so many, the first to go.")] = 20,
    preset: Annotated[
        str, typer.Option("--preset", help=f"As if this were set: {', '.join(PRESETS)}; what is set by default.")
    ] = "",
) -> None:
    """Show what would be forgotten, expire or be purged, and when, if nobody uses it until then, by each preset."""
    with space(place, existing=True) as mine:
        found = mine.forgetting(weeks, memory_id, preset)
    if place.as_json:
        emit(found)
    elif memory_id:
        _one(found)
    else:
        _all(found, limit)


def _all(found: Forecast, limit: int) -> None:
    _by_preset(found)
    if not found.fates:
        note(f"nothing goes in the next {len(found.weeks)} weeks ({found.preset})")
        return
    heads = ("memory", "kind", "importance", "now", "confidence", "last use (UTC)", "goes (UTC)", "by")
    show_table(heads, [_row(fate) for fate in found.fates[:limit]])
    if len(found.fates) > limit:
        note(f"({len(found.fates) - limit:,} more: all of them with --json or --limit)")
    say("")
    longest = max(found.weeks)
    for number, many in enumerate(found.weeks):
        day = (found.now + number * WEEK).strftime(DAY)
        say(Text.assemble((f"week of {day}  ", "dim"), (_bar(many / longest), "cyan"), f" {many:,}"))


_WHAT = {
    "lasting": "time takes nothing away",
    "fading": "facts nobody used until they became doubtful",
    "expiring": "what matters little and was not used for long",
}


def _by_preset(found: Forecast) -> None:
    """Say how many would go by each preset, the one that was looked at marked."""
    chosen = [one.strip() for one in found.preset.split("+")]
    rows = [("→" if name in chosen else "", name, f"{many:,}", _WHAT[name]) for name, many in found.presets.items()]
    show_table(("", "preset", f"goes in {len(found.weeks)} weeks", "what"), rows)
    say("")


def _row(fate: Fate) -> tuple[str, ...]:
    given = "–" if fate.importance is None else str(fate.importance)
    return (
        fate.id, fate.kind, given, str(fate.importance_now), f"{fate.confidence_now:.2f}", when(fate.last_use),
        when(fate.goes_at), fate.job,
    )  # fmt: skip


def _one(found: Forecast) -> None:
    (fate,) = found.fates
    words = {"forget": "is forgotten", "ttl": "expires", "purge": "is purged for good"}
    if fate.goes_at is None:
        say(f"{fate.id} stays: {one_line(fate.kept)}")
    else:
        say(f"{fate.id} {words[fate.job]} on {when(fate.goes_at)} UTC unless it is used or restored before")
    for point in found.curve:
        bar = (_bar(point.confidence), "cyan")
        weight = f" confidence {point.confidence:.2f}, importance {point.importance}"
        say(Text.assemble((f"{point.at.strftime(DAY)}  ", "dim"), bar, weight))


def _bar(share: float) -> str:
    filled = round(WIDE * share)
    return "█" * (filled or int(share > 0)) + "░" * (WIDE - (filled or int(share > 0)))


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
            return _moved_out(place, mine, dry=dry)
        if action is ArchiveAction.restore:
            report = mine.archive.restore(ids or [], file=file, everything=everything)
            emit(report.to_json()) if place.as_json else show_reports([report])
            return OK
        found = mine.archive.verify() if action is ArchiveAction.verify else mine.archive()
    wrong = [one for one in found if one.problem]
    if place.as_json:
        emit({"ok": not wrong, "files": found})
    else:
        _show_files(found)
        if action is ArchiveAction.verify and found and not wrong:
            note("every file was read and agrees with the memories")
    return ABSENT if wrong else OK


def _moved_out(place: Place, mine: Space, *, dry: bool) -> int:
    reports = mine.archive.run(dry=dry)
    if place.as_json:
        emit([one.to_json() for one in reports])
    else:
        show_reports(reports, steps=dry)
        if dry:
            note("(a dry run: nothing was moved)")
    return REFUSED if any(one.status == "failed" for one in reports) else OK


def _show_files(found: Sequence[ArchiveFile]) -> None:
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
