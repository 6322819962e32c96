"""What tells other memories on: whether all it rests on still stands, so that nothing forgotten is told by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.model.change import Change, Patch
from recollect.model.expectation import Expectation, Version
from recollect.model.filter import Filter
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


def by_hand(memory: Memory) -> bool:
    """Tell whether a section was a job's, and a hand has made it its own."""
    return COMPILED in memory.attributes and not compiled(memory)


def lost(view: Reading, owner: str, memories: Sequence[Memory], now: datetime | None) -> set[str]:
    """Give those that rest on something that was replaced, forgotten or purged since, or has run out.

    Without a moment they are looked back at: then only what was forgotten or purged is gone.
    """
    stand = view.founded(owner, [one.id for one in memories], now) if memories else {}
    return {one.id for one in memories if stand.get(one.id, 0) != one.attributes.get(SOURCES)}


def founded(view: Reading, where: Filter, memories: Sequence[Memory]) -> list[Memory]:
    """Leave out compiled sections that rest on what is gone: they are not shown until they are written anew.

    Who looks back, or at what was replaced, is shown what stood then, but nothing that was forgotten since.
    """
    made = [one for one in memories if one.state != "deleted" and compiled(one)]
    if not made:
        return list(memories)
    today = [one for one in made if one.state == "active" and where.as_of is None]
    once = [one for one in made if one.state != "active" or where.as_of is not None]
    gone = lost(view, where.owner, today, where.now) | lost(view, where.owner, once, None)
    return [one for one in memories if one.id not in gone]


def dropped(memories: Iterable[Memory]) -> tuple[list[Change], list[Expectation]]:
    """Give what takes memories away that rest on what is gone."""
    gone = list(memories)
    return (
        [Patch(one.id, {"state": "deleted"}, "deleted", {"why": GONE}) for one in gone],
        [Version(one.id, one.version) for one in gone],
    )
