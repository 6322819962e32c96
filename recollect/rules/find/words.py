"""Ranking by words: the terms of a query, and BM25 over their postings."""

from __future__ import annotations

from collections.abc import Container, Sequence

from recollect.model.values import dataclass
from recollect.rules.find.bm25 import idf, scores
from recollect.rules.find.columns import Columns, Postings
from recollect.text.arrays import Flags, Ints, Reals, best_first, np
from recollect.text.patterns import pattern
from recollect.text.stopwords import languages, stop_words
from recollect.text.terms import TermsPolicy, stem, tag_term

MOST_WORDS = 1024
MOST_SPOKEN = 64
"""How many words tell the language of a query."""
FEWEST_SPOKEN = 2
"""How many of them tell a language: one may be a word of another."""
DENSE = 2**20
"""Up to how many cells a table of terms is kept whole."""
_ENDS = ".,;:!?…)]}\"'»”’。、，；：！？"
_TAG = pattern(r"#([^\s#]+)")


@dataclass(frozen=True, slots=True)
class Words:
    """What of a query is looked for by words."""

    spelled: dict[str, str]
    """The terms, each with the word it was made of."""
    exact: tuple[str, ...]
    """Terms for which nothing may stand in, such as tags."""
    policy: TermsPolicy

    @property
    def terms(self) -> list[str]:
        """All terms, each once."""
        return list(dict.fromkeys((*self.spelled, *self.exact)))

    def unknown(self, known: Container[str]) -> list[str]:
        """Give the terms others may stand in for, where only some are known.

        Unknown words have their own allowance: in a long text they must not crowd out the known ones.
        """
        missing = [term for term in self.spelled if term not in known and not term.isdecimal()]
        return missing[: self.policy.expandable_terms]


def telling(words: Sequence[str], policy: TermsPolicy) -> list[str]:
    """Give the distinct words of a query that can find anything, in order.

    Who asks in another language than most is kept in uses its common words, too: they find only texts in it. But a word
    that is common there may tell everything here, so nothing is left out where nothing would be left.
    """
    usual = stop_words(policy.language)
    rest = [word for word in dict.fromkeys(words) if word not in usual]
    common = stop_words(_spoken(words, policy.language))
    return ([word for word in rest if word not in common] or rest)[:MOST_WORDS]


def _spoken(words: Sequence[str], usual: str) -> str:
    """Name the language of a query whose common words are a good part of it; the usual one where none has more."""
    few = set(words[:MOST_SPOKEN])
    many = {one: sum(map(stop_words(one).__contains__, few)) for one in (usual, *languages())}
    best = max(many, key=lambda one: many[one])
    return best if many[best] >= FEWEST_SPOKEN and many[best] * 3 >= len(few) else usual


def tagged(query: str) -> tuple[str, ...]:
    """Give the terms of the tags written into a query."""
    found = _TAG.findall(query)[:MOST_WORDS] if "#" in query else ()
    return tuple(tag_term(tag) for one in found for tag in (one, one.rstrip(_ENDS)))


def sought(words: Sequence[str], tags: tuple[str, ...], policy: TermsPolicy, called: Container[str] = ()) -> Words:
    """Give what to look for: the terms of words and tags, but for words that only call a speaker by his name."""
    spelled: dict[str, str] = {}
    for word in [word for word in words if word.removesuffix("'s") not in called] or words:
        spelled.setdefault(stem(word, policy.language), word)
    return Words(spelled, tags, policy)


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
        docs = np.unique(self._good(self.doc, limit * len(self.weights)))  # a document has a posting a term at most
        docs = self._good(docs, limit)
        return docs.take(best_first(self.total.take(docs))[:limit])

    def _good(self, docs: Ints, many: int) -> Ints:
        """Leave out of documents those that are worse than the best so many of them."""
        if len(docs) <= many:
            return docs
        score = self.total.take(docs)
        ordered = score.copy()
        ordered.partition(len(docs) - many)
        return np.asarray(docs[score >= ordered[len(docs) - many]])

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

    def replaced(self, columns: Columns, most: int) -> dict[int, float]:
        """Give the best documents others have taken the place of, which no filter lets through, with their scores."""
        if "superseded" not in columns.spelling["state"]:
            return {}
        docs = np.flatnonzero(self.total)
        hidden = docs[columns.are("state", "superseded", docs)]
        best = hidden[np.argsort(-self.total[hidden], kind="stable")][:most]
        return dict(zip(best.tolist(), self.total[best].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Collection:
    """What BM25 knows of the whole: how many memories count, and how long they are on average."""

    docs: int
    average_length: float


def scored(
    found: Postings, factors: Sequence[float], columns: Columns, allowed: Flags, whole: Collection, policy: TermsPolicy
) -> Matched:
    """Score documents by the postings of terms; `factors` say how much each term counts."""
    term, doc, tf = found.term, found.doc, found.tf
    known = found.many.tolist()
    df = known if columns.all_stand else np.bincount(term, columns.stands(doc), len(known)).tolist()
    # What nobody ever said cannot be missed.
    of_each = zip(df, known, factors, strict=True)
    rarity = [idf(whole.docs, met) * factor if many else 0.0 for met, many, factor in of_each]
    weights = np.array(rarity)
    total = scores(doc, tf, weights.take(term), columns.lengths, whole.average_length, policy)
    passed = allowed.take(doc)  # what does not pass the filter says nothing about its neighbours either
    if np.count_nonzero(passed) < len(passed):
        term, doc, tf = term[passed], doc[passed], tf[passed]
    return Matched(weights, max(sum(rarity), 1e-9), term, doc, tf, total)
