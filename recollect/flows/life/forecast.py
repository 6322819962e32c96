"""Looking ahead: what will be forgotten, expire or be purged, and when, if nobody uses it until then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from recollect.flows.find.browse import get
from recollect.flows.life.crossings import life_of, standing
from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.forecast import Fate, Forecast, Point
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.rules.life.lifecycle import MS, Life
from recollect.rules.life.salience import WEEK, effective_confidence, effective_importance, last_use
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime

POINTS = 20
"""Into how many steps the curve of one memory is cut."""


def forgetting(runtime: Runtime, scope: Scope, weeks: int) -> Forecast:
    """Give what goes within so many weeks, the first to go first, and how many in each."""
    runtime.store.flush()
    now = runtime.now()
    end = now + weeks * WEEK
    fates = [one for one in _all(runtime, scope) if one.goes_at is not None and one.goes_at < end]
    fates.sort(key=lambda one: (one.goes_at or end, one.id))
    counts = [0] * weeks
    for one in fates:
        assert one.goes_at is not None
        counts[max(0, (one.goes_at - now) // WEEK)] += 1
    return Forecast(now, tuple(counts), tuple(fates))


def fate(runtime: Runtime, scope: Scope, memory_id: str, weeks: int) -> Forecast:
    """Give what will become of one memory, and how it fades until then."""
    runtime.store.flush()
    memory, life, now = get(runtime, scope, memory_id), life_of(runtime), runtime.now()
    found = _fate(runtime, life, memory)
    end = found.goes_at or now + weeks * WEEK
    counts = [0] * weeks
    if found.goes_at is not None and found.goes_at < now + weeks * WEEK:
        counts[max(0, (found.goes_at - now) // WEEK)] = 1
    step = max(timedelta(0), end - now) / POINTS
    moments = [now + n * step for n in range(POINTS + 1)] if memory.state == "active" else []
    return Forecast(now, tuple(counts), (found,), tuple(_point(life, memory, moment) for moment in moments))


def _all(runtime: Runtime, scope: Scope) -> Iterator[Fate]:
    life = life_of(runtime)
    deleted = Filter(owner=scope.owner, now=EPOCH, states=("deleted",), kinds=tuple(KINDS))
    with runtime.store.view() as view:
        for where in (standing(scope.owner, life.mortal), deleted):
            for memory in view.lives(where):
                yield _fate(runtime, life, memory)


def _fate(runtime: Runtime, life: Life, memory: Memory) -> Fate:
    at, job = _end(runtime, life, memory)
    kept = "" if at else _kept(life, memory)
    now = _point(life, memory, runtime.now())
    return Fate(
        memory.id, memory.kind, memory.topic, memory.state, memory.importance, now.importance, now.confidence,
        last_use(memory), at, job, kept,
    )  # fmt: skip


def _end(runtime: Runtime, life: Life, memory: Memory) -> tuple[datetime | None, str]:
    """Give when which job reaches a memory: it crosses a line first, and the job comes at its next time."""
    if memory.state == "active":
        lines = {"forget": life.forgotten_at(memory), "ttl": life.expires_at(memory)}
    elif memory.state == "deleted":
        lines = {"purge": memory.purge_at}
    else:
        return None, ""
    reached = [
        (time, job)
        for job, line in lines.items()
        if line and (time := next_time(memory.owner, job, max(line, runtime.now()) - MS, runtime.settings.jobs))
    ]
    return min(reached, default=(None, ""))


def _kept(life: Life, memory: Memory) -> str:
    if memory.state == "deleted":
        return "out of sight, without a date to go for good"
    if memory.state != "active":
        return f"{memory.state}: it stays on record"
    if memory.key and not life.kept(memory):
        return f"it fills the slot {memory.key!r}"
    return life.kept(memory) or f"importance {memory.importance} is enough, and a {memory.kind} is not forgotten"


def _point(life: Life, memory: Memory, moment: datetime) -> Point:
    weight, sure = (
        effective_importance(memory, moment, life.salience),
        effective_confidence(memory, moment, life.salience),
    )
    return Point(moment, weight, round(sure, 4))
