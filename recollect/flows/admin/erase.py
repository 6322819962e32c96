"""A person's demand to be forgotten: rows, words, links, journal text and file slack, for good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from recollect.errors import Conflict, InvalidInput, NotFound, Unavailable
from recollect.flows.find.browse import CHAIN, chain
from recollect.flows.find.founded import SOURCES, by_hand
from recollect.flows.life.follow_ups import tended
from recollect.flows.life.shelves import Shelves, kept_promise, shred_later, withdrawn
from recollect.model.change import Change, Drop, Enqueue, Finish, Lease, Remove, Wipe, Write
from recollect.model.clock import EPOCH, LATEST
from recollect.model.expectation import Still
from recollect.model.filter import Filter
from recollect.model.kinds import STATES
from recollect.model.memory import Memory
from recollect.model.owner import SYSTEM, Scope
from recollect.model.receipt import Left, Receipt, Report
from recollect.rules.gate import checks
from recollect.rules.people.mentions import stands
from recollect.runtime import Runtime
from recollect.store.base import Administration, Reading, View
from recollect.text.terms import fold

PAGE = 500
SCRUB_AFTER = timedelta(hours=1)
"""When the files are scrubbed of what jobs and undo removed: one pass over the database serves all until then."""

Plan = tuple[set[str], Drop | Wipe | None]


def erase(runtime: Runtime, scope: Scope, *, memory: str, session: str, entity: str, everything: bool) -> Receipt:
    """Erase one memory with its story, a session, everything about an entity, or all of an owner."""
    find = _chosen(runtime, scope, memory=memory, session=session, entity=entity, everything=everything)
    ticket = promised(runtime)
    archived = shred_later(runtime, scope.owner)
    try:
        receipt = runtime.store.decide(
            scope.owner, lambda view: _plan(runtime, scope, view, find(view), memory), runtime.now()
        )
    except NotFound:
        _done(runtime, ticket)
        withdrawn(runtime, scope.owner)
        raise
    scrubbed: Left = "scrubbed" if scrub(runtime, ticket) else "pending"
    if not archived:
        return replace(receipt, scrub=scrubbed)
    return replace(receipt, scrub=scrubbed, archive="scrubbed" if kept_promise(runtime, scope.owner) else "pending")


def erasing(runtime: Runtime, scope: Scope, *, memory: str, session: str, entity: str, everything: bool) -> Report:
    """Say what erasing would take away: memories by kind, conversations and names; nothing is changed."""
    find = _chosen(runtime, scope, memory=memory, session=session, entity=entity, everything=everything)
    with runtime.store.view() as view:
        found, drop = find(view)
        ids = _derived(view, scope.owner, found)
        known = view.get(scope.owner, sorted(ids))
    if not ids and drop is None:
        raise NotFound("there is nothing of that for this owner")
    kinds = Counter(one.kind for one in known)
    numbers = dict(sorted(kinds.items()))
    if isinstance(drop, Drop):
        numbers |= {"sessions": len(drop.sessions), "entities": len(drop.entities)}
    text = f"Would erase {len(ids)} memories for good."
    steps = tuple(f"{one.kind} {one.id}" for one in known[:PAGE])
    return Report(job="erase", owner=scope.owner, changed=len(ids), text=text, numbers=numbers, steps=steps)


def _chosen(
    runtime: Runtime, scope: Scope, *, memory: str, session: str, entity: str, everything: bool
) -> Callable[[View], Plan]:
    """Give what finds what is to be erased."""
    if sum(map(bool, (memory, session, entity, checks.flag("everything", everything)))) != 1:
        raise InvalidInput("say what to erase: one of a memory id, a session, an entity, or everything")
    if everything:
        return partial(_all, scope)
    if memory:
        return partial(_one, scope, memory)
    if session:
        return partial(_session, scope, checks.name("session", session))
    return partial(_entity, runtime, scope, fold(checks.name("entity", entity, empty=False)))


def _plan(runtime: Runtime, scope: Scope, view: Reading, found: Plan, memory: str) -> Write:
    """Make the write that erases what was found, if nothing has changed since it was looked for."""
    ids, drop = _derived(view, scope.owner, found[0]), found[1]
    if not ids and drop is None:
        raise NotFound("there is nothing of that for this owner")
    changes: tuple[Change, ...] = (Remove(tuple(sorted(ids)), "erased"),) if ids else ()
    if drop is not None:
        changes = (drop,) if isinstance(drop, Wipe) else (*changes, drop)
    later = () if isinstance(drop, Wipe) else tended(runtime, scope.owner, changes)
    return Write(
        owner=scope.owner,
        at=runtime.now(),
        node="erase",
        changes=(*changes, *later),
        expect=(Still(view.counters(scope.owner).rev),),
        actor=scope.agent,
        receipt=Receipt(outcome="stored", op="erased", id=memory, count=len(ids)),
    )


def scrub(runtime: Runtime, ticket: str) -> bool:
    """Drive erased text out of the files; when that worked, its job is done."""
    try:
        if not runtime.store.scrub():
            return False
    except Unavailable:  # the rows are gone all the same, and the job tries again when there is room
        return False
    _done(runtime, ticket)
    return True


def promised(runtime: Runtime) -> str:
    """Promise to scrub the files now, and give what `scrub` keeps the promise with.

    It comes before rows go: should the process die right after, the files are still scrubbed.
    """
    ticket = runtime.token()
    _system(runtime, Enqueue("scrub", runtime.now(), ticket))
    return ticket


def scrub_later(runtime: Runtime) -> None:
    """Promise to scrub the files; said before rows go, it is kept even should the process die right after."""
    _system(runtime, Enqueue("scrub", runtime.now() + SCRUB_AFTER, "purged"))


def _done(runtime: Runtime, ticket: str) -> None:
    with suppress(Conflict):  # a worker holds the job already: it will find nothing left to do
        _system(runtime, Lease("scrub", ticket, ticket, LATEST, force=True), Finish("scrub", ticket, ticket, {}))


def _system(runtime: Runtime, *changes: Change) -> None:
    runtime.store.commit(Write(owner=SYSTEM, at=runtime.now(), node="erase", changes=changes))


def _all(scope: Scope, view: Administration) -> Plan:
    where = Filter(owner=scope.owner, now=EPOCH, states=STATES)
    ids = {memory.id for memory in _pages(view, where)}
    known = ids or scope.owner in view.owners() or view.jobs(scope.owner)
    return ids, Wipe() if known else None


def _derived(view: Reading, owner: str, ids: set[str]) -> set[str]:
    """Add the stories of these memories, and all that was derived from any of them, with its story.

    What took the place of something derived may tell its words on, so it goes too. Digests and portraits say themselves
    what they rest on, and go only for that; a digest that a hand made its own is the hand's, and stays.
    """
    found = fresh = set(chain(view, owner, ids))
    while fresh:
        links = view.links(owner, sorted(fresh))
        rests = {one.from_id for one in links if one.type == "derived_from" and one.to_id in fresh}
        near = {end for one in links if one.type in CHAIN for end in (one.from_id, one.to_id)}
        known = view.get(owner, sorted((rests | near) - found))
        fresh = {one.id for one in known if not by_hand(one) and (one.id in rests or SOURCES not in one.attributes)}
        found |= fresh
    return found


def _one(scope: Scope, memory_id: str, view: Reading) -> Plan:
    found = view.get(scope.owner, [checks.name("memory id", memory_id)])
    return {memory.id for memory in found}, None


def _session(scope: Scope, session: str, view: Reading) -> Plan:
    where = Filter(owner=scope.owner, now=EPOCH, states=STATES, sessions=(session,))
    ids = {memory.id for memory in _pages(view, where)}
    known = any(row.id == session for row in view.sessions(scope.owner))
    return ids, Drop(sessions=(session,)) if known or ids else None


def _entity(runtime: Runtime, scope: Scope, name: str, view: Reading) -> Plan:
    """Find every memory that names the entity, whether the name was recognised there or not."""
    found = view.entities(scope.owner, list(dict.fromkeys((name, name.lstrip("@#")))))
    names = {name} | {alias for one in found for alias in one.aliases}
    where = Filter(owner=scope.owner, now=EPOCH, states=STATES)
    whole = Shelves(runtime).whole(_pages(view, where))  # a name may stand in what is archived alone
    ids = {memory.id for memory in whole if any(_names(memory, alias) for alias in names)}
    sessions = [row.id for row in view.sessions(scope.owner) if any(stands(alias, fold(row.id)) for alias in names)]
    linked = {link.from_id for link in view.links(scope.owner, [one.id for one in found]) if link.type == "mentions"}
    return ids | linked, Drop(tuple(sessions), tuple(one.id for one in found)) if found or sessions else None


def _pages(view: Reading, where: Filter) -> Iterable[Memory]:
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
        memory.role,
        memory.agent,
        memory.session,
        *memory.tags,
        *_texts(memory.attributes),
    )
    return any(stands(name, fold(text)) for text in everywhere)


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
