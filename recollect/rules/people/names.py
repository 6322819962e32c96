"""How entities are told apart: by their folded name and type, never by a part of a name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from recollect.model.entity import Entity, Mention
from recollect.text.terms import fold


def entity_id(type: str, name: str) -> str:
    """Give the id of the entity first known by this name; the same for everyone who meets it at once."""
    digest = hashlib.sha256(f"{type}\0{fold(name)}".encode()).hexdigest()
    return f"ent_{digest[:26]}"


def phrases(words: list[str], stop: frozenset[str], longest: int = 4) -> list[str]:
    """Give every run of words that may be a known name inside a text: up to `longest`, no stop word at an edge."""
    found = []
    for start, first in enumerate(words):
        if first not in stop:
            for end in range(start, min(start + longest, len(words))):
                if words[end] not in stop:
                    found.append(" ".join(words[start : end + 1]))
    return found


def whole(mentions: Sequence[Mention]) -> Iterable[Mention]:
    """Leave out the short form of a person whose full name stands in the same text: one text means one by it.

    Where two could be meant, or none, it stays what it is.
    """
    people = [fold(one.name).split() for one in mentions if one.type == "person"]
    for one in mentions:
        words = fold(one.name).split()
        fuller = {tuple(full) for full in people if len(full) > 1 and words[0] in (full[0], full[-1])}
        if not (one.type == "person" and len(words) == 1 and len(fuller) == 1):
            yield one


def certain(full: Entity, short: str, namesakes: Sequence[Entity]) -> bool:
    """Tell whether a short name can mean only this entity: nobody else is known by it, or by a name that has it.

    Whoever bears the short name alone may be united with the entity; one with another full name, or of another type,
    is somebody else.
    """
    for other in namesakes:
        if other.id == full.id:
            continue
        alone = all(fold(name).lstrip("@#") == short for name in other.aliases)
        typed = other.type in ("name", full.type) or full.type == "name"
        if not alone or not typed or other.protected:
            return False
    return len([other for other in namesakes if other.id != full.id]) <= 1
