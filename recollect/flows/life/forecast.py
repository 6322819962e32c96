"""Looking ahead: what will be forgotten, expire or be purged, and when, if nobody uses it until then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.errors import InvalidInput
from recollect.flows.find.browse import get
from recollect.flows.life.crossings import life_of, standing
from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.forecast import Fate, Forecast, Point
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.rules.life.lifecycle import MS, Life
from recollect.rules.life.retention import PRESETS, problem, takers
from recollect.rules.life.salience import WEEK, effective_confidence, effective_importance, last_use
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime

POINTS = 20
"""Into how many steps the curve of one memory is cut."""


def forgetting(runtime: Runtime, scope: Scope, weeks: int, preset: str = "") -> Forecast:
    """Give what goes within so many weeks, the first to go first, how many in each, and how many by each preset."""
    runtime.store.flush()
    now, life = runtime.now(), _life(runtime, preset)
    end = now + weeks * WEEK
    lives = {name: _life(runtime, name) for name in PRESETS} | {life.retention.preset: life}
    told: dict[str, list[Fate]] = {name: [] for name in lives}
    for memory in _all(runtime, scope, life):
        for name, one in lives.items():
            fated = _fate(runtime, one, memory)
            if fated.goes_at is not None and fated.goes_at < end:
                told[name].append(fated)
    fates = sorted(told[life.retention.preset], key=lambda one: (one.goes_at or end, one.id))
    counts = [0] * weeks
    for each in fates:
        assert each.goes_at is not None
        counts[max(0, (each.goes_at - now) // WEEK)] += 1
    many = {name: len(told[name]) for name in PRESETS}
    return Forecast(now, tuple(counts), tuple(fates), preset=life.retention.preset, presets=many)


def _life(runtime: Runtime, preset: str) -> Life:
    """Give the rules memories live by here, or would under another preset."""
    life = life_of(runtime)
    if not preset:
        return life
    chosen = replace(life.retention, preset=preset)
    if wrong := problem(chosen, runtime.settings.categories.names):
        raise InvalidInput(wrong.removeprefix("retention."))
    return replace(life, retention=chosen)


def fate(runtime: Runtime, scope: Scope, memory_id: str, weeks: int, preset: str = "") -> Forecast:
    """Give what will become of one memory, and how it fades until then."""
    runtime.store.flush()
    memory, life, now = get(runtime, scope, memory_id), _life(runtime, preset), runtime.now()
    found = _fate(runtime, life, memory)
    end = found.goes_at or now + weeks * WEEK
    counts = [0] * weeks
    if found.goes_at is not None and found.goes_at < now + weeks * WEEK:
        counts[max(0, (found.goes_at - now) // WEEK)] = 1
    step = max(timedelta(0), end - now) / POINTS
    moments = [now + n * step for n in range(POINTS + 1)] if memory.state == "active" else []
    many = {name: int(_fate(runtime, _life(runtime, name), memory).goes_at is not None) for name in PRESETS}
    curve = tuple(_point(life, memory, moment) for moment in moments)
    return Forecast(now, tuple(counts), (found,), curve, life.retention.preset, many)


def _all(runtime: Runtime, scope: Scope, life: Life) -> Iterator[Memory]:
    deleted = Filter(owner=scope.owner, now=EPOCH, states=("deleted",), kinds=tuple(KINDS))
    with runtime.store.view() as view:
        for where in (standing(scope.owner, life.mortal), deleted):
            yield from view.lives(where)


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
    if not (life.kept(memory) or takers(life.retention)):
        return f"the preset {life.retention.preset} lets time take nothing away"
    return life.kept(memory) or f"importance {memory.importance} is enough, and a {memory.kind} is not forgotten"


def _point(life: Life, memory: Memory, moment: datetime) -> Point:
    weight, sure = (
        effective_importance(memory, moment, life.salience),
        effective_confidence(memory, moment, life.salience),
    )
    return Point(moment, weight, round(sure, 4))
