"""Embedding: memories that have no vector yet get one, so that they are found by meaning, and what that shows."""

from __future__ import annotations

from dataclasses import replace

from recollect.errors import Conflict
from recollect.flows.find.meaning import BATCH, Batch, batches, keeping, made
from recollect.flows.find.neighbours import Joined, joined
from recollect.flows.learn.classes import classed
from recollect.jobs.registry import job
from recollect.model.change import Write
from recollect.model.expectation import Leased, Version
from recollect.model.job import Job
from recollect.model.memory import Memory
from recollect.model.receipt import Report
from recollect.model.values import dataclass
from recollect.providers.embedders import Embedder
from recollect.runtime import Runtime

TRIES = 3
PAGE = 1000
MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Filled:
    """What a run did: vectors and links made, memories found to repeat others, and what failed."""

    made: int = 0
    links: int = 0
    twins: tuple[tuple[str, str], ...] = ()
    problem: str = ""
    left: bool = False
    """Whether the worker was asked to stop before the end."""


def preview(runtime: Runtime, this: Job) -> Report:
    """Count the memories without a vector; what is near them shows only when they have one."""
    embedder = _serving(runtime, this)
    if isinstance(embedder, Report):
        return embedder
    many = after = 0
    with runtime.store.view() as view:
        while waiting := view.pending(this.owner, embedder.name, after, PAGE):
            many, after = many + len(waiting), waiting[-1][0]
    text = f"Would embed {many} memories with {embedder.name}, and link them to what is near."
    return Report(job="embed", owner=this.owner, changed=many, text=text)


@job("embed", preview=preview)
def embed(runtime: Runtime, this: Job) -> Report:
    """Give every memory without a vector one, by the model that serves its owner, and link it to its neighbours."""
    embedder = _serving(runtime, this)
    if isinstance(embedder, Report):
        return embedder
    done = fill(runtime, this, embedder)
    many = 0 if done.left else _class(runtime, this)
    return Report(
        job="embed",
        status="failed" if done.problem else "ok",
        owner=this.owner,
        changed=done.made,
        text=_told(embedder.name, done) + (f" Gave {many} facts their class." if many else ""),
        numbers={"links": done.links, "repeated": len(done.twins), "classed": many},
        again=runtime.now() if done.left else None,
    )


def _class(runtime: Runtime, this: Job) -> int:
    """Give facts that were saved by hand their class, in one commit; who changes one meanwhile is left for later."""
    with runtime.store.view() as view:
        changes = classed(runtime, view, this.owner)
        known = view.get(this.owner, [one.id for one in changes])
    if not changes:
        return 0
    same = tuple(Version(one.id, one.version) for one in known)
    held = Leased(this.name, this.key, this.lease_token)
    write = Write(
        owner=this.owner, at=runtime.now(), node="embed", changes=tuple(changes), expect=(held, *same), actor="embed",
        run=this.lease_token,
    )  # fmt: skip
    try:
        runtime.store.commit(write)
    except Conflict:
        return 0
    return len(changes)


def _serving(runtime: Runtime, this: Job) -> Embedder | Report:
    """Give the embedder whose vectors serve the owner, or the report that says why it cannot be asked."""
    with runtime.store.view() as view:
        model = view.counters(this.owner).model or runtime.model
    embedder = runtime.embedder(model) if runtime.model else None
    if embedder is not None:
        return embedder
    reason = f"no embedder is set, or {model} cannot be asked" if model else "no embedder is set"
    return Report(job="embed", owner=this.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}.")


def _told(model: str, done: Filled) -> str:
    parts = [f"Embedded {done.made} memories with {model}."]
    if done.links:
        parts.append(f"Linked them {done.links} times to what is near.")
    if done.twins:
        named = ", ".join(f"{one} ({other})" for one, other in done.twins[:MOST_NAMED])
        more = f" and {len(done.twins) - MOST_NAMED} more" if len(done.twins) > MOST_NAMED else ""
        parts.append(f"Found only now to say what another says already, and left as they are: {named}{more}.")
    if done.left:
        parts.append("The worker was asked to stop: the next run goes on.")
    return " ".join((*parts, done.problem)).strip()


def fill(runtime: Runtime, this: Job, embedder: Embedder) -> Filled:
    """Embed what has no vector of this model, in batches that are each kept at once."""
    done = Filled()
    for batch in batches(runtime, this.owner, embedder):
        found = _keep(runtime, this, embedder, batch) if batch.vectors else Joined()
        done = Filled(
            done.made + len(batch.vectors),
            done.links + len(found.links),
            (*done.twins, *found.twins),
            batch.problem or done.problem,
        )
        if runtime.stopping() and len(batch.memories) == BATCH:
            return replace(done, left=True)
        if batch.problem and not batch.vectors:
            break  # the endpoint is gone: what is left waits for the next run
    return done


def _keep(runtime: Runtime, this: Job, embedder: Embedder, batch: Batch) -> Joined:
    """Write vectors and links in one commit; when a neighbour changed meanwhile, look again without asking again, and
    when the message before one did, make its vector anew."""
    for _ in range(TRIES):
        with runtime.store.view() as view:
            found = joined(view, embedder, batch, runtime.now(), runtime.reader)
        try:
            _write(runtime, this, embedder.name, batch, found)
        except Conflict:
            batch = _anew(runtime, this.owner, embedder, batch)
            continue
        return found
    _write(runtime, this, embedder.name, batch, Joined())
    return Joined()


def _anew(runtime: Runtime, owner: str, embedder: Embedder, batch: Batch) -> Batch:
    """Make the vectors of messages anew whose message before is another by now, or changed."""
    if not embedder.context:
        return batch
    with runtime.store.view() as view:
        before = view.before(owner, [one.id for one in batch.memories])
    old = [one for one in batch.memories if _stamp(before.get(one.id)) != _stamp(batch.before.get(one.id))]
    if not old:
        return batch
    fresh, ids = made(embedder, old, before), {one.id for one in old}
    kept = tuple(pair for pair in batch.vectors if pair[0] not in ids)
    return Batch(batch.memories, before, (*kept, *fresh.vectors), fresh.problem or batch.problem)


def _stamp(memory: Memory | None) -> tuple[str, int]:
    return ("", 0) if memory is None else (memory.id, memory.version)


def _write(runtime: Runtime, this: Job, model: str, batch: Batch, found: Joined) -> None:
    done = dict(batch.vectors)
    read = {one.id: Version(one.id, one.version) for id, one in batch.before.items() if id in done}
    runtime.store.commit(
        Write(
            owner=this.owner,
            at=runtime.now(),
            node="embed",
            changes=(*keeping(runtime, model, batch.vectors), *found.links),
            expect=(Leased(this.name, this.key, this.lease_token), *found.expect, *read.values()),
            actor="embed" if found.links else "",
            run=this.lease_token,
        )
    )
