"""A query: understood, looked up in one moment, ranked, and what is returned counts as used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice

from recollect.errors import InvalidInput
from recollect.flows.find.closely import read_closely
from recollect.flows.find.founded import founded
from recollect.flows.find.meaning import Asked, ahead, ask
from recollect.model.event import Event
from recollect.model.filter import Filter
from recollect.model.hit import Hit
from recollect.model.memory import COVERS, OUTDATED, Memory
from recollect.model.values import dataclass
from recollect.providers.entities import extract
from recollect.rules.find import reading
from recollect.rules.find.boosts import related, worth
from recollect.rules.find.hits import affordable, brought_up, by_session, folded
from recollect.rules.find.ranking import Ranking, Reasons, contested, overtaking, rank, weigh
from recollect.rules.find.signals import Asks
from recollect.rules.find.snapshot import Snapshot, Sought
from recollect.rules.find.words import tagged, telling
from recollect.rules.people.names import phrases
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.arrays import Flags, Ints, Reals, np
from recollect.text.stopwords import stop_words
from recollect.text.terms import fold, split

LONGEST_QUERY = 100_000
MOST_NAME_WORDS = 64
FURTHER, SPARE = 2, 3
"""How many times as many as asked for are looked at closely, since boosts may lift those behind; and how many more,
since some may be folded."""
SESSION_DEPTH = 5
"""How many candidates are wanted for each session asked for."""
LISTED = 200
"""How many memories are listed at once."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How much a search shall give, of what, and how good at least."""

    limit: int = 10
    by: str = "memory"
    budget_tokens: int | None = None
    min_similarity: float | None = None
    preview: bool = False
    """Whether somebody only looks: nothing is noted, and nothing counts as used."""
    brief: bool = False
    """Whether nobody asks which repeats were folded, so that hardly more is read than is given."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was understood: what the store is asked, and what ranking must know of the question."""

    sought: Sought
    asks: Asks
    problem: str = ""
    """Why meaning cannot be compared."""


def recall(runtime: Runtime, query: str, where: Filter, wish: Wish, session: str = "") -> list[Hit]:
    """Find what a query is about. An empty query lists, the newest first; no query is ever a syntax error."""
    if wish.min_similarity is not None:
        _comparable(runtime, query)
    hits = find(runtime, query, where, wish)
    if wish.min_similarity is not None and not hits:
        _waiting(runtime, where.owner)
    if wish.preview:
        return hits
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
    runtime: Runtime, view: Searching, query: str, where: Filter, wish: Wish, asked: Asked | None = None
) -> list[Hit]:
    """Find in a view that is open already; `asked` is the query's vector, if it was made before."""
    text = readable(query)
    if text.strip():
        found: Iterable[Hit] = _found(runtime, view, text, where, wish, asked)
    else:
        newest = _of_each(view, where) if wish.by == "session" else view.page(where, "recent", wish.limit)
        found = [Hit(memory, 0.0) for memory in islice(newest, wish.limit)]
    return affordable(_founded(view, where, list(found)), wish.budget_tokens)


def _founded(view: Reading, where: Filter, hits: list[Hit]) -> list[Hit]:
    """Leave out what tells of something that is gone."""
    stands = {one.id for one in founded(view, where, [hit.memory for hit in hits])}
    return hits if len(stands) == len(hits) else [hit for hit in hits if hit.memory.id in stands]


def _found(
    runtime: Runtime, view: Searching, text: str, where: Filter, wish: Wish, asked: Asked | None
) -> Iterable[Hit]:
    """Search; whoever asks for documents alone wants the right place, so that the best are read closely."""
    if where.kinds != ("document",) or wish.by == "session" or runtime.settings.fusion.method != "standard":
        return _search(runtime, view, understood(runtime, view, text, where, wish, asked), wish)
    deep = replace(wish, limit=max(wish.limit, reading.MOST))
    query = understood(runtime, view, text, where, deep, asked)
    hits = _search(runtime, view, query, deep)
    model = query.sought.model if query.sought.vector is not None else ""
    return read_closely(runtime, model, text, hits)[: wish.limit]


def readable(query: str) -> str:
    """Give a query as it can be searched for: not endless, and without what no database takes."""
    return query[:LONGEST_QUERY].replace("\0", " ").encode("utf-8", "replace").decode()


def _of_each(view: Reading, where: Filter) -> Iterator[Memory]:
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


def understood(
    runtime: Runtime, view: Reading, text: str, where: Filter, wish: Wish, asked: Asked | None = None
) -> Query:
    """Read a query: its words, tags and names, its meaning, and what it asks for."""
    fusion, terms = runtime.settings.fusion, runtime.settings.terms
    if "meaning" in fusion.off:
        asked = Asked()
    else:
        counters = view.counters(where.owner)
        if asked is None or asked.model != counters.model:
            asked = ask(runtime, where.owner, counters, text)
    words, standard = split(text), fusion.method == "standard"
    calls = frozenset() if "speaker" in fusion.off else frozenset([word.removesuffix("'s") for word in words])
    # In raw messages a name is a word like any other.
    named = "names" not in fusion.off and where.kinds != ("episode",)
    sought = Sought(
        where=where,
        policy=terms,
        words=tuple(telling(words, terms)),
        tags=tagged(text),
        calls=calls,
        names=_names(runtime, text, words) if named else (),
        model=asked.model,
        vector=asked.vector,
        nearest=max(wish.limit, fusion.per_channel),
        per_channel=max(wish.limit * SESSION_DEPTH if wish.by == "session" else wish.limit, fusion.per_channel),
        beside=standard,
    )
    return Query(
        sought,
        Asks(runtime.reader.form(text), runtime.reader.moments(text, where.now) if standard else ()),
        asked.problem,
    )


def _names(runtime: Runtime, query: str, words: Sequence[str]) -> tuple[str, ...]:
    """Give every name that may stand inside a query: its patterns, and its runs of up to four words."""
    language = runtime.settings.terms.language
    found = [fold(mention.name) for mention in extract(query, runtime.reader.cues(language))]
    plain = [word.removesuffix("'s") for word in words[:MOST_NAME_WORDS]]
    return tuple(dict.fromkeys([*found, *phrases(plain, stop_words(language))]))


def _search(runtime: Runtime, view: Searching, query: Query, wish: Wish) -> list[Hit]:
    """Rank, and look closely at the best, page by page, until as many as were asked for are different."""
    snapshot = view.snapshot(query.sought)
    ranking = ranked(runtime, view, snapshot, query.asks, wish)
    messages = snapshot.messages()  # which no boost can lift
    said, sessions = bool(messages.all()), wish.by == "session"
    page = max(wish.limit, 1 + SPARE) if said and not sessions else wish.limit * FURTHER + SPARE
    different = by_session if sessions else folded
    pages = (ranking.order[start : start + page] for start in range(0, len(ranking.order), page))
    at_once = wish.limit + SPARE if wish.brief else page
    hits: list[Hit] = []
    found: list[Hit] = []
    for some in (some for order in pages for some in _boosted(runtime, view, query, ranking, order, messages, at_once)):
        hits += some
        found = different(hits)
        if len(found) >= wish.limit:
            break
    return found[: wish.limit] if said or sessions else _brought_up(view, snapshot, found[: wish.limit])[: wish.limit]


def _brought_up(view: Reading, snapshot: Snapshot, hits: list[Hit]) -> list[Hit]:
    """Put what may have taken a memory's place before it, also where the query did not find it."""
    owner, ids = snapshot.sought.where.owner, [hit.memory.id for hit in hits if hit.memory.kind != "episode"]
    links = [one for one in view.links(owner, ids) if one.type in (COVERS, OUTDATED)] if ids else []
    if not links:
        return hits
    ends = {one.to_id for one in links if one.type == OUTDATED} - set(ids)
    numbers = view.numbers(owner, sorted(ends)) if ends else {}
    seen = [id for id, doc in numbers.items() if doc < len(snapshot.allowed) and snapshot.allowed[doc]]
    return brought_up(hits, links, {one.id: one for one in view.get(owner, seen)})


def ranked(runtime: Runtime, view: Searching, snapshot: Snapshot, asks: Asks, wish: Wish) -> Ranking:
    """Rank a snapshot; where the newer of the best may overtake the older, it is looked up how alike they are."""
    weighed = weigh(snapshot, asks, runtime.settings.fusion, wish.min_similarity)
    top = contested(snapshot, weighed.total) if weighed.lifting else None
    if top is None:
        return rank(weighed)
    return rank(weighed, overtaking(snapshot, weighed.total, top, likeness(view, snapshot, top)))


def likeness(view: Searching, snapshot: Snapshot, top: Ints) -> Reals:
    """Give how alike some candidates are in meaning, each to each; 0 where meaning is not compared."""
    sought = snapshot.sought
    if sought.vector is None:
        return np.zeros((len(top), len(top)))
    return view.alike(sought.where.owner, sought.model, snapshot.docs.take(top))


def _boosted(
    runtime: Runtime, view: Reading, query: Query, ranking: Ranking, order: Ints, messages: Flags, at_once: int
) -> Iterator[list[Hit]]:
    """Let what some candidates are worth count beside how well they fit, and give them in the order of that, so many at
    once; messages, which are worth nothing, are fetched only then."""
    where, off = query.sought.where, runtime.settings.fusion.off
    docs, said = ranking.evidence.docs.take(order).tolist(), messages.take(order).tolist()
    scores = dict(zip(docs, ranking.total.take(order).tolist(), strict=True))
    kept = view.documents(where.owner, [doc for doc, message in zip(docs, said, strict=True) if not message])
    worths = {doc: _worth(runtime, where, memory) for doc, memory in kept.items()}
    for doc, adds in worths.items():
        scores[doc] += sum(adds.values())
    linked = _relations(runtime, view, where, {memory.id: scores[doc] for doc, memory in kept.items()})
    for doc, memory in kept.items() if linked else ():
        if memory.id in linked:
            worths[doc]["relations"] = linked[memory.id]
            scores[doc] += linked[memory.id]
    best = sorted(zip(docs, order.tolist(), said, strict=True), key=lambda one: -scores[one[0]])
    for start in range(0, len(best), at_once):
        some = best[start : start + at_once]
        found = kept | view.documents(where.owner, [doc for doc, _, message in some if message], said=True)
        yield [  # but for what was erased a moment ago
            Hit(found[doc], scores[doc], Reasons(ranking, at, off, worths.get(doc, {})))
            for doc, at, _ in some
            if doc in found
        ]


def _worth(runtime: Runtime, where: Filter, memory: Memory) -> dict[str, float]:
    """Give what each quality of a memory adds to its score, for whoever works on a project."""
    boosts = runtime.settings.boosts
    adds = worth(memory, where.now, boosts, runtime.settings.salience)
    if memory.project and memory.project in where.projects:
        adds["project"] = boosts.project
    return adds


def _relations(runtime: Runtime, view: Reading, where: Filter, scores: Mapping[str, float]) -> dict[str, float]:
    """Give what links to better hits add to the others."""
    if len(scores) < 2 or not runtime.settings.boosts.relations:
        return {}
    return related(scores, view.links(where.owner, list(scores)), runtime.settings.boosts)
