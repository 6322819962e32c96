"""What a search reads: the owner's shelf brought up to date, postings, and the nearest vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from recollect.model.filter import Filter
from recollect.store.base import COMMON, EXACT, Counters, View
from recollect.store.cache.codebook import Codebook, Nearest, nobody
from recollect.store.cache.columns import COLUMNS, Posted, Shelf, Shelves
from recollect.store.sql.events import cut_upto
from recollect.store.sql.rows import from_json
from recollect.store.sql.where import escaped, marks, padded, where
from recollect.store.sql.work import chunks
from recollect.text.arrays import Flags, Ints, Reals, np
from recollect.text.vectors import unpacked

MANY = 16_384
"""From how many documents on it is asked first how common a word is."""
PACKED = 20
PACK = 2**PACKED
"""More than any word can occur in one text."""
POSTING = f"doc * {PACK} + tf"
"""A document and a count as one number."""
RELOAD = 4
"""A shelf with more than a quarter of its documents changed is read anew."""


class Searching(View):
    """The part of a view that searches, over rows and the shelves kept in memory."""

    together = f"group_concat({POSTING})"
    """Puts the numbers of a group into one text, by document: SQLite goes through them in the order of the key."""

    def __init__(self, shelves: Shelves) -> None:
        self._shelves = shelves
        self._shelf: tuple[str, Shelf] | None = None
        self._passed: tuple[Filter, Flags] | None = None

    def _rows(self, sql: str, params: Sequence[Any] = ()) -> list[Any]:
        raise NotImplementedError

    # The shelf

    def shelf(self, owner: str) -> Shelf:
        if self._shelf is None or self._shelf[0] != owner:  # one moment has one answer
            self._shelf = (owner, self._caught_up(owner, self.counters(owner)))
        return self._shelf[1]

    def _caught_up(self, owner: str, counters: Counters) -> Shelf:
        place = self._shelves.take(owner)
        if not _knows(place.shelf, counters):
            with place.guard:
                if not _knows(place.shelf, counters):
                    place.shelf = self._advanced(owner, place.shelf, counters)
            self._shelves.weigh(owner, place)
        # It may be ahead of this view, when another thread has looked later: that is as good.
        return place.shelf

    def _advanced(self, owner: str, shelf: Shelf, counters: Counters) -> Shelf:
        """Give a shelf that knows what this view sees: the old one and what has changed since, or all anew."""
        changed = None if shelf.born != counters.born or shelf.rev < 0 else self._changed(owner, shelf)
        if changed is None:
            new, rows = Shelf(), []
            fresh = self._rows(f"SELECT {COLUMNS} FROM memories WHERE owner = ? ORDER BY doc", (owner,))
        else:
            ids, gone = changed
            rows = [row for some in chunks(ids) for row in self._placed(owner, some) if row[0] < shelf.size]
            new = shelf.copied(deep=bool(rows or gone))
            sql = f"SELECT {COLUMNS} FROM memories WHERE owner = ? AND doc >= ? ORDER BY doc"
            fresh = self._rows(sql, (owner, shelf.upto)) if counters.next_doc > shelf.upto else []
            new.drop(gone)
        new.put(sorted(rows))
        new.put(fresh)
        new.born, new.rev, new.upto = counters.born, max(new.rev, counters.rev), max(new.upto, counters.next_doc)
        return new

    def _placed(self, owner: str, ids: Sequence[str]) -> list[Any]:
        among = padded(ids)
        return self._rows(f"SELECT {COLUMNS} FROM memories WHERE owner = ? AND id IN ({marks(among)})", (owner, *among))

    def _changed(self, owner: str, shelf: Shelf) -> tuple[list[str], list[int]] | None:
        """Ask the journal for the memories changed and the documents gone since; None when it is too many."""
        sql = (
            "SELECT memory_id, op, meta FROM journal WHERE owner = ? AND rev > ? "
            "AND op NOT IN ('created', 'receipt', 'opened', 'linked', 'unlinked') ORDER BY rev, seq LIMIT ?"
        )
        most = 64 + shelf.size // RELOAD
        lines = self._rows(sql, (owner, shelf.rev, most))
        if len(lines) == most or any(_anew(op, meta, shelf.rev) for _, op, meta in lines):
            return None
        gone = [(from_json(meta) or {}).get("doc", 0) for id, op, meta in lines if id and op in ("purged", "erased")]
        return list(dict.fromkeys(line[0] for line in lines if line[0])), gone

    def allowed(self, given: Filter) -> Flags:
        if self._passed is not None and self._passed[0] is given:  # every channel of a search asks
            return self._passed[1]
        shelf = self.shelf(given.owner)
        passed = shelf.allowed(given)
        if passed is None:
            condition, params = where(given)
            rows = self._rows(f"SELECT m.doc FROM memories m WHERE {condition}", params)
            passed = shelf.flags(row[0] for row in rows)
        self._passed = (given, passed)
        return passed

    # Words

    def postings(self, owner: str, terms: Sequence[str]) -> Posted:
        shelf, upto = self.shelf(owner), self.counters(owner).next_doc - 1
        # Those kept long ago are read again: what came since might be more than one text can hold.
        kept = {at: one for at, term in enumerate(terms) if (one := shelf.postings.get(term)) and upto - one[2] <= MANY}
        if len(kept) < len(terms):
            missing = {term: at for at, term in enumerate(terms) if at not in kept}
            for term in self._common(owner, list(missing)) if shelf.size > MANY else ():
                kept[missing.pop(term)] = shelf.postings.keep(term, *self._read_long(owner, term), upto)
            for term, docs, tfs in self._read_postings(owner, list(missing), 0):
                kept[missing[term]] = shelf.postings.keep(term, docs, tfs, upto)
            if shelf.postings.grown():
                self._shelves.weigh(owner, self._shelves.take(owner))
        behind = {terms[at]: at for at, (_, _, seen) in kept.items() if seen < upto}
        if behind:
            later = self._read_postings(owner, list(behind), min(kept[at][2] for at in behind.values()))
            for term, docs, tfs in later:
                at = behind.pop(term)
                new = docs > kept[at][2]
                both = np.concatenate((kept[at][0], docs[new])), np.concatenate((kept[at][1], tfs[new]))
                kept[at] = shelf.postings.keep(term, *both, upto)
            for term, at in behind.items():  # nothing new
                shelf.postings.keep(term, *kept[at][:2], upto)
        if not kept:
            return Posted(np.zeros(len(terms), np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        # Who looked later may have read more, and who looked before an erasure what is no longer there.
        if any(len(docs) and docs[-1] >= shelf.size for docs, _, _ in kept.values()):
            kept = {at: (docs[here := docs < shelf.size], tfs[here], upto) for at, (docs, tfs, _) in kept.items()}
        parts = [kept[at] for at in sorted(kept)]
        many = np.array([len(kept[at][0]) if at in kept else 0 for at in range(len(terms))])
        return Posted(many, np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))

    def _common(self, owner: str, terms: Sequence[str]) -> list[str]:
        return [term for term, df in self.frequencies(owner, terms).items() if df >= COMMON]

    def _read_long(self, owner: str, term: str) -> tuple[Ints, Reals]:
        """Read the postings of one term, each as one number: there may be a million."""
        sql = f"SELECT {POSTING} FROM postings WHERE owner = ? AND term = ? ORDER BY doc"
        rows = self._rows(sql, (owner, term))
        return _unpacked(np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=len(rows)))

    def _read_postings(self, owner: str, terms: Sequence[str], since: int) -> list[tuple[str, Ints, Reals]]:
        """Read the postings of terms behind a document, each by document.

        Each is one number, and those of a term come as one text: a row for each would take three times as long.
        All texts are read as one, and the numbers of each term are a part of it.
        """
        found: list[tuple[str, Ints, Reals]] = []
        for some in chunks(sorted(terms)):
            wanted = padded(some)
            sql = (
                f"SELECT term, {self.together} FROM postings "
                f"WHERE owner = ? AND term IN ({marks(wanted)}) AND doc > ? GROUP BY term"
            )
            rows = self._rows(sql, (owner, *wanted, since))
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

    # Vectors

    def nearest(self, given: Filter, model: str, vector: Reals, limit: int) -> Nearest:
        book = self._codebook(given.owner, model)
        # Those behind the last may be as near as it is: the originals judge.
        near = book.nearest(vector, self.allowed(given), max(limit, EXACT)) if book else nobody()
        first = self._exactly(given.owner, model, vector, near.docs[:EXACT].tolist())
        docs = np.concatenate((first.docs, near.docs[EXACT:]))
        return Nearest(docs, np.concatenate((first.similar, near.similar[EXACT:]))).first(limit)

    def similar(self, owner: str, model: str, vector: Reals, docs: Ints) -> Reals:
        book = self._codebook(owner, model)
        return book.similar(vector, docs) if book else np.full(docs.shape, np.nan)

    def alike(self, owner: str, model: str, docs: Ints) -> Reals:
        book = self._codebook(owner, model)
        return book.alike(docs) if book else np.zeros((len(docs), len(docs)))

    def _exactly(self, owner: str, model: str, vector: Reals, docs: Sequence[int]) -> Nearest:
        """Judge by the originals; the least of rounding must not change an order."""
        kept = self.embeddings(owner, model, docs)
        kept = {doc: blob for doc, blob in kept.items() if len(blob) == 2 * len(vector)}
        if not kept:
            return nobody()
        known, exact = np.array(list(kept)), np.round(unpacked(list(kept.values())) @ vector, 6)
        order = np.lexsort((-known, -exact))
        return Nearest(known[order], exact[order])

    def embeddings(self, owner: str, model: str, docs: Sequence[int]) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        for some in chunks(docs):
            among = padded(some)
            sql = f"SELECT doc, embedding FROM vectors WHERE owner = ? AND model = ? AND doc IN ({marks(among)})"
            found.update(self._rows(sql, (owner, model, *among)))
        return found

    def _codebook(self, owner: str, model: str) -> Codebook | None:
        counters, shelf = self.counters(owner), self.shelf(owner)
        if not counters.model:
            return None
        book = shelf.codebooks.get(model) or shelf.codebooks.setdefault(model, Codebook())
        with book.guard:
            grown = book.upto < counters.vec_rev
            if grown:
                self._read_vectors(owner, model, book)
                book.upto = counters.vec_rev
        if grown:
            self._shelves.weigh(owner, self._shelves.take(owner))
        return book

    def _read_vectors(self, owner: str, model: str, book: Codebook) -> None:
        """Read what was added since: whole segments where there are any, and the rest one by one."""
        since = book.upto
        if not book.count:
            sql = "SELECT seq, docs, codes, scale FROM segments WHERE owner = ? AND model = ? ORDER BY seq"
            for seq, docs, codes, steps in self._rows(sql, (owner, model)):
                book.add_segment(docs, codes, steps)
                since = max(since, seq)
        sql = "SELECT doc, embedding FROM vectors WHERE owner = ? AND model = ? AND rev > ? ORDER BY rev, doc"
        rows = self._rows(sql, (owner, model, since))
        if rows:
            book.add([row[0] for row in rows], [row[1] for row in rows])

    def pending(self, owner: str, model: str, after: int, limit: int) -> list[tuple[int, str]]:
        sql = (
            "SELECT m.doc, m.id FROM memories m WHERE m.owner = ? AND m.doc > ? AND m.state <> 'deleted' "
            "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.owner = m.owner AND v.model = ? AND v.doc = m.doc) "
            "ORDER BY m.doc LIMIT ?"
        )
        return [(row[0], row[1]) for row in self._rows(sql, (owner, after, model, limit))]

    def embedded(self, owner: str) -> Mapping[str, int]:
        sql = "SELECT model, COUNT(*) FROM vectors WHERE owner = ? GROUP BY model ORDER BY model"
        return dict(self._rows(sql, (owner,)))


def _unpacked(packed: Ints) -> tuple[Ints, Reals]:
    """Give the documents and counts of postings that were read as one number each."""
    return packed >> PACKED, (packed & (PACK - 1)).astype(np.float32)


def _anew(op: str, meta: str | None, rev: int) -> bool:
    """Tell whether a journal line says that those before it do not tell all that has changed since a revision."""
    return op == "mended" or (op == "trimmed" and cut_upto(meta) > rev)


def _knows(shelf: Shelf, counters: Counters) -> bool:
    """Tell whether a shelf holds all that a view sees."""
    return shelf.born == counters.born and shelf.rev >= counters.rev and shelf.upto >= counters.next_doc
