"""What a memory is known by when the same text comes again."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.text.normal import digest


def hash_of(memory: Memory) -> str:
    """Give the digest a memory's row has: of its text and project; a message has none, for it is never a repeat."""
    return "" if memory.kind == "episode" else digest(memory.content, memory.project)
