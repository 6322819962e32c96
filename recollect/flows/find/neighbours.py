"""Neighbours in meaning: what a new memory is related to, and whether one already says it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.flows.find.meaning import Batch, Vectors
from recollect.model.change import Connect
from recollect.model.expectation import Version
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import seen_from
from recollect.model.values import dataclass
from recollect.providers.embedders import Embedder
from recollect.rules.gate.similarity import same
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.arrays import Reals
from recollect.text.vectors import unpacked

if TYPE_CHECKING:
    from recollect.language.reader import Reader

MOST, MOST_TOGETHER = 5, 64
RELATED_KINDS = tuple(kind for kind in KINDS if kind not in ("episode", "block"))
Near = tuple[Memory, float]
Row = tuple[Memory, Reals]


def neighbours(runtime: Runtime, view: Searching, memory: Memory, vectors: Vectors) -> list[Near]:
    """Give the memories nearest in meaning to a new one, with their similarity, best first."""
    model = view.counters(memory.owner).model
    if not model or model != vectors.model or memory.kind not in RELATED_KINDS:
        return []
    vector = vectors.of(memory)
    if not vector:
        return []
    return _stored(view, _seen(memory, memory.created_at), model, unpacked([vector])[0])


def together(memory: Memory, others: Sequence[Memory], vectors: Vectors) -> list[Near]:
    """Give the last facts that come in one batch with a new one, with their similarity: no store can find them yet."""
    some = [one for one in others if one.kind == memory.kind == "fact"][-MOST_TOGETHER:]
    made = [vectors.of(one) for one in (memory, *some)] if some else []
    if not made or len({len(one) for one in made}) > 1 or not made[0]:
        return []
    mine, *theirs = unpacked(made)
    return [(one, float(mine @ vector)) for one, vector in zip(some, theirs, strict=True)]


def _seen(memory: Memory, now: datetime) -> Filter:
    """Give where the neighbours of a memory are: in its project and in none."""
    return Filter(owner=memory.owner, now=now, kinds=RELATED_KINDS, projects=seen_from(memory.project))


def _stored(view: Searching, where: Filter, model: str, vector: Reals) -> list[Near]:
    near = view.nearest(where, model, vector, MOST).pairs()
    found = view.documents(where.owner, [doc for doc, _ in near])
    return [(found[doc], similarity) for doc, similarity in near if doc in found]


def links(memory: Memory, near: Sequence[Near], least: float) -> tuple[Connect, ...]:
    """Give the links of a memory to its neighbours from a similarity on, as strong as they are similar."""
    return tuple(
        Connect(memory.id, other.id, "related_to", round(min(similarity, 1.0), 4))
        for other, similarity in near
        if similarity >= least and other.id != memory.id
    )


def said_before(memory: Memory, near: Sequence[Near], reader: Reader) -> str:
    """Give the neighbour of the same kind, outside slots, that says the same but for endings and articles."""
    if KINDS[memory.kind].policy not in ("semantic", "episodic"):
        return ""
    for peer, _ in near:
        alike = peer.kind == memory.kind and not peer.key and peer.actor == memory.actor
        if alike and same(peer.content, memory.content, reader):
            return peer.id
    return ""


@dataclass(frozen=True, slots=True)
class Joined:
    """What vectors made later show: links the gate could not see, and memories that say what another says already."""

    links: tuple[Connect, ...] = ()
    twins: tuple[tuple[str, str], ...] = ()
    """Ids: the memory found to be one too many, and the one that said it before."""
    expect: tuple[Version, ...] = ()
    """Who is linked must still be there."""


def joined(view: Searching, embedder: Embedder, batch: Batch, now: datetime, reader: Reader) -> Joined:
    """Join memories that have just got a vector to the nearest, stored or before them in the batch."""
    vectors = dict(batch.vectors)
    rows = [(one, unpacked([vectors[one.id]])[0]) for one in batch.memories if one.id in vectors and _stands(one, now)]
    known = _linked(view, [memory for memory, _ in rows])
    found: list[Connect] = []
    twins: list[tuple[str, str]] = []
    versions: dict[str, int] = {}
    for at, (memory, vector) in enumerate(rows):
        if memory.key or memory.id in known:
            continue
        near = _around(view, embedder.name, (memory, vector), rows[:at], now)
        twin = said_before(memory, near, reader)
        twins += [(memory.id, twin)] if twin else []
        more = links(memory, near, min(embedder.link_min, embedder.same_min))
        found += more
        ends = {end for link in more for end in (link.from_id, link.to_id)}
        versions |= {one.id: one.version for one in (memory, *(other for other, _ in near)) if one.id in ends}
    return Joined(tuple(found), tuple(twins), tuple(Version(id, number) for id, number in versions.items()))


def _around(view: Searching, model: str, one: Row, before: Sequence[Row], now: datetime) -> list[Near]:
    """Give the nearest of those stored and of those before it in the batch, each once, best first."""
    memory, vector = one
    near = {other.id: (other, float(row @ vector)) for other, row in before if len(row) == len(vector)}
    near |= {other.id: (other, similar) for other, similar in _stored(view, _seen(memory, now), model, vector)}
    near.pop(memory.id, None)  # somebody else was quicker with its vector
    return sorted(near.values(), key=lambda found: -found[1])[:MOST]


def _stands(memory: Memory, now: datetime) -> bool:
    ended = memory.valid_until is not None and memory.valid_until <= now
    return memory.kind in RELATED_KINDS and memory.state == "active" and not ended


def _linked(view: Reading, memories: Sequence[Memory]) -> set[str]:
    """Give those that have such links already, as imported ones do: they are not joined twice."""
    if not memories:
        return set()
    found = view.links(memories[0].owner, [memory.id for memory in memories])
    return {end for link in found if link.type == "related_to" for end in (link.from_id, link.to_id)}
