"""A query: every channel under the same filter, weighed together, and what is returned counts as used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

from recollect.errors import InvalidInput
from recollect.flows.find.meaning import Asked, ahead, ask
from recollect.flows.find.signals import Evidence, Query, gather, newer, speakers
from recollect.flows.find.successors import heirs
from recollect.flows.find.words import by_words
from recollect.model.event import Event
from recollect.model.filter import Filter
from recollect.model.hit import Hit, Signal
from recollect.model.memory import Memory
from recollect.providers.entities import extract
from recollect.rules.find.boosts import related, worth
from recollect.rules.find.fusion import FEATURES, ROW, SAID, FusionPolicy, by_rank, weighed
from recollect.rules.people.names import phrases
from recollect.rules.window.budget import estimate
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.store.cache.codebook import nobody
from recollect.text.arrays import Flags, Ints, Reals, best_first, np
from recollect.text.stopwords import stop_words
from recollect.text.terms import fold, split

LONGEST_QUERY = 100_000
MOST_NAME_WORDS = 64
FEW_MENTIONED, MOST_MENTIONED = 10, 1000
FURTHER, SPARE = 2, 3
"""How many times as many as asked for are looked at closely, since boosts may lift those behind; and how many more,
since some may be folded."""
SESSION_DEPTH = 5
"""How many candidates are wanted for each session asked for."""
ROUNDED = 1e-4
"""How exact the similarity of vectors is that are kept with half precision: a text may be no nearer to itself."""
LISTED = 200
"""How many memories are listed at once."""
SECOND = 0.3
"""What the second-best message adds to a session's score."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How much a search shall give, of what, and how good at least."""

    limit: int = 10
    by: str = "memory"
    budget_tokens: int | None = None
    min_similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of a search, best first, and what each feature added to each."""

    evidence: Evidence
    adds: Reals
    newer: Reals | None
    """What lifts newer candidates above older ones, where the question is how things are."""
    total: Reals
    order: Ints

    def parts(self, at: int) -> dict[str, float]:
        """Give what each signal that said anything added to one candidate."""
        found: dict[str, float] = {}
        for name, (signal, _) in FEATURES.items():
            if self.evidence.knows(name):
                found[signal] = found.get(signal, 0.0) + float(self.adds[ROW[name], at])
        if self.newer is not None:
            found["newer"] = float(self.newer[at])
        return found


class Reasons(Mapping[str, Signal]):
    """What each signal found in one candidate and what it added; worked out when somebody asks."""

    def __init__(self, ranking: Ranking, at: int, off: Sequence[str], adds: Mapping[str, float]) -> None:
        self._ranking, self._at, self._off, self._adds = ranking, at, off, adds

    def _parts(self) -> dict[str, float]:
        return {name: part for name, part in self._ranking.parts(self._at).items() if name not in self._off}

    @property
    def similar(self) -> float | None:
        """How near the candidate is in meaning; None where that is not known."""
        near = float(self._ranking.evidence.of("meaning")[self._at])
        return near if near == near else None

    def __getitem__(self, name: str) -> Signal:
        if name in self._adds:
            return Signal(0, self._adds[name], self._adds[name])
        part = self._parts()[name]
        # Of a signal made of several features the sum is all there is to tell.
        values = np.nan_to_num(self._ranking.evidence.of(name)) if name in FEATURES else self._sums(name)
        ahead = int((values > values[self._at] + 1e-9).sum())  # the least of rounding is no difference
        return Signal(ahead + 1, float(values[self._at]), part)

    def _sums(self, name: str) -> Reals:
        if name == "newer" and self._ranking.newer is not None:
            return self._ranking.newer
        return np.asarray(
            self._ranking.adds[[ROW[one] for one, (signal, _) in FEATURES.items() if signal == name]].sum(axis=0)
        )

    def __iter__(self) -> Iterator[str]:
        return iter((*self._parts(), *self._adds))

    def __len__(self) -> int:
        return len(self._parts()) + len(self._adds)

    def __repr__(self) -> str:
        return repr(dict(self))


def recall(runtime: Runtime, query: str, where: Filter, wish: Wish, session: str = "") -> list[Hit]:
    """Find what a query is about. An empty query lists, the newest first; no query is ever a syntax error."""
    if wish.min_similarity is not None:
        _comparable(runtime, query)
    hits = find(runtime, query, where, wish)
    if wish.min_similarity is not None and not hits:
        _waiting(runtime, where.owner)
    runtime.note(searched("recall", query, hits, where.owner, session), where.now)
    # Messages neither fade nor age, so nothing hangs on how often they were found.
    used = [hit.memory.id for hit in hits if hit.memory.kind != "episode"]
    if used:
        runtime.store.touch(where.owner, used, where.now)
    return hits


def _comparable(runtime: Runtime, query: str) -> None:
    """Refuse to ask for a nearness that nobody can measure."""
    if not query.strip():
        raise InvalidInput("min_similarity says how near a query must be, and the query is empty: write one")
    if not runtime.model:
        raise InvalidInput("min_similarity compares meanings, and no embedder is set: set one, or leave it out")


def _waiting(runtime: Runtime, owner: str) -> None:
    """Say when nothing was near enough that there are memories nobody could compare."""
    with runtime.store.view() as view:
        model = view.counters(owner).model or runtime.model
        if view.pending(owner, model, 0, 1):
            runtime.complain("some memories have no vector yet, so none of them is near enough: let the job embed run")


def searched(node: str, query: str, hits: Sequence[Hit], owner: str, session: str) -> Event:
    """Tell that somebody searched, and how near the best hit is in meaning."""
    why = hits[0].why if hits else None
    near = why.similar if isinstance(why, Reasons) else None
    return Event(owner, node, "search" if query.strip() else "list", "ok" if hits else "empty", session, "", "", near)


def find(runtime: Runtime, query: str, where: Filter, wish: Wish) -> list[Hit]:
    """Find without counting it as a use."""
    asked = ahead(runtime, where.owner, readable(query))
    with runtime.store.view() as view:
        return find_in(runtime, view, query, where, wish, asked)


def find_in(
    runtime: Runtime, view: View, query: str, where: Filter, wish: Wish, asked: Asked | None = None
) -> list[Hit]:
    """Find in a view that is open already; `asked` is the query's vector, if it was made before."""
    text = readable(query)
    if not text.strip():
        newest = _of_each(view, where) if wish.by == "session" else view.page(where, "recent", wish.limit)
        found: Iterable[Hit] = [Hit(memory, 0.0) for memory in islice(newest, wish.limit)]
    else:
        found = _search(runtime, view, look(runtime, view, text, where, wish.limit, asked), wish)
    return _affordable(found, wish.budget_tokens)


def _of_each(view: View, where: Filter) -> Iterator[Memory]:
    """List the newest message of each session, the newest first."""
    known = {""}
    for start in count(0, LISTED):
        page = view.page(where, "recent", LISTED, start)
        for memory in page:
            if memory.session not in known:
                known.add(memory.session)
                yield memory
        if len(page) < LISTED:
            return


def readable(query: str) -> str:
    """Give a query as it can be searched for: not endless, and without what no database takes."""
    return query[:LONGEST_QUERY].replace("\0", " ").encode("utf-8", "replace").decode()


def _affordable(hits: Iterable[Hit], budget: int | None) -> list[Hit]:
    """Take hits that fit the budget. One that does not is passed over: the next may be shorter."""
    if budget is None:
        return list(hits)
    taken: list[Hit] = []
    for hit in hits:
        cost = estimate(hit.memory.content)
        if cost <= budget:
            budget -= cost
            taken.append(hit)
    return taken


def _search(runtime: Runtime, view: View, query: Query, wish: Wish) -> list[Hit]:
    """Rank, and look closely at the best, page by page, until as many as were asked for are different."""
    by_session = wish.by == "session"
    ranking = rank(runtime, view, query, replace(wish, limit=wish.limit * SESSION_DEPTH) if by_session else wish)
    # Raw messages no boost can lift.
    said = _all_said(view, query.where, ranking)
    page = max(wish.limit, 1 + SPARE) if said and not by_session else wish.limit * FURTHER + SPARE
    hits: list[Hit] = []
    for start in range(0, len(ranking.order), page):
        hits += _boosted(runtime, view, query.where, ranking, ranking.order[start : start + page], said=said)
        found = _sessions(hits) if by_session else _fold(hits)
        if len(found) >= wish.limit:
            return found[: wish.limit]
    return (_sessions(hits) if by_session else _fold(hits))[: wish.limit]


def look(runtime: Runtime, view: View, text: str, where: Filter, limit: int, asked: Asked | None = None) -> Query:
    """Ask every channel, each under the same filter."""
    settings = runtime.settings
    counters, off = view.counters(where.owner), settings.fusion.off
    if "meaning" in off:
        asked = Asked()
    elif asked is None or asked.model != counters.model:
        asked = ask(runtime, where.owner, counters, text)
    wide = max(limit, settings.fusion.per_channel)
    near = nobody() if asked.vector is None else view.nearest(where, asked.model, asked.vector, wide)
    # In raw messages a name is a word like any other.
    named_by = "names" not in off and where.kinds != ("episode",)
    names = _names(text, runtime) if named_by else []
    # A name that most memories carry tells none from another.
    telling = min(MOST_MENTIONED, max(FEW_MENTIONED, counters.docs // 10))
    named = view.about(where, names, MOST_MENTIONED, most=telling) if names else []
    # Who is named is looked for among those who speak, not among the words: everybody names him.
    speaking, called = ([], set()) if "speaker" in off else speakers(view.shelf(where.owner), text)
    matched, allowed = by_words(view, where, text, settings.terms, called), view.allowed(where)
    return Query(
        text=text,
        where=where,
        matched=matched,
        asked=asked,
        near=near,
        named={doc: float(many) for doc, many in named},
        speakers=speaking,
        form=runtime.reader.form(text),
        spans=runtime.reader.moments(text, where.now),
        inherited=heirs(view, where, matched, allowed),
        allowed=allowed,
        now=where.now,
    )


def rank(runtime: Runtime, view: View, query: Query, wish: Wish) -> Ranking:
    """Weigh the evidence and put the candidates in order; of equals the newer goes first."""
    policy = runtime.settings.fusion
    standard = policy.method == "standard"
    per_channel = max(wish.limit, policy.per_channel)
    evidence = gather(view, query, runtime.settings.terms, per_channel, plain=not standard)
    adds = (weighed if standard else by_rank)(evidence.values, evidence.gates, policy)
    total, later = np.add.reduce(adds, axis=0), None
    if standard and "newer" not in policy.off and query.form.now and len(total) > 1:
        later = newer(view, query, evidence, total)
        total = total + later
    total = total.round(9)
    order = best_first(total)
    return Ranking(evidence, adds, later, total, order[good_enough(evidence, policy, wish).take(order)])


def good_enough(evidence: Evidence, policy: FusionPolicy, wish: Wish) -> Flags:
    """Tell which candidates something speaks for: a word, a name, or a meaning that is near enough."""
    similar = evidence.of("meaning")  # what is not known is never enough
    if wish.min_similarity is not None:
        return np.asarray(similar >= wish.min_similarity - ROUNDED)
    said = np.logical_or.reduce(evidence.values[SAID] > 0)
    return np.asarray(said | (similar >= policy.similarity_min))


def _boosted(runtime: Runtime, view: View, where: Filter, ranking: Ranking, order: Ints, *, said: bool) -> list[Hit]:
    """Fetch some candidates, and let what they are worth count beside how well they fit."""
    settings, evidence = runtime.settings, ranking.evidence
    docs = evidence.docs.take(order).tolist()
    memories = view.documents(where.owner, docs, said=said)
    hits: list[Hit] = []
    worths: dict[str, dict[str, float]] = {}
    scores: dict[str, float] = {}
    for at, doc, score in zip(order.tolist(), docs, ranking.total.take(order).tolist(), strict=True):
        memory = memories.get(doc)
        if memory is None:  # it was erased a moment ago
            continue
        adds: dict[str, float] = {}
        if not said and memory.kind != "episode":
            adds = worth(memory, where.now, settings.boosts, settings.salience)
            score += sum(adds.values())
            scores[memory.id], worths[memory.id] = score, adds
        hits.append(Hit(memory, score, Reasons(ranking, at, settings.fusion.off, adds)))
    linked = _relations(runtime, view, where, scores)
    for id, add in linked.items():
        worths[id]["relations"] = add
    if linked:
        hits = [replace(hit, score=hit.score + linked.get(hit.memory.id, 0.0)) for hit in hits]
    return sorted(hits, key=lambda hit: -hit.score)


def _all_said(view: View, where: Filter, ranking: Ranking) -> bool:
    """Tell whether all candidates are raw messages, which no boost can lift."""
    if where.kinds == ("episode",):
        return True
    shelf = view.shelf(where.owner)
    return bool((shelf.column["kind"].take(ranking.evidence.docs) == shelf.spelling["kind"].get("episode", -1)).all())


def _relations(runtime: Runtime, view: View, where: Filter, scores: Mapping[str, float]) -> dict[str, float]:
    """Give what links to better hits add to the others."""
    if len(scores) < 2 or not runtime.settings.boosts.relations:
        return {}
    return related(scores, view.links(where.owner, list(scores)), runtime.settings.boosts)


def _fold(hits: Sequence[Hit]) -> list[Hit]:
    """Let what is said word for word again stand once, in the best place."""
    kept: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        memory = hit.memory
        key = (memory.actor, _spoken(memory.content))
        if key in kept:
            kept[key] = replace(kept[key], folded=(*kept[key].folded, memory.id))
        else:
            kept[key] = hit
    return list(kept.values())


def _spoken(content: str) -> str:
    text = content.casefold().strip()
    plain = text.isprintable() and "  " not in text  # of all that is space, only one blank at a time can be in it
    return text if plain else " ".join(text.split())


def _sessions(hits: Sequence[Hit]) -> list[Hit]:
    """Give the best message of each session, for the session: its own score, and a little of the next best."""
    best: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.memory.session:
            best.setdefault(hit.memory.session, []).append(hit)
    lowest = min((hit.score for hit in hits), default=0.0)
    scored = [
        replace(first, score=first.score + SECOND * (rest[0].score - lowest) if rest else first.score)
        for first, *rest in best.values()
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def _names(query: str, runtime: Runtime) -> list[str]:
    """Give every name that may stand inside a query: its patterns, and its runs of up to four words."""
    language = runtime.settings.terms.language
    found = [fold(mention.name) for mention in extract(query, runtime.reader.cues(language))]
    words = [word.removesuffix("'s") for word in split(query)[:MOST_NAME_WORDS]]
    return list(dict.fromkeys([*found, *phrases(words, stop_words(language))]))
