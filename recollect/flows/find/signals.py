"""What speaks for each candidate of a search: its words, its meaning, who said it, when, and what stood around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.flows.find.meaning import Asked
from recollect.flows.find.words import Matched
from recollect.language.values import Form, Moment
from recollect.model.clock import to_ms
from recollect.model.filter import Filter
from recollect.rules.find.bm25 import saturated
from recollect.rules.find.fusion import FACED, FEATURES, HEAD, ROW, Best, blank, lifts
from recollect.store.base import View
from recollect.store.cache.codebook import Nearest
from recollect.store.cache.columns import Shelf
from recollect.text.arrays import Flags, Ints, Reals, np
from recollect.text.marks import CHANGED, PERSON
from recollect.text.terms import TermsPolicy, fold, split

NEXT, SECOND_NEXT = 0.6, 0.3
"""What the words of neighbours one and two messages away count in the window of a message."""
TALK = 20
"""Up to how many messages a session speaks for each of them in full."""
MANY = 40
"""From how many candidates on it tells something what kind of text each is; among a few, what was asked must decide."""
ALONE = 1.5
"""How much more words count where there is no meaning to compare."""
AROUND = 20
"""Of how many of the best by words, and by meaning, the neighbours become candidates too."""
AFTER_DAYS, BEFORE_DAYS = 10.0, 3.0
"""How fast a message's nearness to a named time fades: people tell of things later, seldom before."""
DAY = 86_400_000.0
BY_MEANING = frozenset(("meaning", "window_meaning", "session_meaning"))
ALWAYS = frozenset(FEATURES) - BY_MEANING - {"names", "speaker", "date"}
"""The features that are looked for whatever is asked."""


@dataclass(slots=True)
class Query:
    """One query as the search sees it."""

    text: str
    where: Filter
    matched: Matched
    asked: Asked
    near: Nearest
    """The documents nearest in meaning with their similarity, best first."""
    named: dict[int, float]
    """The documents that mention names of the query, and how many."""
    speakers: list[int]
    """The numbers of actors named in the query."""
    form: Form
    spans: list[Moment]
    """The times the query names."""
    inherited: dict[int, float]
    """The documents that stand in the place of replaced ones the words found, with what they inherit."""
    allowed: Flags
    now: datetime


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of a search and what is known of them: a row for each of `FEATURES`.

    What is known of some candidates only is NaN for the others.
    """

    docs: Ints
    values: Reals
    asked: frozenset[str] = frozenset()
    """The features that were looked for; the rows of the others hold nothing."""
    gates: dict[str, float] = field(default_factory=dict)
    """How much a feature matters to this query; 1 where nothing is said."""

    def of(self, feature: str) -> Reals:
        """Give one feature of all candidates, NaN where it is not known."""
        return np.asarray(self.values[ROW[feature]]) if feature in self.asked else np.full(len(self.docs), np.nan)

    def knows(self, feature: str) -> bool:
        """Tell whether anything is known of a feature."""
        return bool(np.isfinite(self.of(feature)).any())


def gather(view: View, query: Query, policy: TermsPolicy, per_channel: int, *, plain: bool = False) -> Evidence:
    """Choose the candidates and look at each from every side; `plain` at what the channels themselves found only."""
    shelf = view.shelf(query.where.owner)
    docs = _candidates(shelf, query, per_channel, plain=plain)
    values = blank(len(docs))
    if not len(docs):
        return Evidence(docs, values)
    values[ROW["words"]] = query.matched.total.take(docs)
    _inherit(values[ROW["words"]], query, docs)
    asked = {"words"}
    if query.named:
        values[ROW["names"]] = [query.named.get(doc, 0.0) for doc in docs.tolist()]
        asked.add("names")
    around = shelf.around(docs, reach=0 if plain else 2)
    if query.asked.vector is not None:
        _meaning(values, view, query, around[:3])
        asked |= {"meaning"} if plain else BY_MEANING
    if plain:
        return Evidence(docs, values, frozenset(asked))
    column = shelf.column
    _words(values, shelf, query.matched, around, policy)
    _inherit(values[ROW["window_words"]], query, docs)
    if query.speakers:
        said_by = column["actor"][docs]
        values[ROW["speaker"]] = np.any([said_by == code for code in query.speakers], axis=0)
        asked.add("speaker")
    if query.spans:
        values[ROW["date"]] = _dates(query.spans, column["event"].take(docs))
        asked.add("date")
    values[FACED] = column["facets"].take(docs, axis=0).T
    # The words of the question that a message answers speak for the answer.
    before = around[1]
    answers = column["question"].take(before) & query.allowed.take(before)
    values[ROW["answers"]] = query.matched.total.take(before) * answers
    return Evidence(docs, values, ALWAYS | asked, _gates(shelf, query, len(docs)))


def _inherit(row: Reals, query: Query, docs: Ints) -> None:
    """Let what stands in the place of a replaced memory be found by the words of that one."""
    for doc, score in query.inherited.items():
        at = np.searchsorted(docs, doc)
        row[at] = max(row[at], score)


def _gates(shelf: Shelf, query: Query, many: int) -> dict[str, float]:
    """Say which features matter to a question of this form, in talks of this length, among so many candidates."""
    asks = query.form
    fade = min(1.0, TALK / max(shelf.messages_a_session, 1.0))
    choice = min(1.0, many / MANY)
    told = float(not asks.told) * choice
    return {
        "window_words": 1.0 if query.asked.vector is not None else ALONE,
        "session_words": fade**2,
        "session_meaning": fade,
        "person": told * (0.5 if asks.overview else 1.0),
        "long": told,
        "asks": choice,
        "personal": choice,
        "timed": asks.when * choice,
        "numbered": asks.number * choice,
    }


def _candidates(shelf: Shelf, query: Query, per_channel: int, *, plain: bool) -> Ints:
    """Give the best of each channel, and unless `plain` what stood beside the very best."""
    words, near = query.matched.best(per_channel), query.near.docs
    chosen = np.zeros(shelf.size, dtype=bool)
    chosen[words] = True
    chosen[near] = True
    if query.named or query.inherited:
        chosen[[*list(query.named)[:per_channel], *query.inherited]] = True
    if not plain:
        best = np.concatenate((words[:AROUND], near[:AROUND])) if len(near) else words[:AROUND]
        chosen[shelf.around(best, reach=1)] = True
    chosen &= query.allowed
    return chosen.nonzero()[0]


def _words(values: Reals, shelf: Shelf, matched: Matched, around: Ints, policy: TermsPolicy) -> None:
    """Words in the message, around it, and in its whole session."""
    seen = matched.counted(matched.doc, shelf.size, around)
    share = shelf.column["part"].take(around)
    share[0] = 1.0
    share[1:3] *= NEXT
    share[3:5] *= SECOND_NEXT
    width = np.add.reduce(share * shelf.lengths.take(around))
    window = np.einsum("ij,tij->tj", share, seen)
    weights = matched.weights
    average = float(np.add.reduce(width)) / len(width)
    values[ROW["window_words"]] = weights.dot(saturated(window, width, average, policy))
    values[ROW["cover"]] = weights.dot(np.minimum(seen[:, 0], 1.0)) / matched.whole
    talk = shelf.column["talk"].take(around[0])
    heard = matched.counted(shelf.column["session"].take(matched.doc), len(shelf.session_words), talk)
    spoken = weights.dot(saturated(heard, shelf.session_words.take(talk), shelf.words_a_session, policy))
    spoken[talk == 0] = np.nan
    values[ROW["session_words"]] = spoken


def _meaning(values: Reals, view: View, query: Query, wanted: Ints) -> None:
    """Meaning of the message, and if asked for of what stood beside it, and the best in its session."""
    docs, beside = wanted[0], wanted[1:]
    known = np.empty(len(query.allowed))  # only what is wanted is ever looked at
    known[wanted] = view.similar(query.where.owner, query.asked.model, query.asked.vector, wanted)
    known[query.near.docs] = query.near.similar
    own = known.take(docs)
    values[ROW["meaning"]] = own
    if not len(beside):
        return
    sides = np.where(query.allowed.take(beside), known.take(beside), np.nan)
    values[ROW["window_meaning"]] = np.fmax(sides[0], sides[1])
    # Where a fact was learnt says little about it: a talk speaks for its messages only.
    talk = view.shelf(query.where.owner).column["talk"].take(docs)
    best = np.full(int(talk.max()) + 1, -1.0)
    np.maximum.at(best, talk, np.where(np.isfinite(own), own, -1.0))
    values[ROW["session_meaning"]] = np.where(talk > 0, best[talk], np.nan)


def speakers(shelf: Shelf, text: str) -> tuple[list[int], set[str]]:
    """Give the numbers of the actors named in a query, and the words that name them; none if all are."""
    if not shelf.called:
        return [], set()
    named = shelf.named({word.removesuffix("'s") for word in split(fold(text))})
    if not named or len(named) == shelf.speakers:
        return [], set()
    return list(named), set().union(*named.values())


def _dates(spans: Sequence[Moment], events: Ints) -> Reals:
    """How near each message is to a time named in the query."""
    best = np.zeros(len(events))
    for span in spans:
        later = np.maximum(0.0, events - to_ms(span.end)) / DAY
        earlier = np.maximum(0.0, to_ms(span.start) - events) / DAY
        best = np.maximum(best, np.exp(-later / AFTER_DAYS - earlier / BEFORE_DAYS))
    return best


def newer(view: View, query: Query, evidence: Evidence, total: Reals) -> Reals:
    """Give what lifts a newer candidate above an older one that says much the same: the question is how things are."""
    owner, shelf = query.where.owner, view.shelf(query.where.owner)
    top = np.argsort(-total, kind="stable")[:HEAD]
    docs = evidence.docs[top]
    marks, events = shelf.column["marks"][docs], shelf.column["event"][docs]
    author = shelf.column["actor"][docs] * 2 + (marks & PERSON > 0)
    order = np.argsort(np.lexsort((docs, events)))
    out = np.zeros(len(total))
    behind = (order[None, :] > order[:, None]) & (author[None, :] == author[:, None])
    if not np.triu(behind, 1).any():  # what is newer is ahead already
        return out
    alike = view.alike(owner, query.asked.model, docs) if query.asked.vector is not None else None
    best = Best(
        score=total[top],
        order=order,
        cosine=np.zeros((len(top), len(top))) if alike is None else alike,
        matched=query.matched.weights[:, None] * query.matched.holds(docs),
        change=(marks & CHANGED > 0).astype(float),
        author=author,
        said=shelf.column["kind"][docs] == shelf.spelling["kind"].get("episode", -1),
    )
    out[top] = lifts(best)
    return out
