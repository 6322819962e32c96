"""What has crossed a line of its life, and when the next will: one look for a job, or a look ahead for people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.rules.life.lifecycle import MS, Life
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime
from recollect.store.base import Reading

MOST = 500
"""How many memories one run changes: a commit stays short, and the rest follows at once."""

Moment = Callable[[Memory], datetime | None]


@dataclass(frozen=True, slots=True)
class Crossed:
    """What has crossed a line, the longest ago first, how many more have, and when the next one will."""

    due: list[Memory]
    more: int
    later: datetime | None


def life_of(runtime: Runtime) -> Life:
    """Give the rules memories live by here."""
    settings = runtime.settings
    return Life(settings.lifecycle, settings.retention, settings.salience)


def standing(owner: str, kinds: tuple[str, ...]) -> Filter:
    """Give the filter of a job that looks at every active memory of some kinds, even one that has run out."""
    return Filter(owner=owner, now=EPOCH, kinds=kinds)


def crossed(view: Reading, where: Filter, moment: Moment, now: datetime) -> Crossed:
    """Find what has crossed the line that `moment` gives for each memory, and when the next will."""
    due: list[tuple[datetime, str, Memory]] = []
    later: datetime | None = None
    for memory in view.lives(where):
        at = moment(memory)
        if at is None:
            continue
        if at <= now:
            due.append((at, memory.id, memory))
        else:
            later = at if later is None else min(at, later)
    due.sort(key=lambda one: one[:2])
    return Crossed([memory for _, _, memory in due[:MOST]], len(due[MOST:]), later)


def followed(more: int) -> str:
    """Say that one run may move only so many."""
    return f" {more} more follow: a run moves only so many." if more else ""


def again(runtime: Runtime, owner: str, name: str, *, more: bool, later: datetime | None) -> datetime | None:
    """Give when a job must look again: at once if more is left, else at its first time from the next crossing on."""
    if more:
        return runtime.now()
    return None if later is None else next_time(owner, name, later - MS, runtime.settings.jobs)
