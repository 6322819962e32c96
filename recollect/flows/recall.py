"""A query: every channel under the same filter, fused, and what is returned counts as used."""

from __future__ import annotations

from recollect.flows.words import by_words
from recollect.model.filter import Filter
from recollect.model.hit import Hit
from recollect.model.kinds import KINDS
from recollect.providers.entities import extract
from recollect.rules.fusion import fuse
from recollect.rules.names import phrases
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


def _search(runtime: Runtime, view: View, query: str, where: Filter, limit: int) -> list[Hit]:
    settings = runtime.settings
    wide = max(limit, settings.fusion.per_channel)
    names = _names(query, settings.terms.language)
    # A name that most memories carry tells none from another.
    telling = min(MOST_MENTIONED, max(FEW_MENTIONED, view.counters(where.owner).docs // 10))
    channels = {
        "words": by_words(view, where, query, settings.terms).best(wide),
        "names": [(doc, float(many)) for doc, many in view.about(where, names, MOST_MENTIONED, most=telling)],
    }
    # Kinds of lower weight may fall behind others once they are known, so look a little further.
    uneven = any(KINDS[kind].weight != 1 for kind in where.kinds or KINDS)
    kept = fuse(channels, limit * 2 if uneven else limit, settings.fusion)
    memories = view.documents(where.owner, [doc for doc, _, _ in kept])
    hits = [Hit(memories[doc], score * KINDS[memories[doc].kind].weight, why) for doc, score, why in kept]
    hits.sort(key=lambda hit: -hit.score)
    return hits[:limit]


def _names(query: str, language: str) -> list[str]:
    """Give every name that may stand inside a query: its patterns, and its runs of up to four words."""
    found = [fold(mention.name) for mention in extract(query, language)]
    words = [word.removesuffix("'s") for word in list(split(query))[:MOST_NAME_WORDS]]
    return list(dict.fromkeys([*found, *phrases(words, STOP_WORDS.get(language, frozenset()))]))
