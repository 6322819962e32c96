"""Searching by words in portable SQL: postings, what stands in for unknown words, and what that finds."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import chain

from recollect.model.filter import Filter
from recollect.rules.find.bm25 import is_part, near, rarest, slips
from recollect.rules.find.columns import Postings
from recollect.rules.find.words import Collection, Matched, Words, scored
from recollect.store.base import COMMON
from recollect.store.cache.blocks import block_of, first_of, unpacked
from recollect.store.sql.packs import DONE
from recollect.store.sql.read.following import Following
from recollect.store.sql.where import escaped, marks, padded
from recollect.store.sql.work import chunks
from recollect.text.arrays import Ints, Reals, np
from recollect.text.terms import TermsPolicy

HELD = 2**20
"""Up to how many documents any word's postings fit one text: a server may send no more than 16 MB at once."""
LAST = 2**62
"""A document number that no document has."""
GAPS = 4
"""In how many packed blocks a word may be missing, for its postings there to be read row by row."""
PACKED = 20
PACK = 2**PACKED
"""More than any word can occur in one text."""
POSTING = f"doc * {PACK} + tf"
"""A document and a count as one number."""


class ByWords(Following):
    """Finds by words, with the postings of words asked for before kept in memory."""

    together = f"group_concat({POSTING})"
    """Puts the numbers of a group into one text, by document: SQLite goes through them in the order of the key."""

    def matched(self, given: Filter, words: Words) -> Matched:
        owner, policy = given.owner, words.policy
        terms, found, known = self._known(owner, words.terms, policy)
        factors: dict[str, float] = {}
        for term in words.unknown(known):
            for stand_in, factor in self._stand_ins(owner, words.spelled[term], term, policy).items():
                if stand_in not in terms:
                    factors[stand_in] = max(factor, factors.get(stand_in, 0.0))
        if factors:
            found = found.then(self.postings(owner, list(factors)))
        counters = self.counters(owner)
        whole = Collection(counters.docs, counters.average_length)
        counts = [1.0] * len(terms) + list(factors.values())
        return scored(found, counts, self.columns(owner), self.allowed(given), whole, policy)

    def _known(self, owner: str, terms: list[str], policy: TermsPolicy) -> tuple[list[str], Postings, Container[str]]:
        """Give the postings of terms, of many only the rarest, and which of the terms are known at all."""
        if len(terms) <= policy.max_query_terms:
            found = self.postings(owner, terms)
            return terms, found, {term for term, many in zip(terms, found.many.tolist(), strict=True) if many}
        known = self.frequencies(owner, terms)
        wanted = rarest(known, [term for term in terms if term in known], policy.max_query_terms)
        return wanted, self.postings(owner, wanted), known

    def _stand_ins(self, owner: str, word: str, term: str, policy: TermsPolicy) -> dict[str, float]:
        """Find what an unknown word may mean: known words it is a part of, else near spellings."""
        if holders := self._holders(owner, word, term, policy.expansions):
            return dict.fromkeys(holders, policy.expansion_weight)
        # Nearly every slip leaves the first letter or swaps the first two.
        off, size = slips(term), len(term)
        starts = dict.fromkeys(term[:2]) if off else ()
        nearby = [known for start in starts for known in self.terms_from(owner, start, size - off, size + off)]
        return near(term, nearby, policy) if nearby else {}

    def _holders(self, owner: str, word: str, term: str, most: int) -> list[str]:
        """Give the known words that an unknown one is a part of, as it is spelt or else cut to its term."""
        wider = self.terms_with(owner, term, most) if is_part(term) else []
        if word == term or not is_part(word) or (is_part(term) and term in word and not wider):
            return wider  # what holds the word would hold its term, too
        return self.terms_with(owner, word, most) or wider

    def postings(self, owner: str, terms: Sequence[str]) -> Postings:
        columns, upto = self.columns(owner), self.counters(owner).next_doc - 1
        read = columns.postings
        # Those kept long ago are read again: what came since might be more than one text can hold.
        kept = {at: one for at, term in enumerate(terms) if (one := read.get(term)) and upto - one[2] <= HELD}
        if len(kept) < len(terms):
            missing = {term: at for at, term in enumerate(terms) if at not in kept}
            for term, docs, tfs in self._read_whole(owner, list(missing), columns.size):
                kept[missing[term]] = read.keep(term, docs, tfs, upto)
            if read.grown():
                self._cache.weigh(owner, self._cache.take(owner))
        behind = {terms[at]: at for at, (_, _, seen) in kept.items() if seen < upto}
        if behind:
            later = self._read_postings(owner, list(behind), min(kept[at][2] for at in behind.values()))
            for term, docs, tfs in later:
                at = behind.pop(term)
                new = docs > kept[at][2]
                both = np.concatenate((kept[at][0], docs[new])), np.concatenate((kept[at][1], tfs[new]))
                kept[at] = read.keep(term, *both, upto)
            for term, at in behind.items():  # nothing new
                read.keep(term, *kept[at][:2], upto)
        if not kept:
            return Postings(np.zeros(len(terms), np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        # Who looked later may have read more, and who looked before an erasure what is no longer there.
        if any(len(docs) and docs[-1] >= columns.size for docs, _, _ in kept.values()):
            kept = {at: (docs[here := docs < columns.size], tfs[here], upto) for at, (docs, tfs, _) in kept.items()}
        parts = [kept[at] for at in sorted(kept)]
        many = np.array([len(kept[at][0]) if at in kept else 0 for at in range(len(terms))])
        return Postings(many, np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))

    def _read_whole(self, owner: str, terms: Sequence[str], size: int) -> Iterator[tuple[str, Ints, Reals]]:
        """Read all postings of terms: of common ones what is packed, and only the rest row by row."""
        packs = self._read_packs(owner, terms, size) if block_of(size) else {}
        for term, parts in packs.items():
            docs, tfs = zip(*(parts[block] for block in sorted(parts)), strict=True)
            yield term, np.concatenate(docs), np.concatenate(tfs)
        rest = [term for term in terms if term not in packs]
        long = self._common(owner, rest) if size > HELD else []
        for term in long:
            yield term, *self._read_long(owner, term)
        yield from self._read_postings(owner, [term for term in rest if term not in long], 0)

    def _read_packs(self, owner: str, terms: Sequence[str], size: int) -> dict[str, dict[int, tuple[Ints, Reals]]]:
        """Read the postings of terms that are packed in nearly every block, by block; what is not packed is added."""
        found: dict[str, dict[int, tuple[Ints, Reals]]] = {term: {} for term in (DONE, *terms)}
        for some in chunks([DONE, *terms]):
            wanted = padded(some)
            sql = f"SELECT term, block, data FROM packs WHERE owner = ? AND term IN ({marks(wanted)})"
            for term, block, data in self._rows(sql, (owner, *wanted)):
                found[term][block] = unpacked(block, data)
        end = max(found.pop(DONE), default=-1) + 1
        packs = {term: parts for term, parts in found.items() if len(parts) >= max(1, end - GAPS)}
        if not packs or size - first_of(end) > HELD:
            return {}
        for block in range(end):
            self._fill(owner, packs, block, first_of(block + 1) - 1)
        self._fill(owner, packs, end, LAST)
        return packs

    def _fill(self, owner: str, packs: dict[str, dict[int, tuple[Ints, Reals]]], block: int, until: int) -> None:
        """Read the postings of a block row by row, of the terms that are not packed there."""
        missing = [term for term, parts in packs.items() if block not in parts]
        if missing:
            for term, docs, tfs in self._read_postings(owner, missing, first_of(block) - 1, until):
                packs[term][block] = docs, tfs

    def _common(self, owner: str, terms: Sequence[str]) -> list[str]:
        return [term for term, df in self.frequencies(owner, terms).items() if df >= COMMON]

    def _read_long(self, owner: str, term: str) -> tuple[Ints, Reals]:
        """Read the postings of one term, each as one number: there may be more than fit one text."""
        sql = f"SELECT {POSTING} FROM postings WHERE owner = ? AND term = ? ORDER BY doc"
        rows = self._rows(sql, (owner, term))
        return _unpacked(np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=len(rows)))

    def _read_postings(
        self, owner: str, terms: Sequence[str], since: int, until: int = LAST
    ) -> list[tuple[str, Ints, Reals]]:
        """Read the postings of terms behind a document, up to another, each by document.

        Each is one number, and those of a term come as one text: a row for each would take three times as long.
        All texts are read as one, and the numbers of each term are a part of it.
        """
        found: list[tuple[str, Ints, Reals]] = []
        for some in chunks(sorted(terms)):
            wanted = padded(some)
            sql = (
                f"SELECT term, {self.together} FROM postings "
                f"WHERE owner = ? AND term IN ({marks(wanted)}) AND doc > ? AND doc <= ? GROUP BY term"
            )
            rows = self._rows(sql, (owner, *wanted, since, until))
            docs, tfs = _unpacked(np.fromstring(",".join([numbers for _, numbers in rows]), dtype=np.int64, sep=","))
            end = 0
            for term, numbers in rows:
                start, end = end, end + numbers.count(",") + 1
                # Each by itself: a part would keep the whole in memory.
                found.append((term, docs[start:end].copy(), tfs[start:end].copy()))
        return found

    def frequencies(self, owner: str, terms: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for some in chunks(terms):
            wanted = padded(some)
            sql = (
                "SELECT t.term, (SELECT p.doc FROM postings p WHERE p.owner = ? AND p.term = t.term ORDER BY p.doc "
                f"LIMIT 1 OFFSET {COMMON - 1}) FROM terms t WHERE t.owner = ? AND t.term IN ({marks(wanted)})"
            )
            known = dict(self._rows(sql, (owner, owner, *wanted)))
            last = self.counters(owner).next_doc - 1  # the sooner there were so many, the more there will be by now
            found |= {term: max(COMMON, COMMON * last // at) for term, at in known.items() if at is not None}
            rare = padded([term for term, at in known.items() if at is None])
            sql = f"SELECT term, COUNT(*) FROM postings WHERE owner = ? AND term IN ({marks(rare)}) GROUP BY term"
            found.update(self._rows(sql, (owner, *rare)) if rare else ())
        return found

    def terms_with(self, owner: str, part: str, limit: int) -> list[str]:
        sql = (
            "SELECT term FROM terms WHERE owner = ? AND term >= '0' AND term LIKE ? ESCAPE '!' "
            "ORDER BY LENGTH(term), term LIMIT ?"
        )
        return [row[0] for row in self._rows(sql, (owner, f"%{escaped(part)}%", limit))]

    def terms_from(self, owner: str, start: str, shortest: int, longest: int) -> list[str]:
        after = start[:-1] + chr(ord(start[-1]) + 1)
        sql = "SELECT term FROM terms WHERE owner = ? AND term >= ? AND term < ? AND LENGTH(term) BETWEEN ? AND ?"
        return [row[0] for row in self._rows(sql, (owner, start, after, shortest, longest))]


def _unpacked(packed: Ints) -> tuple[Ints, Reals]:
    """Give the documents and counts of postings that were read as one number each."""
    return packed >> PACKED, (packed & (PACK - 1)).astype(np.float32)
