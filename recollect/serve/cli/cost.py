"""What asking models has cost, by day and role; and what they were asked, where that is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.flows.asking import total
from recollect.model.asking import Call, Spending, Usage
from recollect.model.values import plain
from recollect.runtime import system_clock
from recollect.serve.cli.frame import LOOKING, command
from recollect.serve.cli.options import Place, space, time_given
from recollect.serve.cli.render import emit, note, say, show_receipt, show_table, when

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


@command(LOOKING, "recollect calls --user ana")
def calls(
    place: Place,
    call_id: Annotated[str, typer.Argument(metavar="[ID]", help="Show this call whole.")] = "",
    session: Annotated[str, typer.Option("--of", metavar="SESSION", help="Those of one conversation.")] = "",
    limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 20,
    cursor: Annotated[str, typer.Option("--cursor", help="Go on where a list has ended.")] = "",
    erase: Annotated[bool, typer.Option("--erase", help="Erase the log for good.")] = False,
) -> int:
    """Show what models were asked and what they answered, where `record.calls` keeps it; or erase it."""
    if erase and call_id:
        raise InvalidInput("--erase takes the whole log: leave the id out")
    with space(place, existing=True) as mine:
        if erase:
            return show_receipt(mine.calls.erase(), place.as_json)
        found = mine.calls.get(call_id) if call_id else mine.calls(session, limit, cursor)
    if place.as_json:
        emit(found)
    elif isinstance(found, Call):
        _show_call(found)
    else:
        rows = [(one.id, when(one.at), one.role, one.job, one.status, f"{one.usage.tokens:,}") for one in found.calls]
        if rows:
            show_table(("call", "time", "role", "job", "status", "tokens"), rows)
        if not found.kept:
            note("these were kept before, new calls are not" if rows else "calls are not kept")
            note("set record.calls = true to keep what models are asked from now on")
        if found.next:
            note(f"more: --cursor {found.next}")
    return 0


def _show_call(call: Call) -> None:
    """Print a call with its texts; they are data, whatever they say."""
    say(f"{when(call.at)} {call.role} {call.name} {call.model} {call.status} in {call.milliseconds:,} ms", "bold")
    for title, text in (
        ("Instructions", call.instructions),
        ("Shown", call.data),
        ("Answer", call.answer),
        ("Why not", call.reason),
    ):
        if text:
            say(f"-- {title}", "dim")
            say(text)


def _numbers(usage: Usage) -> tuple[str, ...]:
    return f"{usage.calls:,}", f"{usage.tokens_in:,}", f"{usage.tokens_out:,}", f"{usage.money / 1_000_000:.4f}"


def _flat(line: Spending) -> dict[str, object]:
    told: dict[str, object] = plain(line)
    return {**{name: value for name, value in told.items() if name != "usage"}, **plain(line.usage)}
