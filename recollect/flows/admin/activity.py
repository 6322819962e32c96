"""What happened, counted: searches, verdicts, skips, failures and changes, by day and by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.clock import checked_time
from recollect.model.event import Activity
from recollect.rules.gate import checks
from recollect.runtime import Runtime

BY: tuple[str, ...] = ("day", "owner", "node", "op", "status", "category")
DAYS = 30
MOST_DAYS = 400
SYSTEM = ""
"""Whose events belong to the whole database."""


def activity(
    runtime: Runtime,
    owner: str | None,
    since: datetime | None,
    by: Sequence[str],
    progress: Callable[[int], None],
) -> list[Activity]:
    """Count from a day on, of one owner or of all, one after the other; grouped by what is named."""
    chosen = checks.several("by", by, BY)
    now = runtime.now()
    start = now - timedelta(days=DAYS) if since is None else checked_time("since", since)
    first = datetime.combine(start.date(), time(), start.tzinfo)
    many = max((now - first).days + 1, 1) if "day" in chosen else 1
    if many > MOST_DAYS:
        raise InvalidInput(
            f"since is {many:,} days ago: at most {MOST_DAYS} can be told day by day; leave day out of by"
        )
    days = [first + timedelta(days=number) for number in range(many)]
    runtime.store.flush()
    with runtime.store.view() as view:
        owners = [owner] if owner is not None else [SYSTEM, *view.owners()]
        total: list[Activity] = []
        for number, one in enumerate(owners, 1):  # what is known of each is added at once: there may be a million
            total = added((*total, *view.activity(one, days)), chosen)
            progress(number)
        return total


def added(lines: Iterable[Activity], by: Sequence[str]) -> list[Activity]:
    """Add up lines that agree in what is named, in its order."""
    groups: dict[tuple[str, ...], tuple[int, float, int]] = {}
    for line in lines:
        key = tuple(getattr(line, name) for name in by)
        count, near, compared = groups.get(key, (0, 0.0, 0))
        groups[key] = (count + line.count, near + (line.sim or 0.0) * line.compared, compared + line.compared)
    named: list[tuple[dict[str, Any], tuple[int, float, int]]] = [
        (dict(zip(by, key, strict=True)), sums) for key, sums in sorted(groups.items())
    ]
    return [
        Activity(count, sim=round(near / compared, 4) if compared else None, compared=compared, **names)
        for names, (count, near, compared) in named
    ]
