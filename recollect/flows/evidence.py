"""What speaks for each candidate of a search: its words, its meaning, who said it, when, and what stood around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.flows.meaning import Asked
from recollect.flows.words import Matched
from recollect.model.clock import to_ms
from recollect.model.filter import Filter
from recollect.rules.bm25 import saturated
from recollect.rules.marks import ASKS, PERSONAL, TIMED
from recollect.rules.moments import moments
from recollect.rules.numbers import Flags, Ints, Reals, np
from recollect.rules.terms import TermsPolicy, fold, split
from recollect.store.base import View
from recollect.store.shelf import Shelf

AROUND = 20
"""Of how many of the best by words, and by meaning, the neighbours become candidates too."""
NEIGHBOUR = 0.5
"""What a neighbour's words count in the window of a message."""
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
    inherited: dict[int, float]
    """The documents that stand in the place of replaced ones the words found, with what they inherit."""
    allowed: Flags
    now: datetime


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of a search and the value of each feature for each of them."""

    docs: Ints
    features: dict[str, Reals] = field(default_factory=dict)


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
    before, after = column["before"][docs], column["after"][docs]
    _words(features, view, query, docs, before, after, policy)
    _meaning(features, view, query, docs, before, after, column["session"][docs])
    _speakers(features, shelf, query, docs)
    _dates(features, query, column["event"][docs])
    user = shelf.spelling["role"].get("user", -1)
    features["user"] = (column["role"][docs] == user).astype(float)
    features["length"] = np.log1p(column["length"][docs])
    marks = column["marks"]
    features["asks"] = (marks[docs] & ASKS > 0).astype(float)
    features["answers"] = (marks[before] & ASKS > 0).astype(float)
    features["personal"] = (marks[docs] & PERSONAL > 0).astype(float)
    features["timed"] = (marks[docs] & TIMED > 0).astype(float)
    return Evidence(docs, features)


def _candidates(shelf: Shelf, query: Query, per_channel: int) -> Ints:
    """Give the best of each channel, and what stood beside the very best."""
    words = [doc for doc, _ in query.matched.best(per_channel)]
    near = list(query.near)
    chosen = {*words, *near, *list(query.named)[:per_channel], *query.inherited}
    if shelf.size > 1:
        best = np.array([*words[:AROUND], *near[:AROUND]], dtype=np.int64)
        chosen.update(shelf.column["before"][best].tolist(), shelf.column["after"][best].tolist())
    docs = np.array(sorted(chosen), dtype=np.int64)
    return docs[query.allowed[docs]] if len(docs) else docs


def _words(
    features: dict[str, Reals],
    view: View,
    query: Query,
    docs: Ints,
    before: Ints,
    after: Ints,
    policy: TermsPolicy,
) -> None:
    """Words in the message, around it, and in its whole session."""
    shelf, matched = view.shelf(query.where.owner), query.matched
    lengths, sessions = shelf.lengths, shelf.column["session"][: shelf.size]
    average = view.counters(query.where.owner).average_length
    around = lengths[docs] + NEIGHBOUR * (lengths[before] + lengths[after])
    here = sessions[docs]
    talks = shelf.session_words[: len(shelf.spelling["session"])]
    typical = float(talks[1:].mean()) if len(talks) > 1 else 1.0
    counts = np.zeros(shelf.size)  # one term's counts by document, cleared after each
    sums = {name: np.zeros(len(docs)) for name in ("window", "covered", "shared", "session")}
    for term, (at, tf) in matched.found.items():
        weight = matched.weights[term]
        counts[at] = tf
        own, left, right = counts[docs], counts[before], counts[after]
        beside = np.maximum(left, right) > 0
        sums["window"] += weight * saturated(own + NEIGHBOUR * (left + right), around, average, policy)
        sums["covered"] += weight * (own > 0)
        sums["shared"] += weight * np.where(own > 0, 1.0, NEIGHBOUR * beside)
        whole = np.bincount(sessions[at], tf, minlength=len(talks))[here]
        sums["session"] += weight * saturated(whole, talks[here], typical, policy)
        counts[at] = 0
    total = max(sum(matched.weights.values()), 1e-9)
    features["window_words"] = sums["window"]
    features["cover"] = sums["covered"] / total
    features["window_cover"] = sums["shared"] / total
    features["before_words"] = matched.total[before]
    features["after_words"] = matched.total[after]
    features["session_words"] = np.where(here > 0, sums["session"], np.nan)


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
    known = dict(query.near)
    wanted = sorted({*docs.tolist(), *before.tolist(), *after.tolist()} - known.keys() - {0})
    known |= view.similar(query.where.owner, query.asked.model, query.asked.vector, wanted)
    missing = float("nan")

    def similar(some: Ints) -> Any:
        return np.array([known.get(doc, missing) for doc in some.tolist()])

    own = similar(docs)
    features["meaning"] = own
    beside = np.stack([similar(before), similar(after)])
    typical = np.nanmean(own) if np.isfinite(own).any() else missing
    features["window_meaning"] = np.where(np.isfinite(beside), beside, typical).mean(axis=0)
    best = np.full(int(sessions.max()) + 1, -1.0)
    np.maximum.at(best, sessions, np.where(np.isfinite(own), own, -1.0))
    features["session_meaning"] = np.where(sessions > 0, best[sessions], missing)


def _speakers(features: dict[str, Reals], shelf: Shelf, query: Query, docs: Ints) -> None:
    """Whether somebody named in the query speaks, or is spoken of by others."""
    words = {word.removesuffix("'s") for word in split(fold(query.text))}
    known = shelf.spelling["actor"]
    speaking = [code for actor, code in known.items() if actor and not words.isdisjoint(split(fold(actor)))]
    if not speaking or len(speaking) == len(known) - 1:
        return
    said = np.isin(shelf.column["actor"][docs], speaking).astype(float)
    features["speaker"] = said
    if query.named:
        features["spoken_of"] = (1 - said) * (features["names"] > 0)


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
