"""What tells other memories on: whether all it rests on still stands, so that nothing forgotten is told by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.model.change import Change, Patch
from recollect.model.expectation import Expectation, Version
from recollect.model.memory import Memory
from recollect.rules.window.markdown import text_hash
from recollect.store.base import Reading

COMPILED, SOURCES = "compiled", "sources"
"""The attributes of what a job wrote: the digest of its text, and on how many memories it rests."""
GONE = "what it rested on is gone"


def compiled(memory: Memory) -> bool:
    """Tell whether a section is as a job has compiled it: once a hand has changed a letter, it is the hand's."""
    digest = memory.attributes.get(COMPILED)
    return digest is not None and memory.source == "job" and digest == text_hash(memory.content)


def lost(view: Reading, owner: str, memories: Sequence[Memory], now: datetime) -> set[str]:
    """Give those that rest on something that was replaced, forgotten or purged since, or has run out."""
    if not memories:
        return set()
    links = [one for one in view.links(owner, [one.id for one in memories]) if one.type == "derived_from"]
    stands = {one.id for one in view.get(owner, sorted({one.to_id for one in links})) if _stands(one, now)}
    many: dict[str, int] = {}
    for link in links:
        many[link.from_id] = many.get(link.from_id, 0) + (link.to_id in stands)
    return {one.id for one in memories if many.get(one.id, 0) != one.attributes.get(SOURCES)}


def _stands(memory: Memory, now: datetime) -> bool:
    return memory.state == "active" and (memory.valid_until is None or memory.valid_until > now)


def founded(view: Reading, owner: str, memories: Sequence[Memory], now: datetime) -> list[Memory]:
    """Leave out compiled sections that rest on what is gone: they are not shown until they are written anew."""
    gone = lost(view, owner, [one for one in memories if one.state == "active" and compiled(one)], now)
    return [one for one in memories if one.id not in gone]


def dropped(memories: Iterable[Memory]) -> tuple[list[Change], list[Expectation]]:
    """Give what takes memories away that rest on what is gone."""
    gone = list(memories)
    return (
        [Patch(one.id, {"state": "deleted"}, "deleted", {"why": GONE}) for one in gone],
        [Version(one.id, one.version) for one in gone],
    )
