"""What asking models has cost, by day and role."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from recollect.flows.asking import total
from recollect.model.asking import Spending, Usage
from recollect.model.values import plain
from recollect.runtime import system_clock
from recollect.serve.cli.frame import LOOKING, command
from recollect.serve.cli.options import Place, space, time_given
from recollect.serve.cli.render import emit, note, show_table

DAYS = 30


@command(LOOKING, 'recollect cost --since "7 days ago" --user ana')
def cost(
    place: Place,
    since: Annotated[str, typer.Option("--since", metavar="TIME", help=f"From this day on; else {DAYS} days.")] = "",
) -> None:
    """Show what asking models has cost, by day and role."""
    start = time_given("--since", since) if since else system_clock() - timedelta(days=DAYS)
    with space(place, existing=True) as mine:
        lines = mine.cost(start.date())
    if place.as_json:
        emit({"since": start.date().isoformat(), "total": total(lines), "lines": [_flat(line) for line in lines]})
        return
    if not lines:
        note("no model was asked")
        return
    groups: dict[tuple[str, str], list[Spending]] = {}
    for line in lines:
        groups.setdefault((line.day, line.role), []).append(line)
    rows = [(*group, *_numbers(total(several))) for group, several in groups.items()]
    everything = total(lines)
    rows.append(("all", "", *_numbers(everything)))
    show_table(("day (UTC)", "role", "calls", "tokens read", "tokens written", "US dollars"), rows)
    if everything.unpriced:
        note(f"(the price of {everything.unpriced:,} of {everything.calls:,} calls is not known)")


def _numbers(usage: Usage) -> tuple[str, ...]:
    return f"{usage.calls:,}", f"{usage.tokens_in:,}", f"{usage.tokens_out:,}", f"{usage.money / 1_000_000:.4f}"


def _flat(line: Spending) -> dict[str, object]:
    told: dict[str, object] = plain(line)
    return {**{name: value for name, value in told.items() if name != "usage"}, **plain(line.usage)}
