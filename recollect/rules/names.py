"""How entities are told apart: by their folded name and type, never by a part of a name."""

from __future__ import annotations

import hashlib

from recollect.rules.terms import fold


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
