"""Pairing: at night, memories that matter are held against their neighbours, and those alike go before the judges."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from recollect.flows.find.words import best_matches
from recollect.model.filter import Filter
from recollect.model.memory import COVERS, Link, Memory
from recollect.model.owner import seen_from
from recollect.model.values import dataclass
from recollect.rules.gate.similarity import worth_asking
from recollect.rules.learn.notes import is_note
from recollect.rules.life.archiving import is_cut
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.text.normal import jaccard, words
from recollect.text.terms import terms
from recollect.text.vectors import unpacked

NEAREST = 8
"""How many neighbours of each memory are looked at."""
DAY = timedelta(days=1)
KINDS = ("fact",)
NODE = "merge"
PAGE, RUNS = 200, 1000


@dataclass(frozen=True, slots=True)
class Paired:
    """Pairs to be judged, the likest first, and how many memories were looked at."""

    pairs: list[tuple[Memory, Memory, float]]
    looked: int


def paired(runtime: Runtime, view: View, owner: str) -> Paired:
    """Find the pairs nobody has judged that are alike enough, up to what a day allows."""
    policy, now = runtime.settings.merging, runtime.now()
    pool = _pool(runtime, view, owner)
    room = policy.pairs - _today(runtime, view, owner)
    if room <= 0 or not pool:
        return Paired([], len(pool))
    links = _links(view, owner, pool)
    known = {frozenset((one.from_id, one.to_id)) for one in links if one.type == "compared"}
    covered = {one.to_id for one in links if one.type == COVERS}
    since, found = now - timedelta(days=policy.updated_days), dict[frozenset[str], tuple[Memory, Memory, float]]()
    for memory in (one for one in pool if one.id not in covered):  # what was claimed of a note is judged for it
        for other, similarity in _neighbours(runtime, view, memory):
            both = frozenset((memory.id, other.id))
            fit = other.updated_at >= since and memory.updated_at >= since and _comparable(memory, other)
            if len(both) < 2 or both in known or both in found or not fit:
                continue
            if worth_asking(similarity, other.content, memory.content, runtime.settings.bands):
                older, newer = sorted((memory, other), key=lambda one: (one.created_at, one.id))
                found[both] = (older, newer, similarity)
    best = sorted(found.values(), key=lambda one: (-one[2], one[0].id, one[1].id))
    return Paired(best[:room], len(pool))


def _comparable(one: Memory, other: Memory) -> bool:
    return not (one.key or other.key or is_cut(one) or is_cut(other)) and is_note(one) == is_note(other)


def _pool(runtime: Runtime, view: View, owner: str) -> list[Memory]:
    """Give what changed lately, what matters, and what is used most."""
    policy, now = runtime.settings.merging, runtime.now()
    where = Filter(owner=owner, now=now, kinds=KINDS)
    fresh = replace(where, updated_after=now - timedelta(hours=policy.changed_hours))
    found = view.page(fresh, "updated", policy.pool)
    found += view.page(replace(where, importance_min=policy.importance), "importance", policy.pool)
    many = min(policy.pool, int(view.count(where) * policy.used_most))
    found += [one for one in view.page(where, "used", many) if one.access_count] if many else []
    return list({one.id: one for one in found}.values())[: policy.pool]


def _neighbours(runtime: Runtime, view: View, memory: Memory) -> list[tuple[Memory, float]]:
    """Give what is most like a memory with its similarity: by meaning where it has a vector, else by words."""
    where = Filter(owner=memory.owner, now=runtime.now(), kinds=KINDS, projects=seen_from(memory.project))
    model = view.counters(memory.owner).model
    doc = view.numbers(memory.owner, [memory.id]).get(memory.id, 0)
    blob = view.embeddings(memory.owner, model, [doc]).get(doc) if model else None
    if blob:
        near = view.nearest(where, model, unpacked([blob])[0], NEAREST + 1).pairs()
        documents = view.documents(memory.owner, [at for at, _ in near])
        return [(documents[at], similarity) for at, similarity in near if at in documents]
    said = list(terms(memory.content, runtime.settings.terms))
    ranked = best_matches(view, where, said, runtime.settings.terms, NEAREST + 1).tolist()
    mine = words(memory.content)
    return [(one, jaccard(words(one.content), mine)) for one in view.documents(memory.owner, ranked).values()]


def _links(view: View, owner: str, pool: list[Memory]) -> list[Link]:
    """Give what joins the memories: pairs that were judged or wait for it are not brought again; after fourteen days
    the judge takes them up himself."""
    ids = [one.id for one in pool]
    return [one for at in range(0, len(ids), PAGE) for one in view.links(owner, ids[at : at + PAGE])]


def _today(runtime: Runtime, view: View, owner: str) -> int:
    """Count the pairs that were brought before the judges by runs of the last day, judged or not."""
    since = runtime.now() - DAY
    runs = [one for one in view.runs(owner, RUNS) if one.node == NODE and one.op == "ran" and one.at > since]
    return sum(line.op == "linked" for one in runs for line in view.revision(owner, one.rev))
