"""Heirs: a query that speaks of what was replaced finds what stands in its place."""

from __future__ import annotations

from recollect.flows.find.words import Matched
from recollect.model.filter import Filter
from recollect.store.base import View
from recollect.text.arrays import Flags, np

MOST = 10
LONGEST_LINE = 50


def heirs(view: View, where: Filter, matched: Matched, allowed: Flags) -> dict[int, float]:
    """Give documents that stand in the place of replaced ones the query's words would have found, with their scores."""
    if where.states != ("active",) or where.as_of is not None:
        return {}
    shelf = view.shelf(where.owner)
    gone = shelf.spelling["state"].get("superseded")
    if gone is None:
        return {}
    docs = np.flatnonzero(matched.total)
    hidden = docs[shelf.column["state"][docs] == gone]
    best = hidden[np.argsort(-matched.total[hidden], kind="stable")][:MOST]
    if not len(best):
        return {}
    scores = {doc: float(matched.total[doc]) for doc in best.tolist()}
    old = {memory.id: scores[doc] for doc, memory in view.documents(where.owner, list(scores)).items()}
    return _inherited(view, where, old, allowed)


def _inherited(view: View, where: Filter, old: dict[str, float], allowed: Flags) -> dict[int, float]:
    """Follow each line of succession to who stands now, if the filter lets it through."""
    standing: dict[str, float] = {}
    for _ in range(LONGEST_LINE):
        if not old:
            break
        after: dict[str, float] = {}
        for link in view.links(where.owner, list(old)):
            pairs = {"supersedes": (link.to_id, link.from_id), "merged_into": (link.from_id, link.to_id)}
            was, now = pairs.get(link.type, ("", ""))
            if was in old:
                after[now] = max(after.get(now, 0.0), old[was])
        standing |= {id: max(score, standing.get(id, 0.0)) for id, score in after.items()}
        old = after
    known = view.numbers(where.owner, list(standing))
    return {doc: standing[id] for id, doc in known.items() if doc < len(allowed) and allowed[doc]}
