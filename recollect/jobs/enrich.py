"""Enrichment: memories that name little are read again by those who know people, places and things."""

from __future__ import annotations

from recollect.flows.enrich import Reread, reread, told, unions, waiting
from recollect.flows.naming import MISSING, readers
from recollect.jobs.registry import job
from recollect.model.change import Change, Leased, Name, Unite, Write
from recollect.model.job import Job
from recollect.model.memory import Memory
from recollect.model.receipt import Report
from recollect.rules.schedule import next_time
from recollect.runtime import Runtime


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say how many memories a model would be asked about; without one, what it would do can be rehearsed."""
    by = readers(runtime)
    if "llm" not in by:
        return None
    with runtime.store.view() as view:
        memories, _ = waiting(runtime, view, this.owner)
    text = f"Would read {len(memories)} memories again with {' and '.join(by)}."
    return Report(job="enrich", owner=this.owner, changed=len(memories), text=text, steps=_wishes(memories))


def _wishes(memories: list[Memory]) -> tuple[str, ...]:
    return tuple(f"read {memory.id}: it names little" for memory in memories)


@job("enrich", preview=preview)
def enrich(runtime: Runtime, this: Job) -> Report:
    """Read memories that name little again, with spaCy and a model, for people, places and things."""
    by = readers(runtime)
    if not by:
        return _skipped(this)
    with runtime.store.view() as view:
        memories, more = waiting(runtime, view, this.owner)
    if not memories:
        return Report(job="enrich", owner=this.owner, text="There is nothing to read again.")
    done = reread(runtime, this.owner, memories, by)
    if not done.changes:
        reason = "; ".join(done.problems)
        if done.spent:
            return _skipped(this, reason)
        return Report(job="enrich", owner=this.owner, status="failed", text=f"Nothing could be read: {reason}.")
    _write(runtime, this, done.changes)
    read = {change.memory_id for change in done.changes}
    united = _united(runtime, this, [memory for memory in memories if memory.id in read])
    now = runtime.now()
    # Who could not be read must not be asked for again at once.
    later = next_time(this.owner, "enrich", now, runtime.settings.jobs) if done.unread else None
    again = later or (now if more else None)
    return Report(
        job="enrich",
        owner=this.owner,
        changed=len(done.changes),
        text=_told(done, united, by),
        numbers={"named": done.named, "unread": done.unread},
        steps=(*done.steps, *told(united)),
        again=again,
    )


def _united(runtime: Runtime, this: Job, memories: list[Memory]) -> list[Name | Unite]:
    """Make one of who is told to be one, each by a look of its own: whom it names may have become another just now."""
    done: list[Name | Unite] = []
    for memory in memories:
        while True:
            with runtime.store.view() as view:
                one = next(unions(view, this.owner, [memory]), None)
            if one is None or one in done:
                break
            _write(runtime, this, (one,))
            done.append(one)
    return done


def _write(runtime: Runtime, this: Job, changes: tuple[Change, ...]) -> None:
    runtime.store.commit(
        Write(
            owner=this.owner,
            at=runtime.now(),
            node="enrich",
            changes=changes,
            expect=(Leased(this.name, this.key, this.lease_token),),
            actor="enrich",
            run=this.lease_token,
        )
    )


def _told(done: Reread, united: list[Name | Unite], by: tuple[str, ...]) -> str:
    parts = [f"Read {len(done.changes)} memories again with {' and '.join(by)}: they name {done.named}."]
    if united:
        parts.append(f"{len(united)} turned out to be known by another name.")
    if done.unread:
        parts.append(f"{done.unread} could not be read and wait.")
    return " ".join((*parts, *(f"Passed over {problem}." for problem in done.problems)))


def _skipped(this: Job, reason: str = MISSING) -> Report:
    return Report(job="enrich", owner=this.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}.")
