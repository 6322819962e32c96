"""One owner's vectors of one model in memory: whole numbers to find, float16 originals to judge."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from recollect.rules.find.snapshot import Nearest, nobody
from recollect.text.arrays import Codes, Flags, Ints, Reals, Words, np, room
from recollect.text.vectors import best, differing, dots, kernel, nearest_signs, quantised, signs, unpacked

SEGMENT = 256
"""How many vectors one row of `segments` holds, at least."""
EXACT_MOST = 200_000
EXACT_MOST_PLAIN = 30_000
"""Up to how many vectors all are compared; without the SIMD kernel fewer."""
DOC_BYTES = 8
"""How many bytes the number of a document takes in a segment."""
FEW = 4
"""Less than one in so many rows: picked out before they are compared."""
SIGNED = 50_000
"""Of how many vectors the signs are taken at once."""
SKETCHED = 2000
"""How many the signs choose among more vectors than that."""
COARSE = 16
"""How many times as many one half of the signs leaves to the other."""


def segment(docs: Sequence[int], embeddings: Sequence[bytes]) -> tuple[bytes, bytes, bytes]:
    """Pack vectors into a segment: document numbers, codes and steps."""
    codes, steps = quantised(unpacked(embeddings))
    return np.array(docs, dtype="<i8").tobytes(), codes.tobytes(), steps.astype("<f4").tobytes()


def holds(docs: bytes, some: Sequence[int]) -> bool:
    """Tell whether a segment holds any of some documents."""
    return bool(np.isin(np.frombuffer(docs, dtype="<i8"), np.array(some)).any())


def without(docs: bytes, codes: bytes, steps: bytes, gone: Sequence[int]) -> tuple[bytes, bytes, bytes]:
    """Take documents out of a segment."""
    at = np.frombuffer(docs, dtype="<i8")
    stay = ~np.isin(at, np.array(gone))
    rows = np.frombuffer(codes, dtype=np.int8).reshape(len(at), -1)
    return at[stay].tobytes(), rows[stay].tobytes(), np.frombuffer(steps, dtype="<f4")[stay].tobytes()


class Codebook:
    """Quantised vectors by row, the document of each row, and the row of each document."""

    def __init__(self) -> None:
        self.upto = 0
        """The vector revision up to which vectors were read."""
        self.count = 0
        self.dimensions = 0
        self._expected = 0
        self._docs = np.zeros(0, dtype=np.int32)
        self._steps = np.zeros(0, dtype=np.float32)
        self._codes = np.zeros((0, 0), dtype=np.int8)
        self._row = np.zeros(0, dtype=np.int32)
        self._sketch = np.zeros((0, 0), dtype=np.uint64)
        self._sketched = 0
        self._last = 0
        self._compared: tuple[Any, Any] = (None, None)
        self._passed: tuple[Any, Any, int] = (None, (), 0)
        self.guard = threading.Lock()
        self._sketching = threading.Lock()

    @property
    def weight(self) -> int:
        """How many bytes of memory the vectors take."""
        return sum(array.nbytes for array in (self._docs, self._steps, self._codes, self._row, self._sketch))

    def expect(self, many: int) -> None:
        """Make room for so many vectors at once, so that they need not be copied while they come."""
        self._expected = many

    def add_segment(self, docs: bytes, codes: bytes, steps: bytes) -> None:
        """Take in a segment as it is stored."""
        at = np.frombuffer(docs, dtype="<i8")
        if len(at):
            rows = np.frombuffer(codes, dtype=np.int8).reshape(len(at), -1)
            self._add(at, rows, np.frombuffer(steps, dtype="<f4"))

    def add(self, docs: Sequence[int], embeddings: Sequence[bytes]) -> None:
        """Take in originals; those of another size than the first are left out."""
        wanted = 2 * (self.dimensions or len(embeddings[0]) // 2)
        fit = [at for at, blob in enumerate(embeddings) if len(blob) == wanted]
        if fit:
            codes, steps = quantised(unpacked([embeddings[at] for at in fit]))
            self._add(np.array([docs[at] for at in fit]), codes, steps)

    def _add(self, docs: Ints, codes: Codes, steps: Reals) -> None:
        if not self.dimensions:
            self.dimensions = codes.shape[1]
            self._codes = np.zeros((0, self.dimensions), dtype=np.int8)
        if codes.shape[1] != self.dimensions:
            return
        start, end = self.count, self.count + len(docs)
        size = max(end, self._expected)
        self._docs, self._steps, self._codes = (room(one, size) for one in (self._docs, self._steps, self._codes))
        self._docs[start:end], self._steps[start:end], self._codes[start:end] = docs, steps, codes
        self._row = room(self._row, int(docs.max()) + 1, -1)
        self._row[docs] = np.arange(start, end)
        self._last = max(self._last, int(docs.max()))
        self.count = end

    def nearest(self, query: Reals, allowed: Flags, limit: int) -> Nearest:
        """Give the allowed documents whose vectors are nearest, about, best first."""
        count = self.count  # it may grow meanwhile
        if not count or len(query) != self.dimensions:
            return nobody()
        docs = self._docs[:count]
        passed, many = self._pass(allowed, docs)
        if many > (EXACT_MOST if kernel() is not None else EXACT_MOST_PLAIN):
            rows = self._by_signs(query, passed, max(SKETCHED, 4 * limit))
            similar = dots(self._codes[rows], self._steps[rows], query)
        elif many * FEW < count:
            rows = passed.nonzero()[0]
            similar = dots(self._codes[rows], self._steps[rows], query)
        else:
            every = dots(self._codes[:count], self._steps[:count], query)
            self._compared = (query, every)
            if many == count:
                top = best(every, docs, limit)
                return Nearest(docs.take(top), every.take(top))
            rows = passed.nonzero()[0]
            similar = every.take(rows)
        docs = docs.take(rows)
        top = best(similar, docs, limit)
        return Nearest(docs.take(top), similar.take(top))

    def _pass(self, allowed: Flags, docs: Ints) -> tuple[Flags, int]:
        """Say which rows hold allowed documents, and how many do; asked again and again with the same flags."""
        flags, passed, many = self._passed
        if flags is not allowed or len(passed) != len(docs):
            passed = allowed.take(docs, mode="clip")
            if self._last >= len(allowed):  # written after this look
                passed &= docs < len(allowed)
            many = int(np.count_nonzero(passed))
            self._passed = (allowed, passed, many)
        return passed, many

    def _by_signs(self, query: Reals, passed: Flags, most: int) -> Ints:
        """Choose the rows whose signs differ least from the query's: of all by half of them, of the best by all."""
        with self._sketching:
            if self._sketched < len(passed):
                fresh = _signs(self._codes[self._sketched : len(passed)])
                self._sketch = np.concatenate([self._sketch, fresh], axis=1) if self._sketched else fresh
                self._sketched = len(passed)
            sketch = self._sketch[:, : len(passed)]
        asked = signs(quantised(query[None, :])[0])
        distances = differing(sketch[::2], asked[::2])
        distances[~passed] = 2**15 - 1
        rows = nearest_signs(distances, COARSE * most)
        distances = distances.take(rows)
        for at in range(1, len(sketch), 2):  # taken at once, all words would be copied first
            distances += differing(sketch[at].take(rows)[None, :], asked[at : at + 1])
        rows = rows[nearest_signs(distances, most)]
        return rows[passed[rows]]

    def similar(self, query: Reals, docs: Ints) -> Reals:
        """Give the similarity of chosen documents, in an array of any shape, about; NaN where there is no vector."""
        if not self.count or len(query) != self.dimensions:
            return np.full(docs.shape, np.nan)
        rows = self._rows(docs)
        asked, every = self._compared
        if asked is query and rows.max(initial=-1) < len(every):  # `nearest` has just compared all
            return np.where(rows >= 0, every.take(rows), np.nan)
        out, have = np.full(docs.shape, np.nan), rows >= 0
        out[have] = dots(self._codes[rows[have]], self._steps[rows[have]], query)
        return out

    def alike(self, docs: Ints) -> Reals:
        """Give how similar chosen documents are, each to each; 0 where there is no vector."""
        out = np.zeros((len(docs), len(docs)))
        rows = self._rows(docs)
        have = np.flatnonzero(rows >= 0)
        vectors = self._codes[rows[have]] * self._steps[rows[have], None]
        out[np.ix_(have, have)] = vectors @ vectors.T
        return out

    def _rows(self, docs: Ints) -> Ints:
        """Give the row of each document, -1 for none."""
        if docs.max(initial=0) < len(self._row):
            return np.asarray(self._row.take(docs))
        inside = docs < len(self._row)
        return np.where(inside, self._row[docs * inside], -1) if len(self._row) else np.full(docs.shape, -1)


def _signs(codes: Codes) -> Words:
    """Give the signs of many vectors, some at a time."""
    some = [signs(codes[at : at + SIGNED]) for at in range(0, len(codes), SIGNED)]
    return np.concatenate(some, axis=1) if len(some) > 1 else some[0]
