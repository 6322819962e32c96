"""Putting an export back as it was, and making what is derived agree with the memories again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.model import change as c
from recollect.store.base import BORN_BITS
from recollect.store.sql.rows import STORED, quoted, unpack_terms
from recollect.store.sql.spending import COLUMNS as LEDGER
from recollect.store.sql.where import marks
from recollect.store.sql.windows import CHECKPOINT, WINDOW
from recollect.store.sql.work import Work, index

BATCH = 500

COLUMNS: dict[str, tuple[str, ...]] = {
    "memories": STORED,
    "entities": ("owner", "id", "name", "type", "mentions", "protected"),
    "names": ("owner", "folded", "type", "entity_id"),
    "links": ("owner", "from_id", "to_id", "type", "strength", "created_at"),
    "sessions": ("owner", "id", "agent", "first_seen", "last_seen", "consolidated_upto", "seen_rev"),
    "journal": (
        "owner", "rev", "seq", "session", "memory_id", "op", "node", "status", "actor", "before", "meta", "at",
    ),
    "jobs": ("owner", "name", "key", "due_at", "payload", "attempts", "last_run", "last_report"),
    "spend": LEDGER,
    "windows": WINDOW,
    "checkpoints": CHECKPOINT,
}  # fmt: skip
"""What a row of each exported table holds; `memories` rows come with their derived columns filled in."""


def load(work: Work, change: c.Load) -> None:
    """Put rows back; memories are indexed anew, the journal's last line becomes the owner's revision."""
    columns = COLUMNS[change.table]
    rows = [dict(row) | {"owner": work.owner} for row in change.rows]
    # Restored lines speak of documents by other numbers: whoever keeps columns in memory begins anew.
    sql = "UPDATE owners SET vec_rev = vec_rev + ? WHERE owner = ?"
    work.db.execute(sql, (1 << BORN_BITS, work.owner))
    if not work.verbatim:  # a restored row is no new event: the revisions come from the restored journal
        work.rev -= 1
        work.verbatim = True
    if change.table == "memories":
        for row in rows:
            row["doc"] = work.next_doc
            work.next_doc += 1
        index(work, [(row["doc"], row["state"], unpack_terms(row["terms"]), row["length"]) for row in rows])
    if change.table == "journal":
        work.rev = max([work.rev, *(row["rev"] for row in rows)])
    work.db.executemany(
        f"INSERT INTO {change.table} ({quoted(columns)}) VALUES ({marks(columns)})",
        [[row[column] for column in columns] for row in rows],
    )


def mend(work: Work, change: c.Mend) -> None:
    """Rebuild counters and postings from the memories, and drop what hangs in the air."""
    fixes: tuple[Callable[[Work], int], ...] = (_reindex, _relink, _recount_entities, _reslot)
    repaired = sum(fix(work) for fix in fixes)
    work.note("", "mended", meta={"rows": repaired})


def _reindex(work: Work) -> int:
    db, owner = work.db, work.owner
    for table in ("postings", "packs", "terms"):
        db.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,))
    work.docs = work.total_length = 0
    rows = db.execute("SELECT doc, state, terms, length FROM memories WHERE owner = ?", (owner,)).fetchall()
    told = db.execute("SELECT id, content, role, marks FROM memories WHERE owner = ?", (owner,)).fetchall()
    wrong = [(new, owner, id) for id, content, role, old in told if (new := work.made(content, role)) != old]
    db.executemany("UPDATE memories SET marks = ? WHERE owner = ? AND id = ?", wrong)
    for at in range(0, len(rows), BATCH):
        some = rows[at : at + BATCH]
        index(work, [(doc, state, unpack_terms(packed), size) for doc, state, packed, size in some])
    work.next_doc = max([work.next_doc, *(row[0] + 1 for row in rows)])
    return len(rows)


def _relink(work: Work) -> int:
    db, owner = work.db, work.owner
    known = {row[0] for row in db.execute("SELECT id FROM memories WHERE owner = ?", (owner,)).fetchall()}
    known |= {row[0] for row in db.execute("SELECT id FROM entities WHERE owner = ?", (owner,)).fetchall()}
    links = db.execute("SELECT from_id, to_id, type FROM links WHERE owner = ?", (owner,)).fetchall()
    loose = [(owner, *link) for link in links if link[0] not in known or link[1] not in known]
    db.executemany("DELETE FROM links WHERE owner = ? AND from_id = ? AND to_id = ? AND type = ?", loose)
    return len(loose)


def _recount_entities(work: Work) -> int:
    db, owner = work.db, work.owner
    counts: dict[str, int] = dict(
        db.execute(
            "SELECT to_id, COUNT(*) FROM links WHERE owner = ? AND type = 'mentions' GROUP BY to_id", (owner,)
        ).fetchall()
    )
    rows: list[tuple[str, int]] = db.execute("SELECT id, mentions FROM entities WHERE owner = ?", (owner,)).fetchall()
    wrong = [(counts.get(entity, 0), owner, entity) for entity, was in rows if counts.get(entity, 0) != was]
    db.executemany("UPDATE entities SET mentions = ? WHERE owner = ? AND id = ?", wrong)
    gone: list[tuple[Any, ...]] = [(owner, entity) for entity, _ in rows if entity not in counts]
    db.executemany("DELETE FROM entities WHERE owner = ? AND id = ? AND protected = 0", gone)
    names = db.execute("SELECT folded, type, entity_id FROM names WHERE owner = ?", (owner,)).fetchall()
    kept = {row[0] for row in db.execute("SELECT id FROM entities WHERE owner = ?", (owner,)).fetchall()}
    orphans = [(owner, name[0], name[1]) for name in names if name[2] not in kept]
    db.executemany("DELETE FROM names WHERE owner = ? AND folded = ? AND type = ?", orphans)
    return len(wrong) + len(orphans)


def _reslot(work: Work) -> int:
    wrong: int = work.db.execute(
        "UPDATE memories SET live_key = CASE WHEN state = 'active' AND \"key\" <> '' THEN \"key\" ELSE NULL END "
        "WHERE owner = ? AND COALESCE(live_key, '') <> CASE WHEN state = 'active' THEN \"key\" ELSE '' END",
        (work.owner,),
    ).rowcount
    return wrong
