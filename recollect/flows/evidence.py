"""What speaks for each candidate of a search: its words, its meaning, who said it, when, and what stood around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from recollect.flows.meaning import Asked
from recollect.flows.words import Matched
from recollect.model.clock import to_ms
from recollect.model.filter import Filter
from recollect.rules.bm25 import saturated
from recollect.rules.fusion import HEAD, Best, lifts
from recollect.rules.marks import ASKS, CHANGED, NUMBERED, PERSON, PERSONAL, TIMED
from recollect.rules.moments import moments
from recollect.rules.numbers import Flags, Ints, Reals, np
from recollect.rules.questions import Form
from recollect.rules.terms import TermsPolicy, fold, split
from recollect.store.base import View
from recollect.store.shelf import Shelf

NEXT, SECOND_NEXT = 0.6, 0.3
"""What the words of neighbours one and two messages away count in the window of a message."""
LONG = 60
"""From how many words on a message counts as long."""
TALK = 20
"""Up to how many messages a session speaks for each of them in full."""
ALONE = 1.5
"""How much more words count where there is no meaning to compare."""
AROUND = 20
"""Of how many of the best by words, and by meaning, the neighbours become candidates too."""
AFTER_DAYS, BEFORE_DAYS = 10.0, 3.0
"""How fast a message's nearness to a named time fades: people tell of things later, seldom before."""
DAY = 86_400_000.0


@dataclass(slots=True)
class Query:
    """One query as the search sees it."""

    text: str
    where: Filter
    matched: Matched
    asked: Asked
    near: dict[int, float]
    """The documents nearest in meaning with their similarity, best first."""
    named: dict[int, float]
    """The documents that mention names of the query, and how many."""
    speakers: list[int]
    """The numbers of actors named in the query."""
    form: Form
    inherited: dict[int, float]
    """The documents that stand in the place of replaced ones the words found, with what they inherit."""
    allowed: Flags
    now: datetime


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of a search and the value of each feature for each of them."""

    docs: Ints
    features: dict[str, Reals] = field(default_factory=dict)
    gates: dict[str, float] = field(default_factory=dict)
    """How much a feature matters to this query; 1 where nothing is said."""


def gather(view: View, query: Query, policy: TermsPolicy, per_channel: int) -> Evidence:
    """Choose the candidates and look at each from every side."""
    shelf = view.shelf(query.where.owner)
    docs = _candidates(shelf, query, per_channel)
    if not len(docs):
        return Evidence(docs)
    column = {name: values[: shelf.size] for name, values in shelf.column.items()}
    features = {"words": query.matched.total[docs]}
    for doc, score in query.inherited.items():
        at = np.searchsorted(docs, doc)
        features["words"][at] = max(features["words"][at], score)
    if query.named:
        features["names"] = np.array([query.named.get(doc, 0.0) for doc in docs.tolist()])
    before, after = shelf.beside(docs)
    # Where a fact was learnt says little about it: a talk speaks for its messages only.
    talk = column["session"][docs] * (column["kind"][docs] == shelf.spelling["kind"].get("episode", -1))
    _words(features, view, query, docs, talk, policy)
    _meaning(features, view, query, docs, before, after, talk)
    if query.speakers:
        said_by = column["actor"][docs]
        features["speaker"] = np.any([said_by == code for code in query.speakers], axis=0).astype(float)
    _dates(features, query, column["event"][docs])
    features["long"] = np.log(np.maximum(column["length"][docs], LONG) / LONG)
    bits = np.array(list(_MARKS.values()), dtype=np.uint8)
    marked = (column["marks"][docs][None] & bits[:, None] > 0).astype(float)
    # How a text is worded tells something of a message; what is kept was worded to be kept.
    said = column["kind"][docs] == shelf.spelling["kind"].get("episode", -1)
    features |= {name: np.where(said, row, np.nan) for name, row in zip(_MARKS, marked, strict=True)}
    # The words of the question that a message answers speak for the answer.
    asked = (column["marks"][before] & ASKS > 0) & (column["length"][before] < LONG)
    features["answers"] = query.matched.total[before] * (asked & query.allowed[before])
    return Evidence(docs, features, _gates(shelf, query))


_MARKS = {"person": PERSON, "asks": ASKS, "personal": PERSONAL, "timed": TIMED, "numbered": NUMBERED}


def _gates(shelf: Shelf, query: Query) -> dict[str, float]:
    """Say which features matter to a question of this form, and in talks of this length."""
    asks = query.form
    fade = min(1.0, TALK / max(shelf.messages_a_session, 1.0))
    told = float(not asks.told)
    return {
        "window_words": 1.0 if query.asked.vector is not None else ALONE,
        "session_words": fade**2,
        "session_meaning": fade,
        "person": told * (0.5 if asks.overview else 1.0),
        "long": told,
        "timed": float(asks.when),
        "numbered": float(asks.number),
    }


def _candidates(shelf: Shelf, query: Query, per_channel: int) -> Ints:
    """Give the best of each channel, and what stood beside the very best."""
    words = [doc for doc, _ in query.matched.best(per_channel)]
    near = list(query.near)
    chosen = {*words, *near, *list(query.named)[:per_channel], *query.inherited}
    best = np.array([*words[:AROUND], *near[:AROUND]], dtype=np.int64)
    chosen.update(*(side.tolist() for side in shelf.beside(best)))
    docs = np.array(sorted(chosen), dtype=np.int64)
    return docs[query.allowed[docs]] if len(docs) else docs


def _words(features: dict[str, Reals], view: View, query: Query, docs: Ints, talk: Ints, policy: TermsPolicy) -> None:
    """Words in the message, around it, and in its whole session."""
    shelf, matched = view.shelf(query.where.owner), query.matched
    lengths, column = shelf.lengths, shelf.column
    before, after = shelf.beside(docs)
    beside = np.stack([before, after, shelf.beside(before)[0], shelf.beside(after)[1]])
    # A long neighbour counts like a part of itself.
    reach = np.array([NEXT, NEXT, SECOND_NEXT, SECOND_NEXT])
    share = reach[:, None] * np.minimum(1.0, LONG / np.maximum(lengths[beside], 1))
    width = lengths[docs] + (share * lengths[beside]).sum(axis=0)
    seen = counts(matched, shelf.size, np.concatenate([docs[None], beside]).ravel())
    seen = seen.reshape(len(matched.weights), 1 + len(beside), len(docs))
    window = seen[:, 0] + (share * seen[:, 1:]).sum(axis=1)
    features["window_words"] = matched.weights @ saturated(window, width, float(width.mean()), policy)
    features["cover"] = matched.weights @ (seen[:, 0] > 0).astype(float) / matched.whole
    talks = np.flatnonzero(np.bincount(talk))  # of the sessions only those of the candidates
    place = np.full(len(shelf.session_words), -1)
    place[talks] = np.arange(len(talks))
    heard = place[column["session"][matched.doc]]
    here = heard >= 0
    at = matched.term[here] * len(talks) + heard[here]
    flat = np.asarray(np.bincount(at, matched.tf[here], minlength=len(matched.weights) * len(talks)), dtype=float)
    sums = flat.reshape(len(matched.weights), len(talks))[:, place[talk]]
    spoken: Reals = matched.weights @ saturated(sums, shelf.session_words[talk], shelf.words_a_session, policy)
    features["session_words"] = np.where(talk > 0, spoken, np.nan)


def counts(matched: Matched, size: int, docs: Ints) -> Reals:
    """Say how often each term of a query is in each of some documents: a row a term, a column a document."""
    # Only few of all documents are asked for: they get places of their own, 0 being everybody else's.
    place = np.zeros(size, dtype=np.int32)
    place[docs] = np.arange(1, len(docs) + 1)
    place[0] = 0
    at = place[matched.doc]
    here = at > 0
    out = np.zeros((len(matched.weights), len(docs) + 1))
    out[matched.term[here], at[here]] = matched.tf[here]
    return np.asarray(out[:, place[docs]])


def _meaning(
    features: dict[str, Reals],
    view: View,
    query: Query,
    docs: Ints,
    before: Ints,
    after: Ints,
    sessions: Ints,
) -> None:
    """Meaning of the message, of what stood beside it, and the best in its session."""
    if query.asked.vector is None:
        return
    known = np.full(len(query.allowed), np.nan)
    wanted = np.concatenate([docs, before, after])
    known[wanted] = view.similar(query.where.owner, query.asked.model, query.asked.vector, wanted)
    known[0] = np.nan
    near = np.fromiter(query.near, dtype=np.int64, count=len(query.near))
    known[near] = np.fromiter(query.near.values(), dtype=float, count=len(query.near))
    own = known[docs]
    features["meaning"] = own
    known[~query.allowed] = np.nan
    features["window_meaning"] = np.fmax(known[before], known[after])
    best = np.full(int(sessions.max()) + 1, -1.0)
    np.maximum.at(best, sessions, np.where(np.isfinite(own), own, -1.0))
    features["session_meaning"] = np.where(sessions > 0, best[sessions], np.nan)


def speakers(shelf: Shelf, text: str) -> tuple[list[int], set[str]]:
    """Give the numbers of the actors named in a query, and the words that name them; none if all are."""
    named = shelf.named({word.removesuffix("'s") for word in split(fold(text))})
    if not named or len(named) == shelf.speakers:
        return [], set()
    return list(named), set().union(*named.values())


def _dates(features: dict[str, Reals], query: Query, events: Ints) -> None:
    """How near each message is to a time named in the query."""
    spans = moments(query.text, query.now)
    if not spans:
        return
    best = np.zeros(len(events))
    for span in spans:
        later = np.maximum(0.0, events - to_ms(span.end)) / DAY
        earlier = np.maximum(0.0, to_ms(span.start) - events) / DAY
        best = np.maximum(best, np.exp(-later / AFTER_DAYS - earlier / BEFORE_DAYS))
    features["date"] = best


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
        matched=query.matched.weights[:, None] * (counts(query.matched, shelf.size, docs) > 0),
        change=(marks & CHANGED > 0).astype(float),
        author=author,
        said=shelf.column["kind"][docs] == shelf.spelling["kind"].get("episode", -1),
    )
    out[top] = lifts(best)
    return out
