"""Trimming: events, calls of models and journal lines that were kept long enough are cut."""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.jobs.registry import planned
from recollect.model.change import Change, Clear, Trim, Unlog
from recollect.model.clock import from_ms
from recollect.model.event import Old
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime
from recollect.store.base import Administration

MOST = 2000
"""How many events, calls and journal lines, of each, one run cuts: it is over in a moment, and the next goes on."""


@planned("trim")
def trim(runtime: Runtime, view: Administration, this: Job) -> Plan:
    """Cut events, calls of models, and journal lines of no living memory, when they were kept long enough."""
    policy, now = runtime.settings.record, runtime.now()
    since = now - timedelta(days=policy.events_days)
    before = now - timedelta(days=policy.journal_days)
    events = view.old_events(this.owner, since, MOST)
    calls = view.old_calls(this.owner, now - timedelta(days=policy.calls_days), MOST)
    lines = view.old_lines(this.owner, before, MOST, _place(this)) if policy.journal_days else Old()
    changes: list[Change] = [Clear(from_ms(events.upto))] if events.count else []
    changes += [Unlog(from_ms(calls.upto))] if calls.count else []
    changes += [Trim(lines.upto, before)] if lines.count else []
    counted = {"events": events.count, "lines": lines.count} | ({"calls": calls.count} if calls.count else {})
    report = Report(
        job="trim",
        owner=this.owner,
        changed=sum(counted.values()),
        text=f"Cut {events.count} events{_told(calls)} and {lines.count} journal lines; this cannot be undone.",
        numbers=counted | ({"upto": lines.upto} if lines.more else {}),
        steps=_steps(runtime, events, calls, lines),
        again=_again(runtime, this.owner, events, calls, lines),
    )
    return Plan(report, tuple(changes))


def _place(this: Job) -> int:
    """Give the revision up to which the run before this one has looked, where it left more to be cut."""
    before = this.last_report or {}
    return int(before.get("numbers", {}).get("upto", 0)) if before.get("status") == "ok" else 0


def _told(calls: Old) -> str:
    return f", {calls.count} calls of models" if calls.count else ""


def _steps(runtime: Runtime, events: Old, calls: Old, lines: Old) -> tuple[str, ...]:
    policy = runtime.settings.record
    told = [f"cut {events.count} events: older than {policy.events_days} days"] if events.count else []
    if calls.count:
        told.append(f"cut {calls.count} calls of models: older than {policy.calls_days} days")
    if lines.count:
        kept = f"of no living memory, older than {policy.journal_days} days"
        told.append(f"cut {lines.count} journal lines up to revision {lines.upto}: {kept}")
    return tuple(told)


def _again(runtime: Runtime, owner: str, events: Old, calls: Old, lines: Old) -> datetime | None:
    """Give when the next of any is old enough; None when there is no other."""
    policy, settings = runtime.settings.record, runtime.settings.jobs
    if events.more or calls.more or lines.more:
        return runtime.now()
    kept = ((events, policy.events_days), (calls, policy.calls_days), (lines, policy.journal_days))
    moments = [from_ms(old.next_at) + timedelta(days=days) for old, days in kept if old.next_at is not None]
    return next_time(owner, "trim", min(moments), settings) if moments else None
