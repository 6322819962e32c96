"""Holding what is derived against the memories: the doctor's questions, in portable SQL."""

from __future__ import annotations

from typing import Any

from recollect.model.job import Finding
from recollect.store.cache.blocks import first_of, unpacked
from recollect.store.sql.events import trimmed_upto
from recollect.store.sql.rows import unpack_terms
from recollect.store.writer import Connection

MEND = "recollect doctor --fix rebuilds it from the memories"


def check(db: Connection, owner: str) -> list[Finding]:
    """Ask every question about one owner; a finding that is not ok says what mends it."""
    asked = (
        ("revisions", _revisions(db, owner), "revisions without a journal line", "restore from an export"),
        ("counters", _counters(db, owner), "counters that differ from the memories", MEND),
        ("terms", _terms(db, owner), "known words that differ from those of the memories", MEND),
        ("postings", _postings(db, owner), "postings missing or left over", MEND),
        ("packs", _packs(db, owner), "packed postings that differ from the single ones", MEND),
        ("links", _links(db, owner), "links with an end in the air", MEND),
        ("entities", _entities(db, owner), "entities or names that do not match the links", MEND),
        ("slots", _slots(db, owner), "slots that do not match their memory's state", MEND),
    )
    return [Finding(name, wrong == 0, wrong, text, fix) for name, wrong, text, fix in asked]


def _rows(db: Connection, sql: str, owner: str) -> list[Any]:
    rows: list[Any] = db.execute(sql, (owner,)).fetchall()
    return rows


def _revisions(db: Connection, owner: str) -> int:
    row = _rows(db, "SELECT rev FROM owners WHERE owner = ?", owner)
    if row and (cut := trimmed_upto(db, owner)):  # behind the last trimming, all must be there
        sql = "SELECT COUNT(DISTINCT rev) FROM journal WHERE owner = ? AND rev > ?"
        return int(abs(row[0][0] - cut - db.execute(sql, (owner, cut)).fetchone()[0]))
    seen = _rows(db, "SELECT COUNT(DISTINCT rev), MIN(rev), MAX(rev) FROM journal WHERE owner = ?", owner)[0]
    if not row or not seen[0]:
        return int(row[0][0]) if row else 0
    return int(abs(row[0][0] - seen[2]) + abs(seen[2] - seen[1] + 1 - seen[0]))


def _counters(db: Connection, owner: str) -> int:
    row = _rows(db, "SELECT docs, total_length, next_doc FROM owners WHERE owner = ?", owner)
    sql = "SELECT COUNT(*), COALESCE(SUM(length), 0) FROM memories WHERE owner = ? AND state = 'active'"
    real = _rows(db, sql, owner)[0]
    last = _rows(db, "SELECT COALESCE(MAX(doc), 0) FROM memories WHERE owner = ?", owner)[0][0]
    if not row:
        return int(bool(real[0]))
    return int(row[0][0] != real[0]) + int(row[0][1] != real[1]) + int(row[0][2] <= last)


def _terms(db: Connection, owner: str) -> int:
    packed = _rows(db, "SELECT terms FROM memories WHERE owner = ?", owner)
    real = {term for row in packed for term in unpack_terms(row[0])}
    return len(real ^ {row[0] for row in _rows(db, "SELECT term FROM terms WHERE owner = ?", owner)})


def _postings(db: Connection, owner: str) -> int:
    real = {
        (term, doc, tf)
        for doc, packed in _rows(db, "SELECT doc, terms FROM memories WHERE owner = ?", owner)
        for term, tf in unpack_terms(packed).items()
    }
    kept = {tuple(row) for row in _rows(db, "SELECT term, doc, tf FROM postings WHERE owner = ?", owner)}
    return len(real ^ kept)


def _packs(db: Connection, owner: str) -> int:
    """Count the packed rows that hold anything else than the postings of their block."""
    sql = "SELECT doc, tf FROM postings WHERE owner = ? AND term = ? AND doc >= ? AND doc < ? ORDER BY doc"
    wrong = 0
    for term, block, data in _rows(db, "SELECT term, block, data FROM packs WHERE owner = ? AND term > ''", owner):
        docs, counts = unpacked(block, data)
        single = db.execute(sql, (owner, term, first_of(block), first_of(block + 1))).fetchall()
        wrong += [tuple(row) for row in single] != list(zip(docs.tolist(), counts.tolist(), strict=True))
    return wrong


def _links(db: Connection, owner: str) -> int:
    known = {row[0] for row in _rows(db, "SELECT id FROM memories WHERE owner = ?", owner)}
    known |= {row[0] for row in _rows(db, "SELECT id FROM entities WHERE owner = ?", owner)}
    links = _rows(db, "SELECT from_id, to_id FROM links WHERE owner = ?", owner)
    return sum(start not in known or end not in known for start, end in links)


def _entities(db: Connection, owner: str) -> int:
    sql = "SELECT to_id, COUNT(*) FROM links WHERE owner = ? AND type = 'mentions' GROUP BY to_id"
    counts = dict(_rows(db, sql, owner))
    rows = _rows(db, "SELECT id, mentions, protected FROM entities WHERE owner = ?", owner)
    wrong = sum(counts.get(entity, 0) != mentions for entity, mentions, _ in rows)
    known = {row[0] for row in rows}
    names = _rows(db, "SELECT entity_id FROM names WHERE owner = ?", owner)
    return int(wrong) + sum(row[0] not in known for row in names)


def _slots(db: Connection, owner: str) -> int:
    sql = (
        "SELECT COUNT(*) FROM memories WHERE owner = ? "
        "AND COALESCE(live_key, '') <> CASE WHEN state = 'active' THEN \"key\" ELSE '' END"
    )
    wrong: int = _rows(db, sql, owner)[0][0]
    return wrong
