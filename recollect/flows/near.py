"""Neighbours in meaning: what a new memory is related to, and whether one already says it."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.flows.meaning import Vectors
from recollect.model.change import Connect
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.rules.vectors import unpacked
from recollect.runtime import Runtime
from recollect.store.base import View

MOST = 5
RELATED_KINDS = tuple(kind for kind in KINDS if kind not in ("episode", "block"))
Near = tuple[Memory, float]


def neighbours(runtime: Runtime, view: View, memory: Memory, vectors: Vectors) -> list[Near]:
    """Give the memories nearest in meaning to a new one, with their similarity, best first."""
    model = view.counters(memory.owner).model
    if not model or model != vectors.model or memory.kind not in RELATED_KINDS:
        return []
    vector = vectors.of(memory)
    if not vector:
        return []
    where = Filter(owner=memory.owner, now=memory.created_at, kinds=RELATED_KINDS)
    near = view.nearest(where, model, unpacked([vector])[0], MOST)
    found = view.documents(memory.owner, [doc for doc, _ in near])
    return [(found[doc], similarity) for doc, similarity in near if doc in found]


def links(runtime: Runtime, memory: Memory, near: Sequence[Near]) -> tuple[Connect, ...]:
    """Give the links of a memory to its neighbours, as strong as they are similar."""
    least = runtime.link_min
    return tuple(
        Connect(memory.id, other.id, "related_to", round(min(similarity, 1.0), 4))
        for other, similarity in near
        if similarity >= least and other.id != memory.id
    )
