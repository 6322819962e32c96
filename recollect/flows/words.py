"""Searching by words: query terms, what stands in for unknown ones, and the ranking."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from recollect.model.filter import Filter
from recollect.rules.bm25 import idf, is_part, near, rarest, scores, slips
from recollect.rules.numbers import Flags, Ints, Reals, np
from recollect.rules.stopwords import STOP_WORDS
from recollect.rules.terms import TermsPolicy, split, stem, tag_term
from recollect.store.base import View
from recollect.store.shelf import Posting

MOST_WORDS = 1024
_ENDS = ".,;:!?…)]}\"'»”’。、，；：！？"
_TAG = re.compile(r"#([^\s#]+)")


def query_words(query: str, policy: TermsPolicy) -> list[str]:
    """Give the distinct words of a query that can find anything, in order."""
    stop = STOP_WORDS.get(policy.language, frozenset())
    return list(dict.fromkeys(word for word in split(query) if word not in stop))[:MOST_WORDS]


@dataclass(frozen=True, slots=True)
class Matched:
    """What the words of a query found: their postings, flat, and BM25 by document number."""

    weights: Reals
    """The idf of each term that was found."""
    whole: float
    """The idf of all terms, found or not."""
    term: Ints
    doc: Ints
    tf: Reals
    """Of each posting that passes the filter the term's place among `weights`, the document and the count."""
    total: Reals
    """BM25 by document number, whether it passes the filter or not."""
    allowed: Flags

    def best(self, limit: int) -> list[tuple[int, float]]:
        """Give the best documents that pass the filter, with their scores; the newer of equals first."""
        docs = self.docs[self.allowed[self.docs]]
        if len(docs) > limit:  # all that are as good as the last one in
            least = np.partition(self.total[docs], len(docs) - limit)[len(docs) - limit]
            docs = docs[self.total[docs] >= least]
        order = np.lexsort((-docs, -self.total[docs]))[:limit]
        return list(zip(docs[order].tolist(), self.total[docs[order]].tolist(), strict=True))

    @property
    def docs(self) -> Ints:
        """All documents that hold any of the words."""
        return np.flatnonzero(self.total)


def by_words(
    view: View, where: Filter, query: str, policy: TermsPolicy, without: Container[str] = frozenset()
) -> Matched:
    """Score the memories that pass the filter by BM25 against a query, but for some of its words."""
    spelled: dict[str, str] = {}
    words = query_words(query, policy)
    for word in [word for word in words if word.removesuffix("'s") not in without] or words:
        spelled.setdefault(stem(word, policy.language), word)
    tagged = [tag_term(tag) for found in _TAG.findall(query)[:MOST_WORDS] for tag in (found, found.rstrip(_ENDS))]
    known = view.frequencies(where.owner, [*spelled, *tagged])
    # Unknown words have their own allowance: in a long text they must not crowd out the known ones.
    wanted = rarest(known, [term for term in (*spelled, *tagged) if term in known], policy.max_query_terms)
    factors = dict.fromkeys(wanted, 1.0)
    unknown = [term for term in spelled if term not in known and not term.isdecimal()][: policy.expandable_terms]
    for term in unknown:
        for stand_in, factor in _stand_ins(view, where.owner, spelled[term], term, policy).items():
            factors[stand_in] = max(factor, factors.get(stand_in, 0.0))
    if unknown:
        known |= view.frequencies(where.owner, list(factors))
    return _scored(view, where, factors, known, policy)


def _stand_ins(view: View, owner: str, word: str, term: str, policy: TermsPolicy) -> dict[str, float]:
    """Find what an unknown word may mean: known words it is a part of, else near spellings."""
    for part in dict.fromkeys((word, term)):
        if is_part(part) and (holders := view.terms_with(owner, part, policy.expansions)):
            return dict.fromkeys(holders, policy.expansion_weight)
    # Nearly every slip leaves the first letter or swaps the first two.
    off, size = slips(term), len(term)
    starts = dict.fromkeys(term[:2]) if off else ()
    nearby = [known for start in starts for known in view.terms_from(owner, start, size - off, size + off)]
    return near(term, nearby, policy) if nearby else {}


def best_matches(
    view: View, where: Filter, terms: Sequence[str], policy: TermsPolicy, limit: int
) -> list[tuple[int, float]]:
    """Rank by exact terms alone: what a new text has most in common with."""
    known = view.frequencies(where.owner, terms)
    wanted = rarest(known, [term for term in terms if term in known], policy.max_query_terms)
    return _scored(view, where, dict.fromkeys(wanted, 1.0), known, policy).best(limit)


def _scored(
    view: View, where: Filter, factors: Mapping[str, float], known: Mapping[str, int], policy: TermsPolicy
) -> Matched:
    whole = view.counters(where.owner)
    weights = {term: factor * idf(whole.docs, known[term]) for term, factor in sorted(factors.items())}
    found = view.postings(where.owner, list(weights))
    lengths, allowed = view.shelf(where.owner).lengths, view.allowed(where)
    known_terms = [term for term in weights if term in found]
    idfs = np.array([weights[term] for term in known_terms])
    term, doc, tf = _flat([found[term] for term in known_terms])
    inside = doc < len(allowed)  # what was written after this look has its postings, but no place on the shelf yet
    if not inside.all():
        term, doc, tf = term[inside], doc[inside], tf[inside]
    total = scores(doc, tf, idfs[term], lengths[: len(allowed)], whole.average_length, policy)
    passed = allowed[doc]  # what does not pass the filter says nothing about its neighbours either
    if not passed.all():
        term, doc, tf = term[passed], doc[passed], tf[passed]
    return Matched(idfs, max(sum(weights.values()), 1e-9), term, doc, tf, total, allowed)


def _flat(postings: Sequence[Posting]) -> tuple[Ints, Ints, Reals]:
    """Put the postings of all terms in a row, with the place of the term of each."""
    if not postings:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    term = np.repeat(np.arange(len(postings)), [len(docs) for docs, _ in postings])
    return term, np.concatenate([docs for docs, _ in postings]), np.concatenate([tfs for _, tfs in postings])
