"""Vectors as rows: written beside the memories, packed into segments, taken away with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from recollect.errors import Conflict
from recollect.model import change as c
from recollect.model import expectation as x
from recollect.store.base import BORN_BITS
from recollect.store.cache.codebook import SEGMENT, holds, segment, without
from recollect.store.sql.jobs import enqueue_all
from recollect.store.sql.rows import Halves
from recollect.store.sql.where import marks, padded
from recollect.store.sql.work import Work, chunks

MOST_AT_ONCE = 8
"""How many segments are packed in one transaction."""


def embed(work: Work, change: c.Embed) -> None:
    """Write vectors, all under the next revision of the owner's vectors."""
    db, owner = work.db, work.owner
    db.execute("UPDATE owners SET vec_rev = vec_rev + 1 WHERE owner = ?", (owner,))
    sql = "SELECT vec_rev, model, next_doc FROM owners WHERE owner = ?"
    rev, serving, next_doc = db.execute(sql, (owner,)).fetchone()
    if not serving:
        db.execute("UPDATE owners SET model = ? WHERE owner = ?", (change.model, owner))
    first = not serving and max(next_doc, work.next_doc) - 1 > len(change.vectors)
    if first or serving not in ("", change.model):  # others have none yet, or these are not the ones that serve
        enqueue_all(work, [c.Enqueue("embed", work.write.at)])
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
        rows = _whole(work, change.model, last)
        if len(rows) < SEGMENT:
            return
        last = rows[-1][0]
        ((size, _),) = Counter(len(row[2]) for row in rows).most_common(1)
        fit = [row for row in rows if len(row[2]) == size]
        docs, codes, steps = segment([row[1] for row in fit], [row[2] for row in fit])
        db.execute(
            "INSERT INTO segments (owner, model, seq, docs, codes, scale) VALUES (?,?,?,?,?,?)",
            (*key, last, docs, codes, steps),
        )


def _whole(work: Work, model: str, after: int) -> list[Any]:
    """Give vectors for one segment or two, in whole revisions: who reads on goes by them."""
    sql = "SELECT rev, doc, embedding FROM vectors WHERE owner = ? AND model = ? AND rev > ?"
    key = (work.owner, model, after)
    rows = work.db.execute(f"{sql} ORDER BY rev, doc LIMIT ?", (*key, 2 * SEGMENT)).fetchall()
    if len(rows) < 2 * SEGMENT:
        return list(rows)
    upto = rows[-1][0]
    whole = [row for row in rows if row[0] < upto]
    if len(whole) >= SEGMENT:
        return whole
    return list(work.db.execute(f"{sql} AND rev <= ? ORDER BY rev, doc", (*key, upto)).fetchall())


def adopt(work: Work, change: c.Adopt) -> None:
    """Let another model serve: what the others left goes in the same moment."""
    for table in ("vectors", "segments"):
        work.db.execute(f"DELETE FROM {table} WHERE owner = ? AND model <> ?", (work.owner, change.model))
    work.db.execute("UPDATE owners SET model = ? WHERE owner = ?", (change.model, work.owner))
    _begin_anew(work)


def _begin_anew(work: Work) -> None:
    """Let whoever keeps vectors in memory read them again: those that come may be others than those they have."""
    sql = "UPDATE owners SET vec_rev = vec_rev + ? WHERE owner = ?"
    work.db.execute(sql, (1 << BORN_BITS, work.owner))


def served(work: Work, expected: x.Served) -> None:
    """Refuse when another model serves by now, or when the owner was erased and only its lock is there."""
    rev, model = work.db.execute("SELECT rev, model FROM owners WHERE owner = ?", (work.owner,)).fetchone()
    if not rev or model != expected.model:
        raise Conflict("this owner was erased, or another embedder serves it by now")


def followers(work: Work, ids: Sequence[str]) -> list[int]:
    """Give the messages whose vectors rest on one of these: the next one, and the next one that is not outdated."""
    after = (
        "(SELECT n.doc FROM memories n WHERE n.owner = ? AND n.session = m.session AND n.doc > m.doc "
        "AND n.kind = 'episode'"
    )
    first = "ORDER BY n.doc LIMIT 1)"
    sql = (
        f"SELECT {after} {first}, {after} AND n.state = 'active' {first} FROM memories m "
        f"WHERE m.owner = ? AND m.kind = 'episode' AND m.session <> '' AND m.id IN ({marks(ids)})"
    )
    rows = work.db.execute(sql, (work.owner, work.owner, work.owner, *ids)).fetchall()
    return sorted({doc for row in rows for doc in row if doc is not None})


def embed_anew(work: Work, docs: Sequence[int]) -> None:
    """Take away the vectors of messages that stand behind a changed one; the job that embeds makes them again."""
    if unembed(work, docs):
        _begin_anew(work)
        enqueue_all(work, [c.Enqueue("embed", work.write.at)])


def unembed(work: Work, docs: Sequence[int]) -> int:
    """Take the vectors of documents away, out of their segments too; give how many there were."""
    db, owner, many = work.db, work.owner, 0
    for some in chunks(docs):
        many += db.execute(f"DELETE FROM vectors WHERE owner = ? AND doc IN ({marks(some)})", (owner, *some)).rowcount
    sql = "SELECT model, seq, docs FROM segments WHERE owner = ?"
    for model, seq, held in db.execute(sql, (owner,)).fetchall() if docs else ():
        if holds(held, docs):
            key = "WHERE owner = ? AND model = ? AND seq = ?"
            codes, steps = db.execute(f"SELECT codes, scale FROM segments {key}", (owner, model, seq)).fetchone()
            left = without(held, codes, steps, docs)
            db.execute(
                "UPDATE segments SET docs = ?, codes = ?, scale = ? WHERE owner = ? AND model = ? AND seq = ?",
                (*left, owner, model, seq),
            )
    return many
