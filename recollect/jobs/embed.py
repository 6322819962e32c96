"""Embedding: memories that have no vector yet get one, so that they are found by meaning."""

from __future__ import annotations

from recollect.flows.meaning import text_of
from recollect.jobs.registry import job
from recollect.model.change import Embed, Leased, Seal, Write
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.providers.embedders import Embedder
from recollect.rules.vectors import packed
from recollect.runtime import Runtime

BATCH = 128


@job("embed")
def embed(runtime: Runtime, this: Job) -> Report:
    """Give every memory without a vector one, by the model that serves its owner."""
    with runtime.store.view() as view:
        model = view.counters(this.owner).model or runtime.model
    embedder = runtime.embedder(model) if runtime.model else None
    if embedder is None:
        reason = f"no embedder is set, or {model} cannot be asked" if model else "no embedder is set"
        return Report(job="embed", owner=this.owner, status="skipped", skipped=reason, text=f"Skipped: {reason}.")
    made, problem = fill(runtime, this, embedder)
    text = f"Embedded {made} memories with {embedder.name}."
    if problem:
        return Report(job="embed", owner=this.owner, status="failed", changed=made, text=f"{text} {problem}")
    return Report(job="embed", owner=this.owner, changed=made, text=text)


def fill(runtime: Runtime, this: Job, embedder: Embedder) -> tuple[int, str]:
    """Embed what has no vector of this model, in batches that are each kept at once; say how many and what failed."""
    after, made, problem = 0, 0, ""
    while True:
        with runtime.store.view() as view:
            waiting = view.pending(this.owner, embedder.name, after, BATCH)
            memories = view.get(this.owner, [id for _, id in waiting])
        if not waiting:
            break
        answer = embedder.embed([text_of(memory) for memory in memories])
        pairs = zip(memories, answer.vectors, strict=True)
        vectors = tuple((memory.id, packed(vector)) for memory, vector in pairs if vector is not None)
        if vectors:
            _write(runtime, this, embedder.name, vectors)
        made += len(vectors)
        after = waiting[-1][0]
        if answer.problem:
            problem = answer.problem
            if not vectors:
                break  # the endpoint is gone: what is left waits for the next run
    return made, problem


def _write(runtime: Runtime, this: Job, model: str, vectors: tuple[tuple[str, bytes], ...]) -> None:
    held = (Leased(this.name, this.key, this.lease_token),)
    changes = (Embed(model, vectors), *((Seal(model),) if runtime.store.segmented else ()))
    runtime.store.commit(Write(owner=this.owner, at=runtime.now(), node="embed", changes=changes, expect=held))
