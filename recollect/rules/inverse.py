"""Taking back what a line of the journal says was done to entities."""

from __future__ import annotations

from recollect.model.change import Change, Part, Unite, Unname
from recollect.model.hit import Entry


def inverse_of(entry: Entry) -> Change | None:
    """Give the change that takes a journal line back; None for a line that cannot be, or is not about entities."""
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
    if entry.op == "parted" and entry.meta and "from" in entry.meta:
        return Unite(entry.meta["from"], entry.memory_id)
    return None
