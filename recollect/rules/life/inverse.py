"""Taking back: what undoes a line of the journal that is not about the columns of a memory."""

from __future__ import annotations

from collections.abc import Callable

from recollect.model.change import Change, Cut, Part, Protect, Reach, Rejoin, Rename, Unite, Unname
from recollect.model.clock import from_ms
from recollect.model.hit import Entry


def inverse_of(entry: Entry) -> Change | None:
    """Give the change that takes a journal line back; None for a line that no such change is known for."""
    known = _KNOWN.get(entry.op)
    if known is not None:
        return known(entry) if entry.meta is not None else None
    return _of_entities(entry)


def _created(entry: Entry) -> Change | None:
    """Take the names back that a new memory taught entities already known; the memory itself is removed."""
    names = (entry.meta or {}).get("names", ())
    taught = tuple((folded, type, entity) for folded, type, entity in names)
    return Unname(entry.memory_id, names=taught) if taught else None


def _linked(entry: Entry) -> Change:
    assert entry.meta is not None
    to, type = str(entry.meta["to"]), str(entry.meta["type"])
    if entry.before is None:
        return Cut(entry.memory_id, to, type)
    return Rejoin(entry.memory_id, to, type, float(entry.before["strength"]))


def _unlinked(entry: Entry) -> Change | None:
    if entry.before is None or "at" not in entry.before:  # written before the time was kept
        return None
    assert entry.meta is not None
    to, type = str(entry.meta["to"]), str(entry.meta["type"])
    return Rejoin(entry.memory_id, to, type, float(entry.before["strength"]), from_ms(int(entry.before["at"])))


def _consolidated(entry: Entry) -> Change | None:
    if entry.before is None:
        return None
    assert entry.meta is not None
    return Reach(str(entry.meta["session"]), int(entry.before["upto"]))


_KNOWN: dict[str, Callable[[Entry], Change | None]] = {
    "created": _created,
    "linked": _linked,
    "unlinked": _unlinked,
    "consolidated": _consolidated,
}


def _of_entities(entry: Entry) -> Change | None:
    before = entry.before or {}
    if entry.op == "named" and entry.before is not None:
        return Unname(
            entry.memory_id,
            tuple(before.get("linked", ())),
            tuple(before.get("made", ())),
            tuple((folded, type, entity) for folded, type, entity in before.get("names", ())),
            tuple((entity, type) for entity, type in before.get("typed", ())),
            tuple((entity, strength, at) for entity, strength, at in before.get("left", ())),
            before.get("enriched_at"),
        )
    if entry.op == "united" and "entity" in before:
        return Part(
            entry.memory_id,
            before["entity"],
            tuple((folded, type) for folded, type in before["names"]),
            tuple((memory, strength, at) for memory, strength, at in before["links"]),
            frozenset(before["shared"]),
            before["was"],
        )
    if entry.op == "renamed" and "to" in before:
        return Rename(entry.memory_id, before["name"], tuple((folded, type) for folded, type in before["taught"]))
    if entry.op == "protected" and "protected" in before:
        return Protect(entry.memory_id, bool(before["protected"]))
    if entry.op == "parted" and entry.meta and "from" in entry.meta:
        return Unite(entry.meta["from"], entry.memory_id)
    return None
