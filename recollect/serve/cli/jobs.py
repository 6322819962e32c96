"""The jobs: what waits and how it stands, running and rehearsing, pausing, trying again, undoing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from recollect.errors import InvalidInput, NotFound
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.jobs.registry import tasks
from recollect.model.hit import Entry
from recollect.model.job import Job
from recollect.model.owner import split_owner
from recollect.rules.life.schedule import TIMED, turned_off
from recollect.serve.cli.exits import OK, REFUSED
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Place, opened, space_of
from recollect.serve.cli.render import emit, note, one_line, say, show_reports, show_table, when

_STYLES = {"running": "cyan", "due": "green", "waiting": "", "paused": "yellow", "dead": "red"}


class JobsAction(StrEnum):
    """What to do with the jobs."""

    list = "list"
    show = "show"
    run = "run"
    pause = "pause"
    resume = "resume"
    retry = "retry"
    undo = "undo"


Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME", help="Jobs; for `run` those to run at once, due or not; for `undo` one run."),
]


@command(CARING, "recollect jobs run age --dry-run, or: recollect jobs undo run_1f…, or: recollect jobs pause forget")
def jobs(
    place: Place,
    action: Annotated[
        JobsAction,
        typer.Argument(
            help="list what waits; show one job with its last report and its runs; run what is due, or the named, of "
            "all users unless --user is given; pause and resume by name, for all; retry what failed too often, of all "
            "users or one; undo the changes of one run."
        ),
    ] = JobsAction.list,
    names: Names = None,
    everyone: Annotated[bool, typer.Option("--all", help="For list: all users, not one.")] = False,
    dry: Annotated[bool, typer.Option("--dry-run", help="For run: only say what would happen.")] = False,
) -> int:
    """Show what will happen later, let it happen now, hold it back, or take it back."""
    if dry and action is not JobsAction.run:
        raise InvalidInput("--dry-run goes with `recollect jobs run`")
    if everyone and action is not JobsAction.list:
        raise InvalidInput("--all goes with `recollect jobs list`; run and retry are for all unless --user names one")
    if everyone and _named(place):
        raise InvalidInput("--all is everybody: leave --user and --tenant out")
    chosen = names or []
    with opened(place, existing=True) as memory:
        if action is JobsAction.list:
            return _list(memory, place, chosen, everyone=everyone)
        if action is JobsAction.run:
            return _run(memory, place, chosen or None, dry=dry)
        return _OTHERS[action](memory, place, chosen)


def _named(place: Place) -> bool:
    return place.user is not None or place.tenant is not None


def _list(memory: Recollect, place: Place, names: Sequence[str], *, everyone: bool) -> int:
    _known(names)
    found = memory.jobs() if everyone else space_of(memory, place).jobs()
    found = [one for one in found if not names or one.name in names]
    if place.as_json:
        emit(found)
        return OK
    heads = (*(("user",) if everyone else ()), "job", "key", "state", "due (UTC)", "attempts", "last run (UTC)")
    if found:
        show_table(heads, [_cells(one, everyone=everyone) for one in found])
    else:
        note("no jobs are waiting")
    if stopped := memory.jobs.pause([]):
        note(f"paused for all users: {', '.join(stopped)}")
    return OK


def _known(names: Sequence[str]) -> None:
    for name in names:
        if name not in tasks():
            raise InvalidInput(f"there is no job {name}: the jobs are {', '.join(tasks())}")


def _cells(job: Job, *, everyone: bool) -> tuple[str, ...]:
    due = "never by itself" if job.state == "dead" else when(job.due_at)
    cells = (job.name, job.key, job.state, due, str(job.attempts), when(job.last_run))
    return (_user(job.owner), *cells) if everyone else cells


def _user(owner: str) -> str:
    tenant, user = split_owner(owner)
    return f"{user} of {tenant}" if tenant else user or "(database)"


def _show(memory: Recollect, place: Place, names: Sequence[str]) -> int:
    """Show the jobs of a name: what it is for, its time, how it stands, what it last reported, and its runs."""
    known = tasks()
    name = _one(names, "one job: recollect jobs show NAME")
    _known([name])
    mine = space_of(memory, place)
    rows = [one for one in (memory.jobs() if known[name].system else mine.jobs()) if one.name == name]
    runs = [one for one in mine.jobs.runs(1000) if one.node == name or (one.meta or {}).get("job") == name][:10]
    cron = getattr(memory.settings.jobs, name) if name in TIMED else ""
    if place.as_json:
        emit({"job": name, "text": known[name].text, "cron": cron, "rows": rows, "runs": runs})
        return OK
    say(f"{name}: {known[name].text}")
    none = "turned off" if name in turned_off(memory.settings.jobs) else "when there is work for it"
    say(f"  time: {cron} ({memory.settings.jobs.timezone})" if cron else f"  time: {none}", "dim")
    if name in memory.jobs.pause([]):
        say("  paused for all users", "yellow")
    for one in rows:
        _row(one)
    if not rows:
        say("  nothing waits", "dim")
    for entry in runs:
        say(f"  {when(entry.at)} {_told(entry)}", "dim")
    return OK


def _row(job: Job) -> None:
    last = job.last_report or {}
    due = "" if job.state == "dead" else f", due {when(job.due_at)}"
    key = f" {job.key}" if job.key else ""
    say(Text.assemble("  ", (job.state, _STYLES[job.state]), f"{key}{due}, {job.attempts} attempts"))
    if last:
        say(f"  {when(job.last_run)} {last.get('status')}: {one_line(str(last.get('text', '')))}")
        for step in last.get("steps", ()):
            say(f"    {one_line(str(step))}", "dim")


def _told(entry: Entry) -> str:
    return f"{entry.memory_id} {'was undone' if entry.op == 'undone' else 'ran'}, revision {entry.rev}"


def _run(memory: Recollect, place: Place, names: list[str] | None, *, dry: bool) -> int:
    owner = space_of(memory, place).owner if _named(place) else ""
    reports = memory.run_jobs(names, dry=dry, owner=owner)
    if place.as_json:
        emit([report.to_json() | ({"dry": True} if dry else {}) for report in reports])
    elif reports:
        if dry:
            say("a dry run: nothing is changed, a run would report this", "yellow")
        show_reports(reports, steps=dry, whose=not owner)
    else:
        note("no jobs were due")
    if not names and not place.as_json:
        _note_open(space_of(memory, place))
    return REFUSED if any(report.status == "failed" for report in reports) else OK


def _note_open(mine: Space) -> None:
    """Say which conversations are left for the night, since they may go on, and how to have one read now."""
    waits = [one for one in mine.jobs() if one.name == "consolidate" and one.state == "waiting" and one.key]
    unread = {one.id for one in mine.sessions() if one.consolidated < one.messages} if waits else set()
    found = [one for one in waits if one.key in unread]
    if found:
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        note(f"{found[0].key}{more} may go on: read after {when(found[0].due_at)} UTC, or now with `recollect end`")


def _pause(memory: Recollect, place: Place, names: Sequence[str]) -> int:
    return _paused(memory.jobs.pause(_some(names, "pause")), place)


def _resume(memory: Recollect, place: Place, names: Sequence[str]) -> int:
    return _paused(memory.jobs.resume(_some(names, "resume")), place)


def _paused(stopped: list[str], place: Place) -> int:
    if place.as_json:
        emit({"paused": stopped})
    else:
        say(f"paused for all users: {', '.join(stopped)}" if stopped else "nothing is paused")
    return OK


def _retry(memory: Recollect, place: Place, names: Sequence[str]) -> int:
    owner = space_of(memory, place).owner if _named(place) else ""
    again = memory.jobs.retry(names, owner=owner)
    if place.as_json:
        emit(again)
    elif again:
        for one in again:
            say(f"due again: {one.name} {one.key} of {_user(one.owner)}")
    else:
        note("no job lies aside")
    return OK


def _undo(memory: Recollect, place: Place, names: Sequence[str]) -> int:
    run = _one(names, "one run: recollect jobs undo RUN; `recollect jobs show NAME` lists them")
    try:
        report = space_of(memory, place).jobs.undo(run)
    except NotFound as error:
        raise NotFound(f"{error}; say whose it is with --user") from error
    if place.as_json:
        emit(report.to_json())
    else:
        show_reports([report], steps=True)
    return OK if report.status == "ok" else REFUSED


def _one(names: Sequence[str], what: str) -> str:
    if len(names) != 1:
        raise InvalidInput(f"name {what}")
    return names[0]


def _some(names: Sequence[str], verb: str) -> list[str]:
    if not names:
        raise InvalidInput(f"name the jobs to {verb}: recollect jobs {verb} NAME")
    return list(names)


_OTHERS: dict[JobsAction, Callable[[Recollect, Place, Sequence[str]], int]] = {
    JobsAction.show: _show,
    JobsAction.pause: _pause,
    JobsAction.resume: _resume,
    JobsAction.retry: _retry,
    JobsAction.undo: _undo,
}
