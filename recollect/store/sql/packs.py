"""Packed postings as rows: written for whole blocks of documents, and kept free of what is taken away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from recollect.errors import Conflict
from recollect.model import change as c
from recollect.store.base import BORN_BITS
from recollect.store.cache.blocks import block_of, first_of, without
from recollect.store.sql.jobs import enqueue_all
from recollect.store.sql.where import marks
from recollect.store.sql.work import Work, chunks

DONE = ""
"""Stands where a term would, in the row that says that a block was packed: no term is empty."""
MANY = 256
"""From how many documents of a block on that go at once it is packed anew."""
_ROW = "WHERE owner = ? AND term = ? AND block = ?"


def pack(work: Work, change: c.Pack) -> None:
    """Keep the packed postings of a block; refuse when a document of it was taken away meanwhile."""
    bounds = (work.owner, first_of(change.block), first_of(change.block + 1))
    sql = "SELECT COUNT(*) FROM memories WHERE owner = ? AND doc >= ? AND doc < ?"
    born = work.db.execute("SELECT vec_rev FROM owners WHERE owner = ?", (work.owner,)).fetchone()[0] >> BORN_BITS
    if born != change.born or work.db.execute(sql, bounds).fetchone()[0] != change.documents:
        raise Conflict("some of these memories were taken away meanwhile: pack them again")
    if work.db.execute(f"SELECT 1 FROM packs {_ROW}", (work.owner, DONE, change.block)).fetchone():
        return  # somebody else has
    rows = [(work.owner, term, change.block, data) for term, data in ((DONE, b""), *change.rows)]
    work.db.executemany("INSERT INTO packs (owner, term, block, data) VALUES (?,?,?,?)", rows)


def take_out(work: Work, gone: Mapping[int, Sequence[str]]) -> None:
    """Take documents out of the packed postings of their terms, each row once; of many the whole block goes."""
    blocks: dict[int, list[int]] = defaultdict(list)
    for doc in gone:
        blocks[block_of(doc)].append(doc)
    for block, docs in blocks.items():
        if len(docs) >= MANY:
            work.db.execute("DELETE FROM packs WHERE owner = ? AND block = ?", (work.owner, block))
            enqueue_all(work, [c.Enqueue("pack", work.write.at)])
            continue
        held: dict[str, list[int]] = defaultdict(list)
        for doc in docs:
            for term in gone[doc]:
                held[term].append(doc)
        for some in chunks(sorted(held)):
            _rewrite(work, block, {term: held[term] for term in some})


def _rewrite(work: Work, block: int, held: Mapping[str, Sequence[int]]) -> None:
    sql = f"SELECT term, data FROM packs WHERE owner = ? AND term IN ({marks(list(held))}) AND block = ?"
    for term, data in work.db.execute(sql, (work.owner, *held, block)).fetchall():
        left = without(data, held[term])
        if left:
            work.db.execute(f"UPDATE packs SET data = ? {_ROW}", (left, work.owner, term, block))
        else:
            work.db.execute(f"DELETE FROM packs {_ROW}", (work.owner, term, block))
