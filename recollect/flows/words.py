"""Searching by words: query terms, what stands in for unknown ones, and the ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.model.filter import Filter
from recollect.rules.bm25 import idf, is_part, near, rarest, scores, slips
from recollect.rules.stopwords import STOP_WORDS
from recollect.rules.terms import TermsPolicy, split, stem, tag_term
from recollect.store.base import View

MOST_WORDS = 1024
_ENDS = ".,;:!?…)]}\"'»”’。、，；：！？"
_TAG = re.compile(r"#([^\s#]+)")


def query_words(query: str, policy: TermsPolicy) -> list[str]:
    """Give the distinct words of a query that can find anything, in order."""
    stop = STOP_WORDS.get(policy.language, frozenset())
    return list(dict.fromkeys(word for word in split(query) if word not in stop))[:MOST_WORDS]


def by_words(view: View, where: Filter, query: str, policy: TermsPolicy, limit: int) -> list[tuple[int, float]]:
    """Rank the memories that pass the filter by BM25 against a query; best first, the newer of equals first."""
    spelled: dict[str, str] = {}
    for word in query_words(query, policy):
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
    return _ranked(view, where, factors, known, policy, limit)


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
    return _ranked(view, where, dict.fromkeys(wanted, 1.0), known, policy, limit)


def _ranked(
    view: View,
    where: Filter,
    factors: dict[str, float],
    known: dict[str, int],
    policy: TermsPolicy,
    limit: int,
) -> list[tuple[int, float]]:
    whole = view.counters(where.owner)
    weights = {term: factor * idf(whole.docs, known[term]) for term, factor in factors.items()}
    average = whole.total_length / whole.docs if whole.docs else 1.0
    total = scores(view.matches(where, sorted(weights)), weights, average, policy)
    return [(-doc, -score) for score, doc in sorted((-score, -doc) for doc, score in total.items())[:limit]]
