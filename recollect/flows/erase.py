"""A person's demand to be forgotten: rows, words, links, journal text and file slack, for good."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from recollect.errors import Conflict, InvalidInput, NotFound, Unavailable
from recollect.flows.look import chain
from recollect.model.change import Change, Drop, Enqueue, Finish, Lease, Remove, Wipe, Write
from recollect.model.clock import LATEST
from recollect.model.filter import Filter
from recollect.model.kinds import STATES
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules import checks
from recollect.rules.terms import fold, unspaced
from recollect.runtime import Runtime
from recollect.store.base import View

SYSTEM = ""
"""The owner of jobs that belong to the whole database; no person can have this name."""
ROUNDS = 5
PAGE = 500

Plan = tuple[set[str], Drop | None]


def erase(runtime: Runtime, scope: Scope, *, memory: str, session: str, entity: str, everything: bool) -> Receipt:
    """Erase one memory with its story, a session, everything about an entity, or all of an owner."""
    if sum(map(bool, (memory, session, entity, checks.flag("everything", everything)))) != 1:
        raise InvalidInput("say what to erase: one of a memory id, session=, entity= or everything=True")
    ticket = runtime.token()
    if everything:
        count = _wipe(runtime, scope, ticket)
    elif memory:
        count = _sweep(runtime, scope, ticket, lambda view: _one(view, scope, memory))
    elif session:
        wanted = checks.name("session", session)
        count = _sweep(runtime, scope, ticket, lambda view: _session(runtime, view, scope, wanted))
    else:
        wanted = fold(checks.name("entity", entity, empty=False))
        count = _sweep(runtime, scope, ticket, lambda view: _entity(runtime, view, scope, wanted))
    receipt = Receipt(outcome="stored", op="erased", id=memory, count=count)
    return replace(receipt, scrub="scrubbed" if scrub(runtime, ticket) else "pending")


def scrub(runtime: Runtime, ticket: str) -> bool:
    """Drive erased text out of the files; when that worked, its job is done."""
    try:
        if not runtime.store.scrub():
            return False
    except Unavailable:  # the rows are gone all the same, and the job tries again when there is room
        return False
    with suppress(Conflict):  # a worker holds the job already: it will find nothing left to do
        _system(runtime, Lease("scrub", ticket, ticket, LATEST, force=True), Finish("scrub", ticket, ticket, {}))
    return True


def _system(runtime: Runtime, *changes: Change) -> None:
    runtime.store.commit(Write(owner=SYSTEM, at=runtime.now(), node="erase", changes=changes))


def _wipe(runtime: Runtime, scope: Scope, ticket: str) -> int:
    with runtime.store.view() as view:
        count = view.count(Filter(owner=scope.owner, now=runtime.now(), states=STATES))
        if not count and scope.owner not in view.owners():
            raise NotFound("this owner has nothing to erase")
    _commit(runtime, scope, ticket, (Wipe(),))
    return count


def _sweep(runtime: Runtime, scope: Scope, ticket: str, find: Callable[[View], Plan]) -> int:
    """Erase what `find` finds until it finds nothing: somebody may be writing meanwhile."""
    total = 0
    for attempt in range(ROUNDS):
        with runtime.store.view() as view:
            ids, drop = find(view)
            ids = _derived(view, scope.owner, ids)
        if not ids and drop is None:
            if not attempt:
                raise NotFound("there is nothing of that for this owner")
            break
        removed: tuple[Change, ...] = (Remove(tuple(sorted(ids)), "erased"),) if ids else ()
        _commit(runtime, scope, ticket, (*removed, drop) if drop is not None else removed)
        total += len(ids)
    return total


def _commit(runtime: Runtime, scope: Scope, ticket: str, changes: tuple[Change, ...]) -> None:
    # The job comes first: should the process die after the rows are gone, the files are still scrubbed.
    _system(runtime, Enqueue("scrub", runtime.now(), ticket))
    runtime.store.commit(Write(owner=scope.owner, at=runtime.now(), node="erase", changes=changes, actor=scope.agent))


def _derived(view: View, owner: str, ids: set[str]) -> set[str]:
    """Add the stories of these memories, and all that was derived from any of them."""
    seen: set[str] = set()
    while fresh := ids - seen:
        seen |= fresh
        for memory_id in fresh:
            ids = ids | set(chain(view, owner, memory_id))
        for link in view.links(owner, sorted(ids)):
            if link.type == "derived_from" and link.to_id in ids:
                ids = ids | {link.from_id}
    return ids


def _one(view: View, scope: Scope, memory_id: str) -> Plan:
    found = view.get(scope.owner, [checks.name("memory id", memory_id)])
    return {memory.id for memory in found}, None


def _session(runtime: Runtime, view: View, scope: Scope, session: str) -> Plan:
    where = Filter(owner=scope.owner, now=runtime.now(), states=STATES, sessions=(session,))
    ids = {memory.id for memory in _pages(view, where)}
    known = any(row.id == session for row in view.sessions(scope.owner))
    return ids, Drop(sessions=(session,)) if known or ids else None


def _entity(runtime: Runtime, view: View, scope: Scope, name: str) -> Plan:
    """Find every memory that names the entity, whether the name was recognised there or not."""
    found = view.entities(scope.owner, list(dict.fromkeys((name, name.lstrip("@#")))))
    names = {name} | {alias for one in found for alias in one.aliases}
    where = Filter(owner=scope.owner, now=runtime.now(), states=STATES)
    ids = {memory.id for memory in _pages(view, where) if any(_names(memory, alias) for alias in names)}
    linked = {link.from_id for link in view.links(scope.owner, [one.id for one in found]) if link.type == "mentions"}
    return ids | linked, Drop(entities=tuple(one.id for one in found)) if found else None


def _pages(view: View, where: Filter) -> Iterable[Memory]:
    offset = 0
    while page := view.page(where, "oldest", PAGE, offset):
        yield from page
        offset += len(page)


def _names(memory: Memory, name: str) -> bool:
    """Tell whether a name stands anywhere in a memory as a word of its own."""
    everywhere = (
        memory.content,
        memory.topic,
        memory.key,
        memory.actor,
        *memory.tags,
        *_texts(memory.attributes),
    )
    return any(_stands(name, fold(text)) for text in everywhere)


def _texts(data: Any) -> Iterable[str]:
    """Give every text inside plain data, keys included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from (key, *_texts(value))
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _texts(value)


def _stands(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if unspaced(name) or not (before.isalnum() or after.isalnum()):
            return True
        at = text.find(name, at + 1)
    return False
