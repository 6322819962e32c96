"""How entities are told apart: by their folded name and type, never by a part of a name."""

from __future__ import annotations

import hashlib

from recollect.rules.terms import fold


def entity_id(type: str, name: str) -> str:
    """Give the id of the entity first known by this name; the same for everyone who meets it at once."""
    digest = hashlib.sha256(f"{type}\0{fold(name)}".encode()).hexdigest()
    return f"ent_{digest[:26]}"


def phrases(words: list[str], longest: int = 4) -> list[str]:
    """Give every run of one to `longest` words, the candidates for a known name inside a text."""
    return [
        " ".join(words[start : start + size])
        for size in range(1, longest + 1)
        for start in range(len(words) - size + 1)
    ]
