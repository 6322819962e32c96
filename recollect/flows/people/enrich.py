"""Memories that name little are read again: what more they name, and who turns out to be one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.flows.life.follow_ups import READ_KINDS
from recollect.flows.people.naming import NamesFound, read, readers
from recollect.model.change import Name, Unite, Write
from recollect.model.clock import iso
from recollect.model.entity import Entity, Mention
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.rules.people.names import certain
from recollect.runtime import Runtime
from recollect.store.base import Administration, Reading
from recollect.text.terms import fold

BELIEVED = 0.9
"""From which trust on a memory's word is taken that two names are one's."""
LONGEST = 5000


@dataclass(frozen=True, slots=True)
class Waiting:
    """The memories to be read again now, whether there are more, and where a run that goes on begins."""

    memories: list[Memory]
    more: bool
    below: int = 0
    """The document below which the others are."""


def waiting(runtime: Runtime, view: Administration, owner: str, below: int = 0) -> Waiting:
    """Give the memories to be read again now, of those below a document where one is given."""
    policy = runtime.settings.entities
    where = Filter(owner=owner, now=runtime.now(), kinds=READ_KINDS)
    found = view.unread(where, policy.few, policy.batch + 1, below)
    if len(found) <= policy.batch:
        return Waiting(found, False)
    last = found[policy.batch - 1].id
    return Waiting(found[: policy.batch], True, view.numbers(owner, [last])[last])


@dataclass(frozen=True, slots=True)
class Reread:
    """What reading some memories again came to."""

    changes: tuple[Name, ...]
    named: int
    """How many names were found in all."""
    unread: int
    """How many memories nobody could read: they wait for the next time."""
    problems: tuple[str, ...]
    steps: tuple[str, ...]
    spent: bool = False


def reread(runtime: Runtime, owner: str, memories: Sequence[Memory], by: Sequence[str]) -> Reread:
    """Read memories again and give what is to be written down."""
    reading: NamesFound = read(runtime, owner, [memory.content for memory in memories], by)
    at = iso(runtime.now())
    pairs = [(memory, found) for memory, found in zip(memories, reading.mentions, strict=True) if found is not None]
    return Reread(
        tuple(Name(memory.id, found, at) for memory, found in pairs),
        sum(len(found) for _, found in pairs),
        len(memories) - len(pairs),
        reading.problems,
        tuple(f"read {memory.id}: names {len(found)}" for memory, found in pairs),
        reading.spent,
    )


def enrich_one(runtime: Runtime, scope: Scope, memory: Memory) -> Reread:
    """Read one memory again and write down what it names."""
    done = reread(runtime, scope.owner, [memory], readers(runtime))
    if done.changes:
        runtime.store.commit(
            Write(owner=scope.owner, at=runtime.now(), node="enrich", changes=done.changes, actor=scope.agent)
        )
    return done


def unions(runtime: Runtime, view: Reading, owner: str, memories: Sequence[Memory]) -> Iterator[Name | Unite]:
    """Give what follows from memories that say outright that two names are one's, where only one can be meant."""
    also_called = runtime.reader.also_called
    for memory in memories:
        if memory.trust < BELIEVED:
            continue
        for full, short in also_called(memory.content[:LONGEST]):
            linked = {link.to_id for link in view.links(owner, [memory.id]) if link.type == "mentions"}
            fuller = [one for one in view.entities(owner, [fold(full)]) if one.id in linked]
            if len(fuller) == 1:
                yield from _union(view, owner, memory, fuller[0], fold(short))


def _union(view: Reading, owner: str, memory: Memory, full: Entity, short: str) -> Iterator[Name | Unite]:
    namesakes = view.namesakes(owner, short)
    if short in full.aliases or not certain(full, short, namesakes):
        return
    others = [one for one in namesakes if one.id != full.id]
    if others:
        yield Unite(others[0].id, full.id)
    else:
        yield Name(memory.id, (Mention(full.name, full.type, 0, 0, aliases=(short,)),), None)


def told(unions: Sequence[Name | Unite]) -> tuple[str, ...]:
    """Say which entities became one, a line each."""
    return tuple(
        f"united {one.from_id} into {one.into_id}: a memory says they are one"
        if isinstance(one, Unite)
        else f"taught a name: {one.memory_id} says it is another's too"
        for one in unions
    )
