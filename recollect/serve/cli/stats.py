"""What happened: searches, verdicts, skips, failures and changes, counted over the days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.flows.admin.activity import BY, DAYS, added
from recollect.model.event import USUAL, Activity
from recollect.runtime import system_clock
from recollect.serve.cli.frame import LOOKING, command
from recollect.serve.cli.options import Place, opened, space_of, time_given
from recollect.serve.cli.render import BAR, emit, note, show_table
from recollect.serve.cli.transfer import progress

NAMED = ("node", "op", "status")
STEPS = "·▁▂▃▄▅▆▇█"
MOST_STEPS = 60


@command(LOOKING, 'recollect stats --since "7 days ago", or: recollect stats --all --by owner')
def stats(
    place: Place,
    since: Annotated[str, typer.Option("--since", metavar="TIME", help=f"From this day on; else {DAYS} days.")] = "",
    by: Annotated[
        list[str] | None, typer.Option("--by", help=f"Count by {', '.join(BY)}; may be given several times.")
    ] = None,
    everyone: Annotated[bool, typer.Option("--all", help="All users and tenants, not one user.")] = False,
) -> None:
    """Count searches, verdicts, skips, failures and changes, by day, node, op and status."""
    if everyone and (place.user is not None or place.tenant is not None):
        raise InvalidInput("--all is everybody: leave --user and --tenant out")
    start = time_given("--since", since) if since else system_clock() - timedelta(days=DAYS)
    wanted = tuple(by or USUAL)
    with opened(place, existing=True) as memory, progress("counting", lambda: len(memory.owners())) as tick:
        mine = space_of(memory, place)
        found = memory.activity(start, wanted, tick) if everyone else mine.activity(start, wanted)
    if place.as_json:
        emit({"since": start.date().isoformat(), "by": wanted, "lines": found})
    elif not found:
        note("nothing happened")
    elif by:
        _show(found, wanted)
    else:
        _show_days(found, start)


def _show(found: Sequence[Activity], by: Sequence[str]) -> None:
    """Print a line for each group, with a bar for its share of the largest."""
    most = max(one.count for one in found)
    rows = [(*(getattr(one, name) for name in by), *_numbers(one), _bar(one.count, most)) for one in found]
    show_table((*by, "count", "similarity", ""), rows)


def _show_days(found: Sequence[Activity], start: datetime) -> None:
    """Print a line for each node, op and status, with what the days brought as a row of small bars."""
    first, last = start.date(), max(date.fromisoformat(one.day) for one in found)
    days = [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)][-MOST_STEPS:]
    lines = added(found, NAMED)
    most = max(one.count for one in lines)
    rows = []
    for one in lines:
        names = tuple(getattr(one, name) for name in NAMED)
        of_day = {each.day: each.count for each in found if tuple(getattr(each, name) for name in NAMED) == names}
        rows.append((*names, *_numbers(one), _bar(one.count, most), _steps([of_day.get(day, 0) for day in days])))
    show_table((*NAMED, "count", "similarity", "", f"{days[0]} to {days[-1]}"), rows)


def _numbers(one: Activity) -> tuple[str, str]:
    return f"{one.count:,}", "" if one.sim is None else f"{one.sim:.2f}"


def _bar(count: int, most: int) -> str:
    filled = max(1, round(BAR * count / most))
    return "█" * filled + "░" * (BAR - filled)


def _steps(counts: Sequence[int]) -> str:
    """Draw counts as steps; what happened at all is seen."""
    most = max(counts) or 1
    return "".join(STEPS[max(1, round(8 * one / most)) if one else 0] for one in counts)
