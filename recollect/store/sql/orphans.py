"""Forgetting names: what nobody says any more once memories are gone leaves the names, the entities and the journal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from recollect.rules.people.mentions import stands
from recollect.store.sql.rows import from_json, to_json
from recollect.store.sql.where import marks
from recollect.store.sql.work import Work, chunks
from recollect.text.terms import fold

BY_HAND = "unite"
"""The node of unions that are the owner's own word."""
_ENTITY = "WHERE owner = ? AND id = ?"
_LINKED = "SELECT from_id FROM links WHERE owner = ? AND to_id = ? AND type = 'mentions'"
_UNIONS = (
    'SELECT rev, seq, memory_id, node, "before" FROM journal WHERE owner = ? '
    "AND memory_id >= 'ent_' AND memory_id < 'ent`' AND op = 'united' ORDER BY rev, seq"
)
_RENAMED = (
    'SELECT rev, seq, "before" FROM journal WHERE owner = ? '
    "AND memory_id >= 'ent_' AND memory_id < 'ent`' AND op = 'renamed' AND \"before\" IS NOT NULL"
)


def blank(work: Work, column: str, values: Sequence[str]) -> None:
    """Take the text out of journal lines. Receipts stay, they hold none; but not who wrote, nor where."""
    db, owner = work.db, work.owner
    among = f"WHERE owner = ? AND {column} IN ({marks(values)})"
    revs = [row[0] for row in db.execute(f"SELECT DISTINCT rev FROM journal {among}", (owner, *values)).fetchall()]
    db.execute(
        f"UPDATE journal SET \"before\" = NULL, meta = NULL, session = '', actor = '' {among} AND op <> 'receipt'",
        (owner, *values),
    )
    for some in chunks(revs):
        here = f"WHERE owner = ? AND rev IN ({marks(some)})"
        db.execute(f"UPDATE journal SET session = '', actor = '' {here} AND op = 'receipt'", (owner, *some))
        db.execute(f"UPDATE journal SET actor = '' {here} AND op = 'opened'", (owner, *some))


def forget_mentions(work: Work, ids: Sequence[str], keep: Iterable[str] = (), *, erased: bool = False) -> None:
    """Let the mentions of these memories, still there, count no more.

    Entities nobody mentions go with their names; of the others go the names that only these memories said. One that is
    protected outlives what mentions it, unless somebody asked to have that erased.
    """
    db, owner = work.db, work.owner
    sql = f"SELECT to_id, from_id FROM links WHERE owner = ? AND type = 'mentions' AND from_id IN ({marks(ids)})"
    lost: dict[str, list[str]] = {}
    for entity, memory_id in sorted(db.execute(sql, (owner, *ids)).fetchall()):
        lost.setdefault(entity, []).append(memory_id)
    sql = f"UPDATE entities SET mentions = mentions - ? {_ENTITY}"
    db.executemany(sql, [(len(memories), owner, entity) for entity, memories in lost.items()])
    texts = {memory_id: fold(text) for memory_id, text in _texts(work, ids).items()}
    gone: list[str] = []
    for entity in sorted(lost.keys() - set(keep)):
        row = db.execute(f"SELECT mentions, protected, name FROM entities {_ENTITY}", (owner, entity)).fetchone()
        if row and row[0] > 0:
            said = [texts[one] for one in lost[entity] if one in texts]
            _forget_said(work, entity, row[2], said, set(ids))
        elif row and (erased or not row[1]):
            gone.append(entity)
    for some in chunks(gone):
        forget_entities(work, some)


def forget_entities(work: Work, ids: Sequence[str]) -> None:
    """Take entities away, with their names and what the journal says of them and of all that were united into them."""
    db, owner = work.db, work.owner
    sql = f"SELECT folded FROM names WHERE owner = ? AND entity_id IN ({marks(ids)})"
    names = {row[0] for row in db.execute(sql, (owner, *ids)).fetchall()}
    for table, column in (("entities", "id"), ("names", "entity_id"), ("links", "to_id")):
        db.execute(f"DELETE FROM {table} WHERE owner = ? AND {column} IN ({marks(ids)})", (owner, *ids))
    seen: set[str] = set()
    while ids:
        seen.update(ids)
        sql = f"SELECT meta FROM journal WHERE owner = ? AND memory_id IN ({marks(ids)}) AND op = 'united'"
        rows = db.execute(sql, (owner, *ids)).fetchall()
        blank(work, "memory_id", ids)
        ids = sorted({from_json(row[0])["from"] for row in rows if row[0]} - seen)
    _unsay(work, names)


def _texts(work: Work, ids: Sequence[str]) -> dict[str, str]:
    sql = f"SELECT id, content FROM memories WHERE owner = ? AND id IN ({marks(ids)})"
    return dict(work.db.execute(sql, (work.owner, *ids)).fetchall())


def _forget_said(work: Work, entity: str, name: str, gone: Sequence[str], ids: set[str]) -> None:
    """Take the names from an entity that stand in texts that go and in no other; the owner's own word stays."""
    db, owner = work.db, work.owner
    sql = "SELECT DISTINCT folded FROM names WHERE owner = ? AND entity_id = ?"
    known = {row[0] for row in db.execute(sql, (owner, entity)).fetchall()}
    doubtful = {one for one in known if any(stands(one, text) for text in gone)}
    if not doubtful:
        return
    left = sorted({row[0] for row in db.execute(_LINKED, (owner, entity)).fetchall()} - ids)
    written: dict[str, str] = {}
    for some in chunks(left):
        for text in _texts(work, some).values():
            folded = fold(text)
            written |= {one: _written(one, text) for one in known - written.keys() if stands(one, folded)}
        if doubtful <= written.keys():
            return
    lost = doubtful - written.keys() - _by_hand(work, entity, name)
    if not lost or lost == known:  # who is left says none of them: nobody can tell by which it is known
        return
    sql = "DELETE FROM names WHERE owner = ? AND entity_id = ? AND folded = ?"
    db.executemany(sql, [(owner, entity, one) for one in sorted(lost)])
    if fold(name) in lost:
        other = min(known - lost, key=lambda one: (one not in written, -len(one), one))
        db.execute(f"UPDATE entities SET name = ? {_ENTITY}", (written.get(other, other), owner, entity))
    _unsay(work, lost)


def _written(name: str, text: str) -> str:
    """Give a folded name as a text writes it."""
    spaced = r"\s+".join(re.escape(word) for word in name.split())
    found = re.search(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE)
    return " ".join(found[0].split()) if found else name


def _by_hand(work: Work, entity: str, name: str) -> set[str]:
    """Give the names the owner himself said are one's."""
    told = [(about, from_json(text)["entity"]["name"]) for _, _, about, node, text in _unions(work) if node == BY_HAND]
    own = {fold(name)} if any(about == entity for about, _ in told) else set()
    return own | {fold(one) for _, one in told}


def _unions(work: Work) -> list[Any]:
    return [row for row in work.db.execute(_UNIONS, (work.owner,)).fetchall() if row[-1]]


def _unsay(work: Work, names: set[str]) -> None:
    """Take names that nobody bears any more out of the journal's lines about unions and new names."""
    db, owner = work.db, work.owner
    for some in chunks(sorted(names)):
        sql = f"SELECT folded FROM names WHERE owner = ? AND folded IN ({marks(some)})"
        names = names - {row[0] for row in db.execute(sql, (owner, *some)).fetchall()}
    for rev, seq, _, _, text in _unions(work) if names else ():
        before = from_json(text)
        kept = [pair for pair in before["names"] if pair[0] not in names]
        if fold(before["entity"]["name"]) in names:
            sql = 'UPDATE journal SET "before" = NULL, meta = NULL WHERE owner = ? AND rev = ? AND seq = ?'
            db.execute(sql, (owner, rev, seq))
        elif kept != before["names"]:
            sql = 'UPDATE journal SET "before" = ? WHERE owner = ? AND rev = ? AND seq = ?'
            db.execute(sql, (to_json({**before, "names": kept}), owner, rev, seq))
    for rev, seq, text in db.execute(_RENAMED, (owner,)).fetchall() if names else ():
        before = from_json(text)
        if names & {fold(before["name"]), fold(before["to"])}:
            db.execute('UPDATE journal SET "before" = NULL WHERE owner = ? AND rev = ? AND seq = ?', (owner, rev, seq))
