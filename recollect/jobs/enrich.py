"""Enrichment: memories that name little are read again by those who know people, places and things."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.flows.people.enrich import Reread, reread, told, unions, waiting
from recollect.flows.people.naming import MISSING, readers
from recollect.jobs.registry import job
from recollect.model.change import Change, Name, Unite, Write
from recollect.model.expectation import Leased
from recollect.model.job import Job
from recollect.model.memory import Memory
from recollect.model.receipt import Report
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime

KEPT = 500
"""How many texts are read ahead of a dry run: no more than the reader keeps the answers of."""


def preview(runtime: Runtime, this: Job) -> Report | None:
    """Say how many memories a model would be asked about; without one, what it would do can be rehearsed."""
    by = readers(runtime)
    if "llm" not in by:
        return None
    with runtime.store.view() as view:
        memories = waiting(runtime, view, this.owner).memories
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
    place = _place(this)
    with runtime.store.view() as view:
        found = waiting(runtime, view, this.owner, place)
        if place and not found.memories:
            place, found = 0, waiting(runtime, view, this.owner)
    memories = found.memories
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
    again = later or (now if found.more or (place and _above(runtime, this.owner)) else None)
    numbers = {"named": done.named, "unread": done.unread}
    return Report(
        job="enrich",
        owner=this.owner,
        changed=len(done.changes),
        text=_told(done, united, by),
        numbers={**numbers, "below": found.below} if found.more and not later else numbers,
        steps=(*done.steps, *told(united)),
        again=again,
    )


def _place(this: Job) -> int:
    """Give the document below which the run before this one has not looked; 0 where it left nothing."""
    before = this.last_report or {}
    return int(before.get("numbers", {}).get("below", 0)) if before.get("status") == "ok" else 0


def _above(runtime: Runtime, owner: str) -> bool:
    """Tell whether something came while there was more to read: it stands above all that was looked at."""
    with runtime.store.view() as view:
        return bool(waiting(runtime, view, owner).memories)


def ready(runtime: Runtime, owners: Sequence[str]) -> None:
    """Read what a dry run will read before it begins: it keeps others from writing, and finds the answers kept."""
    if "spacy" not in readers(runtime) or "llm" in readers(runtime):
        return
    left = KEPT
    for owner in owners:
        with runtime.store.view() as view:
            texts = [memory.content for memory in waiting(runtime, view, owner).memories][:left]
        left -= len(texts)
        if texts:
            runtime.finder.find(texts)
        if not left:
            return


def _united(runtime: Runtime, this: Job, memories: list[Memory]) -> list[Name | Unite]:
    """Make one of who is told to be one, each by a look of its own: whom it names may have become another just now."""
    done: list[Name | Unite] = []
    for memory in memories:
        while True:
            with runtime.store.view() as view:
                one = next(unions(runtime, view, this.owner, [memory]), None)
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
