"""Searching by words: query terms, what stands in for unknown ones, and the ranking."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from recollect.model.filter import Filter
from recollect.rules.find.bm25 import idf, is_part, near, rarest, scores, slips
from recollect.store.base import View
from recollect.store.cache.columns import Posted
from recollect.text.arrays import Flags, Ints, Reals, best_first, np
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words
from recollect.text.terms import TermsPolicy, split, stem, tag_term

MOST_WORDS = 1024
DENSE = 2**20
"""Up to how many cells a table of terms is kept whole."""
_ENDS = ".,;:!?…)]}\"'»”’。、，；：！？"
_TAG = pattern(r"#([^\s#]+)")


def query_words(query: str, policy: TermsPolicy) -> list[str]:
    """Give the distinct words of a query that can find anything, in order."""
    stop = stop_words(policy.language)
    return list(dict.fromkeys([word for word in split(query) if word not in stop]))[:MOST_WORDS]


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

    def best(self, limit: int) -> Ints:
        """Give the best documents that pass the filter; the newer of equals first."""
        found = np.zeros(len(self.total), dtype=bool)
        found[self.doc] = True
        docs = found.nonzero()[0]
        score = self.total.take(docs)
        if len(docs) > limit:  # all that are as good as the last one in
            good = score >= np.partition(score, len(docs) - limit)[len(docs) - limit]
            docs, score = docs[good], score[good]
        return docs.take(best_first(score)[:limit])

    def counted(self, column: Ints, width: int, wanted: Ints) -> Reals:
        """Add up counts by term and by a column each posting belongs to; only the wanted columns are given, any shape.

        Column 0 is nobody's.
        """
        many = len(self.weights)
        if many * width <= DENSE:
            flat = np.bincount(self.term * width + column, self.tf, many * width)
            return np.asarray(flat.reshape(many, width).take(wanted, axis=1))
        # Only few of very many are wanted: they get places of their own, 0 being everybody else's.
        place = np.zeros(width, dtype=np.int32)
        place[wanted.ravel()] = np.arange(1, wanted.size + 1)
        place[0] = 0
        at = place.take(column)
        here = at > 0
        few = np.bincount(
            self.term[here] * (wanted.size + 1) + at[here], self.tf[here], many * (wanted.size + 1)
        ).reshape(many, -1)
        few[:, 0] = 0.0
        return np.asarray(few.take(place.take(wanted), axis=1))

    def holds(self, docs: Ints) -> Flags:
        """Say which terms are in each of some documents: a row a term, a column a document."""
        out = np.zeros((len(self.weights), len(docs)), dtype=bool)
        for at, doc in enumerate(docs.tolist()):
            out[self.term[self.doc == doc], at] = True
        return out


def by_words(
    view: View, where: Filter, query: str, policy: TermsPolicy, without: Container[str] = frozenset()
) -> Matched:
    """Score the memories that pass the filter by BM25 against a query, but for some of its words."""
    spelled: dict[str, str] = {}
    words = query_words(query, policy)
    for word in [word for word in words if word.removesuffix("'s") not in without] or words:
        spelled.setdefault(stem(word, policy.language), word)
    tags = _TAG.findall(query)[:MOST_WORDS] if "#" in query else ()
    tagged = [tag_term(tag) for found in tags for tag in (found, found.rstrip(_ENDS))]
    terms, found, known = _known(view, where.owner, list(dict.fromkeys((*spelled, *tagged))), policy)
    factors: dict[str, float] = {}
    # Unknown words have their own allowance: in a long text they must not crowd out the known ones.
    for term in [term for term in spelled if term not in known and not term.isdecimal()][: policy.expandable_terms]:
        for stand_in, factor in _stand_ins(view, where.owner, spelled[term], term, policy).items():
            if stand_in not in terms:
                factors[stand_in] = max(factor, factors.get(stand_in, 0.0))
    if factors:
        columns = zip(found, view.postings(where.owner, list(factors)), strict=True)
        found = Posted(*(np.concatenate(column) for column in columns))
    return _scored(view, where, found, [1.0] * len(terms) + list(factors.values()), policy)


def _known(view: View, owner: str, terms: list[str], policy: TermsPolicy) -> tuple[list[str], Posted, Container[str]]:
    """Give the postings of terms, of many only the rarest, and which of the terms are known at all."""
    if len(terms) <= policy.max_query_terms:
        found = view.postings(owner, terms)
        return terms, found, {term for term, many in zip(terms, found.many.tolist(), strict=True) if many}
    known = view.frequencies(owner, terms)
    wanted = rarest(known, [term for term in terms if term in known], policy.max_query_terms)
    return wanted, view.postings(owner, wanted), known


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


def best_matches(view: View, where: Filter, terms: Sequence[str], policy: TermsPolicy, limit: int) -> Ints:
    """Rank by exact terms alone: what a new text has most in common with."""
    wanted, found, _ = _known(view, where.owner, list(terms), policy)
    return _scored(view, where, found, [1.0] * len(wanted), policy).best(limit)


def _scored(view: View, where: Filter, found: Posted, factors: Sequence[float], policy: TermsPolicy) -> Matched:
    """Score documents by postings; `factors` say how much each term counts."""
    whole, shelf, allowed = view.counters(where.owner), view.shelf(where.owner), view.allowed(where)
    term, doc, tf = found.term, found.doc, found.tf
    known = found.many.tolist()
    df = known if shelf.all_stand else np.bincount(term, shelf.stands(doc), len(known)).tolist()
    # What nobody ever said cannot be missed.
    of_each = zip(df, known, factors, strict=True)
    rarity = [idf(whole.docs, met) * factor if many else 0.0 for met, many, factor in of_each]
    weights = np.array(rarity)
    total = scores(doc, tf, weights.take(term), shelf.lengths, whole.average_length, policy)
    passed = allowed.take(doc)  # what does not pass the filter says nothing about its neighbours either
    if np.count_nonzero(passed) < len(passed):
        term, doc, tf = term[passed], doc[passed], tf[passed]
    return Matched(weights, max(sum(rarity), 1e-9), term, doc, tf, total)
