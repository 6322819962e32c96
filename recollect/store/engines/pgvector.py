"""Vectors on PostgreSQL: pgvector compares them, within one owner and exactly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from psycopg.adapt import Dumper

from recollect.model.filter import Filter
from recollect.rules.find.snapshot import Nearest
from recollect.store.sql.read.words import POSTING
from recollect.store.sql.rows import Halves
from recollect.store.sql.view import SqlView
from recollect.store.sql.where import marks, padded, where
from recollect.store.sql.work import chunks
from recollect.text.arrays import Ints, Reals, np
from recollect.text.vectors import halves

WHOLE = 5000
"""Up to how many memories all of an owner's vectors are compared in one statement, whatever is asked for."""


class HalvesDumper(Dumper):
    """Writes a vector as pgvector reads it."""

    def dump(self, obj: Halves) -> bytes:
        """Give the text form."""
        return b"[%s]" % b",".join(map(_texts().__getitem__, np.frombuffer(obj, dtype="<u2").tolist()))


@cache
def _texts() -> list[bytes]:
    """Give every float16 there is as text, by its bits; six digits bring each back as it was."""
    numbers = np.arange(2**16, dtype="<u2").view("<f2").astype(np.float32)
    return [b"%.6g" % value for value in numbers.tolist()]


class PlainView(SqlView):
    """A view of a database without pgvector."""

    together = f"string_agg(({POSTING})::text, ',' ORDER BY doc)"


class PostgresView(PlainView):
    """A view that lets pgvector find the nearest.

    Exactly, within one owner: the rows are taken first, so that no index over all owners' vectors can get in
    between and find too few. In single precision: there are builds of pgvector that die of half-precision arithmetic.
    """

    _compared: tuple[Reals, tuple[str, str], Reals] | None = None

    def nearest(self, given: Filter, model: str, vector: Reals, limit: int) -> Nearest:
        if self.columns(given.owner).size <= WHOLE:
            similar, allowed = self._whole(given.owner, model, vector), self.allowed(given)
            docs = np.flatnonzero(allowed & np.isfinite(similar))
            docs = docs[np.lexsort((-docs, -similar[docs]))[:limit]]  # the newer of equals first
            return Nearest(docs, similar[docs])
        condition, params = where(given)
        asked = Halves(halves(vector))
        sql = (
            "WITH mine AS MATERIALIZED (SELECT v.doc, v.embedding FROM vectors v "
            f"JOIN memories m ON m.doc = v.doc WHERE v.owner = ? AND v.model = ? AND vector_dims(v.embedding) = ? "
            f"AND {condition}) SELECT doc, -(embedding::vector <#> ?::halfvec::vector) AS near FROM mine "
            "ORDER BY near DESC, doc DESC LIMIT ?"
        )
        # A table without statistics looks empty, and in a loop each vector would read all of the owner's memories.
        self._db.execute("SET LOCAL enable_nestloop = off")
        rows = self._rows(sql, (given.owner, model, len(vector), *params, asked, limit))
        self._db.execute("SET LOCAL enable_nestloop = on")
        docs = np.array([row[0] for row in rows], dtype=np.int64)
        similar = np.round(np.array([row[1] for row in rows], dtype=float), 6)
        order = np.lexsort((-docs, -similar))
        return Nearest(docs[order], similar[order])

    def _whole(self, owner: str, model: str, vector: Reals) -> Reals:
        """Compare all of an owner's vectors, once: a search asks for the nearest first and for others then."""
        asked = (owner, model)
        if self._compared is None or self._compared[0] is not vector or self._compared[1] != asked:
            sql = (
                "SELECT array_agg(doc), array_agg((-(embedding::vector <#> ?::halfvec::vector))::real) FROM vectors "
                "WHERE owner = ? AND model = ? AND vector_dims(embedding) = ?"
            )
            docs, similar = self._rows(sql, (Halves(halves(vector)), owner, model, len(vector)))[0]
            out = np.full(self.columns(owner).size, np.nan)
            at = np.array(docs or [], dtype=np.int64)
            inside = at < len(out)  # the others were written after this look
            out[at[inside]] = np.round(np.array(similar or [], dtype=float)[inside], 6)
            self._compared = (vector, asked, out)
        return self._compared[2]

    def similar(self, owner: str, model: str, vector: Reals, docs: Ints) -> Reals:
        if self.columns(owner).size <= WHOLE:
            known = self._whole(owner, model, vector)
            return np.where(docs < len(known), known[np.minimum(docs, len(known) - 1)], np.nan)
        out = np.full(docs.shape, np.nan)
        if docs.size:
            sql = (
                "SELECT doc, -(embedding::vector <#> ?::halfvec::vector) FROM vectors "
                "WHERE owner = ? AND model = ? AND doc = ANY(?) "
                "AND vector_dims(embedding) = ?"
            )
            among = np.unique(docs).tolist()
            found = dict(self._rows(sql, (Halves(halves(vector)), owner, model, among, len(vector))))
            out.ravel()[:] = [found.get(doc, np.nan) for doc in docs.ravel().tolist()]
        return out

    def alike(self, owner: str, model: str, docs: Ints) -> Reals:
        out = np.zeros((len(docs), len(docs)))
        sql = (
            "SELECT a.doc, b.doc, -(a.embedding::vector <#> b.embedding::vector) FROM vectors a "
            "JOIN vectors b ON b.owner = a.owner "
            "AND b.model = a.model WHERE a.owner = ? AND a.model = ? AND a.doc = ANY(?) AND b.doc = ANY(?) "
            "AND vector_dims(a.embedding) = vector_dims(b.embedding)"
        )
        at = {doc: place for place, doc in enumerate(docs.tolist())}
        for one, other, similarity in self._rows(sql, (owner, model, docs.tolist(), docs.tolist())):
            out[at[one], at[other]] = similarity
        return out

    def embeddings(self, owner: str, model: str, docs: Sequence[int]) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        for some in chunks(docs):
            among = padded(some)
            sql = f"SELECT doc, embedding::text FROM vectors WHERE owner = ? AND model = ? AND doc IN ({marks(among)})"
            for doc, text in self._rows(sql, (owner, model, *among)):
                found[doc] = halves(json.loads(text))
        return found
