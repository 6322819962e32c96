"""Searching by meaning: codes of all vectors in memory to find, the originals to judge."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.filter import Filter
from recollect.rules.find.snapshot import Nearest, nobody
from recollect.store.base import EXACT
from recollect.store.cache.codebook import DOC_BYTES, Codebook
from recollect.store.sql.read.following import Following
from recollect.text.arrays import Ints, Reals, np
from recollect.text.vectors import unpacked

PIECES = 100
"""How many segments are read at once."""


class ByMeaning(Following):
    """Finds by meaning, with the owner's vectors kept in memory as codes."""

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
        known, exact = np.array(list(kept)), (unpacked(list(kept.values())) @ vector).round(6)
        order = np.lexsort((-known, -exact))
        return Nearest(known[order], exact[order])

    def _codebook(self, owner: str, model: str) -> Codebook | None:
        counters, columns = self.counters(owner), self.columns(owner)
        if not counters.model:
            return None
        book = columns.codebooks.get(model) or columns.codebooks.setdefault(model, Codebook())
        with book.guard:
            grown = book.upto < counters.vec_rev
            if grown:
                self._read_vectors(owner, model, book)
                book.upto = counters.vec_rev
        if grown:
            self._cache.weigh(owner, self._cache.take(owner))
        return book

    def _read_vectors(self, owner: str, model: str, book: Codebook) -> None:
        """Read what was added since: whole segments where there are any, and the rest one by one."""
        since = book.upto
        if not book.count:
            since = max(since, self._read_segments(owner, model, book))
        sql = "SELECT doc, embedding FROM vectors WHERE owner = ? AND model = ? AND rev > ? ORDER BY rev, doc"
        rows = self._rows(sql, (owner, model, since))
        if rows:
            book.add([row[0] for row in rows], [row[1] for row in rows])

    def _read_segments(self, owner: str, model: str, book: Codebook) -> int:
        """Read all segments, some at a time, into room that is made once; gives the last one's number."""
        among, last = "FROM segments WHERE owner = ? AND model = ?", 0
        ((many,),) = self._rows(f"SELECT SUM(LENGTH(docs)) {among}", (owner, model))
        book.expect(int(many or 0) // DOC_BYTES)
        sql = f"SELECT seq, docs, codes, scale {among} AND seq > ? ORDER BY seq LIMIT {PIECES}"
        while many and (rows := self._rows(sql, (owner, model, last))):
            for _, docs, codes, steps in rows:
                book.add_segment(docs, codes, steps)
            last = rows[-1][0]
            if len(rows) < PIECES:
                break
        return last
