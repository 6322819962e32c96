"""Who and what memories name: entities made, found again, typed, renamed, united and parted, in portable SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.errors import Conflict, NotFound
from recollect.model import change as c
from recollect.model.clock import to_ms
from recollect.model.entity import Mention
from recollect.rules.people.mentions import TYPES
from recollect.rules.people.names import entity_id
from recollect.store.sql.rows import from_json, to_json
from recollect.store.sql.where import marks
from recollect.store.sql.work import Work
from recollect.text.terms import fold

STAMP = "enriched_at"
_ONE = "WHERE owner = ? AND id = ?"
_LINK = "INSERT INTO links (owner, from_id, to_id, type, strength, created_at) VALUES (?,?,?,'mentions',?,?)"
_NAME = "INSERT INTO names (owner, folded, type, entity_id) VALUES (?,?,?,?)"
_ENTITY = "INSERT INTO entities (owner, id, name, type, mentions, protected) VALUES (?,?,?,?,?,?)"
_UNLINK = "DELETE FROM links WHERE owner = ? AND from_id = ? AND to_id = ? AND type = 'mentions'"
_LINKED = "SELECT strength, created_at FROM links WHERE owner = ? AND from_id = ? AND to_id = ? AND type = 'mentions'"
_OF_ENTITY = "SELECT from_id, strength, created_at FROM links WHERE owner = ? AND to_id = ? AND type = 'mentions'"


def mention(work: Work, memory_id: str, mentions: Iterable[Mention]) -> dict[str, Any]:
    """Link a new memory to the entities it names, making those that are new.

    Gives what its line must tell: the names known ones learnt, and which of them nobody had mentioned.
    """
    db, owner = work.db, work.owner
    linked: set[str] = set()
    taught: list[list[str]] = []
    bare: list[str] = []
    for one in mentions:
        folded = fold(one.name)
        names = list(dict.fromkeys((folded, *(fold(alias) for alias in one.aliases))))
        rows = _known(work, names)
        fitting = [row for row in rows if one.tentative or row[1] == one.type]
        if one.tentative and not fitting:
            continue
        # A name already known wins; of several, the one under the mention's own spelling.
        found = min(fitting, key=lambda row: (row[0] != folded, row[1], row[2])) if fitting else None
        entity = found[2] if found else entity_id(one.type, folded)
        if entity in linked:
            continue
        linked.add(entity)
        if found is None:
            db.execute(_ENTITY, (owner, entity, one.name, one.type, 1, 0))
        else:
            bare += [entity] if found[3] == 0 else []
            db.execute(f"UPDATE entities SET mentions = mentions + 1 {_ONE}", (owner, entity))
        if not one.tentative:
            have = {row[0] for row in rows if row[1] == one.type}
            new = [[name, one.type, entity] for name in names if name not in have]
            db.executemany(_NAME, [(owner, *row) for row in new])
            taught += new if found else []
        db.execute(_LINK, (owner, memory_id, entity, one.confidence, to_ms(work.write.at)))
    return {told: many for told, many in (("names", taught), ("bare", bare)) if many}


@dataclass(slots=True)
class _Done:
    """What reading a memory again changed, as the journal keeps it."""

    linked: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    names: list[list[str]] = field(default_factory=list)
    typed: list[list[str]] = field(default_factory=list)
    left: list[list[Any]] = field(default_factory=list)
    """Links to somebody else of the same spelling, with their strength and time."""


def name(work: Work, change: c.Name) -> None:
    """Link a memory to what it was found to name on top of what it is linked to, and mark it as read again."""
    db, owner = work.db, work.owner
    key = (owner, change.memory_id)
    row = db.execute(f"SELECT attributes FROM memories {_ONE}", key).fetchone()
    if row is None:  # purged meanwhile
        return
    attributes = from_json(row[0])
    before = attributes.get(STAMP)
    if change.at is not None:
        db.execute(f"UPDATE memories SET attributes = ? {_ONE}", (to_json({**attributes, STAMP: change.at}), *key))
    sql = "SELECT to_id FROM links WHERE owner = ? AND from_id = ? AND type = 'mentions'"
    linked = {row[0] for row in db.execute(sql, key).fetchall()}
    done = _Done()
    for one in change.mentions:
        entity, namesake = _typed(work, one, done)
        if namesake in linked and namesake not in done.linked:  # the spelling alone had led to somebody else
            linked.discard(namesake)
            done.left.append([namesake, *_unlink(work, change.memory_id, namesake)])
        if entity in linked:
            continue
        linked.add(entity)
        done.linked.append(entity)
        db.execute(f"UPDATE entities SET mentions = mentions + 1 {_ONE}", (owner, entity))
        db.execute(_LINK, (owner, change.memory_id, entity, one.confidence, to_ms(work.write.at)))
    told = {part: many for part in ("linked", "made", "names", "typed", "left") if (many := getattr(done, part))}
    work.note(change.memory_id, "named", {STAMP: before, **told})


def _unlink(work: Work, memory_id: str, entity: str) -> tuple[float, int]:
    """Take a mention away, and give its strength and time."""
    key = (work.owner, memory_id, entity)
    strength, at = work.db.execute(_LINKED, key).fetchone()
    work.db.execute(_UNLINK, key)
    work.db.execute(f"UPDATE entities SET mentions = mentions - 1 {_ONE}", (work.owner, entity))
    return strength, at


def _known(work: Work, names: Sequence[str]) -> list[Any]:
    sql = (
        "SELECT n.folded, n.type, n.entity_id, e.mentions FROM names n LEFT JOIN entities e ON e.owner = n.owner "
        f"AND e.id = n.entity_id WHERE n.owner = ? AND n.folded IN ({marks(names)})"
    )
    rows: list[Any] = list(work.db.execute(sql, (work.owner, *names)).fetchall())
    return rows


def _typed(work: Work, one: Mention, done: _Done) -> tuple[str, str]:
    """Find or make the entity of a mention whose type somebody told, and teach it its names.

    Gives also who else is meant where nothing but the spelling is seen; empty when that is the same.

    A thing of which only the name was known gets the type. A name of one word can be a person's and a place's, so
    under another type it is another entity; one of several words is told apart by the words alone.
    """
    db, owner, folded = work.db, work.owner, fold(one.name)
    names = list(dict.fromkeys((folded, *(fold(alias) for alias in one.aliases))))
    rows = _known(work, names)
    mine = {row[1]: row[2] for row in rows if row[0] == folded}
    plain: tuple[tuple[str, str], ...] = ()
    entity = mine.get(one.type)
    if entity is None and "name" in mine:
        was = db.execute(f"SELECT type FROM entities {_ONE}", (owner, mine["name"])).fetchone()[0]
        if was == "name":
            entity = mine["name"]
            db.execute(f"UPDATE entities SET type = ? {_ONE}", (one.type, owner, entity))
            done.typed.append([entity, was])
    if entity is None and " " in folded:
        entity = next((mine[type] for type in ("name", *TYPES) if type in mine), None)
    if entity is None:
        entity = entity_id(one.type, folded)
        db.execute(_ENTITY, (owner, entity, one.name, one.type, 0, 0))
        done.made.append(entity)
        plain = () if "name" in mine else ((folded, "name"),)  # where only the name is seen later, it is this one
    have = {(row[0], row[1]) for row in rows}
    wanted = [*((known, one.type) for known in names), *plain]
    new = [pair for pair in wanted if pair not in have and not (pair[0] != folded and _taken(rows, pair[0]))]
    db.executemany(_NAME, [(owner, *pair, entity) for pair in new])
    done.names.extend([*pair, entity] for pair in new)
    namesake = mine.get("name", entity)
    return entity, "" if namesake == entity else namesake


def _taken(rows: Sequence[Any], alias: str) -> bool:
    """Tell whether an alias is somebody's already: it is not taken away, only `Unite` makes two one."""
    return any(row[0] == alias for row in rows)


def unname(work: Work, change: c.Unname) -> None:
    """Take back what `name` did; entities it made go when nobody else mentions them."""
    db, owner = work.db, work.owner
    for entity in change.linked:
        if db.execute(_UNLINK, (owner, change.memory_id, entity)).rowcount:
            db.execute(f"UPDATE entities SET mentions = mentions - 1 {_ONE}", (owner, entity))
    for entity, strength, at in change.left:
        if db.execute(_LINKED, (owner, change.memory_id, entity)).fetchone():  # somebody linked them again since
            continue
        if db.execute(f"UPDATE entities SET mentions = mentions + 1 {_ONE}", (owner, entity)).rowcount:
            db.execute(_LINK, (owner, change.memory_id, entity, strength, at))
    for entity, type in change.typed:
        db.execute(f"UPDATE entities SET type = ? {_ONE}", (type, owner, entity))
    for entity in change.made:
        sql = f"DELETE FROM entities {_ONE} AND mentions <= 0 AND protected = 0"
        if db.execute(sql, (owner, entity)).rowcount:
            db.execute("DELETE FROM names WHERE owner = ? AND entity_id = ?", (owner, entity))
    sql = "DELETE FROM names WHERE owner = ? AND folded = ? AND type = ? AND entity_id = ?"
    for folded, type, entity in change.names:
        if entity not in change.made:
            db.execute(sql, (owner, folded, type, entity))
    key = (owner, change.memory_id)
    row = db.execute(f"SELECT attributes FROM memories {_ONE}", key).fetchone()
    if row is not None:
        attributes = {one: value for one, value in from_json(row[0]).items() if one != STAMP}
        if change.at is not None:
            attributes[STAMP] = change.at
        db.execute(f"UPDATE memories SET attributes = ? {_ONE}", (to_json(attributes), *key))
    work.note(change.memory_id, "unnamed")


def unite(work: Work, change: c.Unite) -> None:
    """Make one entity of two: names, links and counts go over, each memory mentions it once."""
    db, owner = work.db, work.owner
    if change.from_id == change.into_id:
        raise Conflict("an entity cannot be united with itself")
    gone, stays = _row(work, change.from_id), _row(work, change.into_id)
    links = [list(row) for row in db.execute(_OF_ENTITY, (owner, change.from_id)).fetchall()]
    here = {row[0] for row in db.execute(_OF_ENTITY, (owner, change.into_id)).fetchall()}
    shared = sorted(link[0] for link in links if link[0] in here)
    db.executemany(_UNLINK, [(owner, memory, change.from_id) for memory in shared])
    sql = "UPDATE links SET to_id = ? WHERE owner = ? AND to_id = ? AND type = 'mentions'"
    db.execute(sql, (change.into_id, owner, change.from_id))
    sql = "SELECT folded, type FROM names WHERE owner = ? AND entity_id = ? ORDER BY folded, type"
    names = [list(row) for row in db.execute(sql, (owner, change.from_id)).fetchall()]
    sql = "UPDATE names SET entity_id = ? WHERE owner = ? AND entity_id = ?"
    db.execute(sql, (change.into_id, owner, change.from_id))
    db.execute(f"DELETE FROM entities {_ONE}", (owner, change.from_id))
    type = gone["type"] if stays["type"] == "name" else stays["type"]
    protected = max(gone["protected"], stays["protected"])
    sql = f"UPDATE entities SET mentions = mentions + ?, type = ?, protected = ? {_ONE}"
    db.execute(sql, (len(links) - len(shared), type, protected, owner, change.into_id))
    before = {"entity": gone, "names": names, "links": sorted(links), "shared": shared}
    was = {part: stays[part] for part in ("type", "protected")}
    work.note(change.into_id, "united", {**before, "was": was}, {"from": change.from_id})


def part(work: Work, change: c.Part) -> None:
    """Make two of one entity again, as they were when they were united; what came since stays where it is."""
    db, owner, gone = work.db, work.owner, change.entity
    _row(work, change.into_id)
    if db.execute(f"SELECT 1 FROM entities {_ONE}", (owner, gone["id"])).fetchone():
        raise Conflict(f"there is an entity {gone['id']} already")
    here = {row[0] for row in db.execute(_OF_ENTITY, (owner, change.into_id)).fetchall()}
    back = [(owner, memory, gone["id"], strength, at) for memory, strength, at in change.links if memory in here]
    left = [(owner, memory, change.into_id) for _, memory, *_ in back if memory not in change.shared]
    db.execute(_ENTITY, (owner, *(gone[column] for column in _COLUMNS[:3]), len(back), gone["protected"]))
    db.executemany(_UNLINK, left)
    db.executemany(_LINK, back)
    sql = "UPDATE names SET entity_id = ? WHERE owner = ? AND folded = ? AND type = ? AND entity_id = ?"
    db.executemany(sql, [(gone["id"], owner, folded, type, change.into_id) for folded, type in change.names])
    sql = f"UPDATE entities SET mentions = mentions - ?, type = ?, protected = ? {_ONE}"
    db.execute(sql, (len(left), change.was["type"], change.was["protected"], owner, change.into_id))
    work.note(change.into_id, "parted", None, {"from": gone["id"]})


def rename(work: Work, change: c.Rename) -> None:
    """Show an entity by another name, which it is found by from now on; one that is somebody else's is refused."""
    db, owner, folded = work.db, work.owner, fold(change.name)
    was = _row(work, change.entity_id)
    rows = [row for row in _known(work, [folded]) if row[1] == was["type"]]
    if any(row[2] != change.entity_id for row in rows):
        raise Conflict(f"another {was['type']} has that name already: unite the two instead")
    taught = [] if rows else [[folded, was["type"]]]
    db.executemany(_NAME, [(owner, *pair, change.entity_id) for pair in taught])
    db.execute(f"UPDATE entities SET name = ? {_ONE}", (change.name, owner, change.entity_id))
    sql = "DELETE FROM names WHERE owner = ? AND folded = ? AND type = ? AND entity_id = ?"
    db.executemany(sql, [(owner, *pair, change.entity_id) for pair in change.unlearn])
    work.note(change.entity_id, "renamed", {"name": was["name"], "to": change.name, "taught": taught})


def protect(work: Work, change: c.Protect) -> None:
    """Protect an entity, or let it be like any other again."""
    was = _row(work, change.entity_id)["protected"]
    if bool(was) != change.protected:
        work.db.execute(
            f"UPDATE entities SET protected = ? {_ONE}", (int(change.protected), work.owner, change.entity_id)
        )
        work.note(change.entity_id, "protected", {"protected": was})


_COLUMNS = ("id", "name", "type", "mentions", "protected")


def _row(work: Work, entity: str) -> dict[str, Any]:
    row = work.db.execute(f"SELECT {', '.join(_COLUMNS)} FROM entities {_ONE}", (work.owner, entity)).fetchone()
    if row is None:
        raise NotFound(f"there is no entity {entity} for this owner")
    return dict(zip(_COLUMNS, row, strict=True))
