"""Vectors as rows: written beside the memories, packed into segments, taken away with them."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import Conflict
from recollect.model import change as c
from recollect.store.base import BORN_BITS
from recollect.store.codes import SEGMENT, segment, without
from recollect.store.rows import Halves
from recollect.store.where import marks, padded
from recollect.store.work import Work, chunks

MOST_AT_ONCE = 8
"""How many segments are packed in one transaction."""


def embed(work: Work, change: c.Embed) -> None:
    """Write vectors, all under the next revision of the owner's vectors."""
    db, owner = work.db, work.owner
    db.execute("UPDATE owners SET vec_rev = vec_rev + 1 WHERE owner = ?", (owner,))
    rev, serving = db.execute("SELECT vec_rev, model FROM owners WHERE owner = ?", (owner,)).fetchone()
    if not serving:
        db.execute("UPDATE owners SET model = ? WHERE owner = ?", (change.model, owner))
    for some in chunks(change.vectors):
        vectors = dict(some)
        among = padded(list(vectors))
        sql = f"SELECT doc, id FROM memories WHERE owner = ? AND id IN ({marks(among)})"
        docs = {doc: vectors[id] for doc, id in db.execute(sql, (owner, *among)).fetchall()}
        for doc in _known(work, change.model, list(docs)):
            del docs[doc]
        db.executemany(
            "INSERT INTO vectors (owner, model, doc, rev, embedding) VALUES (?,?,?,?,?)",
            [(owner, change.model, doc, rev, Halves(blob)) for doc, blob in sorted(docs.items())],
        )


def _known(work: Work, model: str, docs: Sequence[int]) -> list[int]:
    if not docs:
        return []
    among = padded(docs)
    sql = f"SELECT doc FROM vectors WHERE owner = ? AND model = ? AND doc IN ({marks(among)})"
    return [row[0] for row in work.db.execute(sql, (work.owner, model, *among)).fetchall()]


def seal(work: Work, change: c.Seal) -> None:
    """Pack vectors not yet in a segment, oldest first; a revision is never split between two."""
    db, key = work.db, (work.owner, change.model)
    last = db.execute("SELECT MAX(seq) FROM segments WHERE owner = ? AND model = ?", key).fetchone()[0] or 0
    for _ in range(MOST_AT_ONCE):
        later = "WHERE owner = ? AND model = ? AND rev > ? ORDER BY rev, doc LIMIT ?"
        sql = f"SELECT rev, doc, embedding FROM vectors {later}"
        rows = db.execute(sql, (*key, last, 2 * SEGMENT)).fetchall()
        if len(rows) == 2 * SEGMENT:
            rows = [row for row in rows if row[0] < rows[-1][0]] or rows
        size = len(rows[0][2]) if rows else 0
        fit = [row for row in rows if len(row[2]) == size]
        if len(rows) < SEGMENT:
            return
        last = rows[-1][0]
        docs, codes, steps = segment([row[1] for row in fit], [row[2] for row in fit])
        db.execute(
            "INSERT INTO segments (owner, model, seq, docs, codes, scale) VALUES (?,?,?,?,?,?)",
            (*key, last, docs, codes, steps),
        )


def adopt(work: Work, change: c.Adopt) -> None:
    """Let another model serve: what the others left goes in the same moment."""
    for table in ("vectors", "segments"):
        work.db.execute(f"DELETE FROM {table} WHERE owner = ? AND model <> ?", (work.owner, change.model))
    # A new beginning for whoever keeps vectors in memory: a model that comes back may have others than before.
    sql = "UPDATE owners SET model = ?, vec_rev = vec_rev + ? WHERE owner = ?"
    work.db.execute(sql, (change.model, 1 << BORN_BITS, work.owner))


def served(work: Work, expected: c.Served) -> None:
    """Refuse when another model serves by now, or when the owner was erased and only its lock is there."""
    rev, model = work.db.execute("SELECT rev, model FROM owners WHERE owner = ?", (work.owner,)).fetchone()
    if not rev or model != expected.model:
        raise Conflict("this owner was erased, or another embedder serves it by now")


def unembed(work: Work, docs: Sequence[int]) -> None:
    """Take the vectors of documents away, out of their segments too."""
    db, owner = work.db, work.owner
    for some in chunks(docs):
        db.execute(f"DELETE FROM vectors WHERE owner = ? AND doc IN ({marks(some)})", (owner, *some))
    sql = "SELECT model, seq, docs, codes, scale FROM segments WHERE owner = ?"
    for model, seq, held, codes, steps in db.execute(sql, (owner,)).fetchall() if docs else ():
        left = without(held, codes, steps, docs)
        if left is not None:
            db.execute(
                "UPDATE segments SET docs = ?, codes = ?, scale = ? WHERE owner = ? AND model = ? AND seq = ?",
                (*left, owner, model, seq),
            )
