"""A query: every channel under the same filter, weighed together, and what is returned counts as used."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.flows.evidence import Evidence, Query, gather
from recollect.flows.meaning import Asked, ask
from recollect.flows.words import by_words
from recollect.model.filter import Filter
from recollect.model.hit import Hit, Signal
from recollect.model.kinds import KINDS
from recollect.providers.entities import extract
from recollect.rules.fusion import by_rank, ranked, weighed
from recollect.rules.names import phrases
from recollect.rules.numbers import Reals, np
from recollect.rules.stopwords import STOP_WORDS
from recollect.rules.terms import fold, split
from recollect.runtime import Runtime
from recollect.store.base import View

LONGEST_QUERY = 100_000
MOST_NAME_WORDS = 64
FEW_MENTIONED, MOST_MENTIONED = 10, 1000


def recall(runtime: Runtime, query: str, where: Filter, limit: int) -> list[Hit]:
    """Find what a query is about. An empty query lists, the newest first; no query is ever a syntax error."""
    hits = find(runtime, query, where, limit)
    # Messages neither fade nor age, so nothing hangs on how often they were found.
    used = [hit.memory.id for hit in hits if hit.memory.kind != "episode"]
    if used:
        runtime.store.touch(where.owner, used, where.now)
    return hits


def find(runtime: Runtime, query: str, where: Filter, limit: int) -> list[Hit]:
    """Find without counting it as a use."""
    clean = query[:LONGEST_QUERY].replace("\0", " ").encode("utf-8", "replace").decode()
    with runtime.store.view() as view:
        if not clean.strip():
            return [Hit(memory, 0.0) for memory in view.page(where, "recent", limit)]
        return _search(runtime, view, clean, where, limit)


def _search(runtime: Runtime, view: View, text: str, where: Filter, limit: int) -> list[Hit]:
    policy = runtime.settings.fusion
    query = look(runtime, view, text, where, limit)
    evidence = gather(view, query, runtime.settings.terms, max(limit, policy.per_channel))
    if not len(evidence.docs):
        return []
    parts = (weighed if policy.method == "standard" else by_rank)(evidence.features, policy)
    total = sum(parts.values(), np.zeros(len(evidence.docs)))
    # Of equals the newer goes first. Kinds of lower weight may fall behind once they are known: look further.
    order = np.lexsort((-evidence.docs, -np.round(total, 9)))[: 2 * limit]
    memories = view.documents(where.owner, evidence.docs[order].tolist())
    hits = []
    for at in order.tolist():
        memory = memories.get(int(evidence.docs[at]))
        if memory is not None:
            score = float(total[at]) + (KINDS[memory.kind].weight - 1)
            hits.append(Hit(memory, score, _why(evidence, parts, at)))
    hits.sort(key=lambda hit: -hit.score)
    return hits[:limit]


def look(runtime: Runtime, view: View, text: str, where: Filter, limit: int) -> Query:
    """Ask every channel, each under the same filter."""
    settings = runtime.settings
    counters = view.counters(where.owner)
    off = settings.fusion.off
    asked = Asked() if "meaning" in off else ask(runtime, counters, text)
    wide = max(limit, settings.fusion.per_channel)
    near = view.nearest(where, asked.model, asked.vector, wide) if asked.vector is not None else []
    names = [] if "names" in off else _names(text, settings.terms.language)
    # A name that most memories carry tells none from another.
    telling = min(MOST_MENTIONED, max(FEW_MENTIONED, counters.docs // 10))
    named = view.about(where, names, MOST_MENTIONED, most=telling)
    return Query(
        text=text,
        where=where,
        matched=by_words(view, where, text, settings.terms),
        asked=asked,
        near=dict(near),
        named={doc: float(many) for doc, many in named},
        allowed=view.allowed(where),
        now=where.now,
    )


def _why(evidence: Evidence, parts: Mapping[str, Reals], at: int) -> dict[str, Signal]:
    out: dict[str, Signal] = {}
    for name, part in parts.items():
        values = evidence.features.get(name)
        rank = int(ranked(values)[at]) if values is not None else 0
        out[name] = Signal(rank, float(values[at]) if values is not None else float(part[at]))
    return out


def _names(query: str, language: str) -> list[str]:
    """Give every name that may stand inside a query: its patterns, and its runs of up to four words."""
    found = [fold(mention.name) for mention in extract(query, language)]
    words = [word.removesuffix("'s") for word in list(split(query))[:MOST_NAME_WORDS]]
    return list(dict.fromkeys([*found, *phrases(words, STOP_WORDS.get(language, frozenset()))]))
