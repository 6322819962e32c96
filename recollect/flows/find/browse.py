"""Looking without a query: lists, one memory, an entity, a history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect.errors import NotFound
from recollect.flows.find.filters import allows, sight
from recollect.model.entity import Entity, Profile
from recollect.model.filter import Filter
from recollect.model.hit import Entry
from recollect.model.kinds import KINDS
from recollect.model.memory import OUTDATED, Link, Memory
from recollect.model.owner import Scope
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.terms import fold

LISTED: tuple[str, ...] = tuple(kind for kind in KINDS if kind != "episode")
"""What a list shows unless told otherwise: raw messages are asked for by kind."""
PAGE = 1000
CHAIN = ("supersedes", "merged_into")
OF_SESSIONS = ("consolidated", "opened")
"""Lines of the journal about a session and no memory, which everybody may read."""


def get(runtime: Runtime, scope: Scope, memory_id: str) -> Memory:
    """Give one memory, in whatever state and project it is; what its agent may not see is not there."""
    may = sight(runtime, scope)
    with runtime.store.view() as view:
        found = view.get(scope.owner, [checks.name("memory id", memory_id, empty=False)])
    if not found or not allows(may, found[0]):
        raise NotFound(f"there is no memory {memory_id} for this owner")
    return found[0]


def links(runtime: Runtime, scope: Scope, memory_id: str) -> list[Link]:
    """Give the links of a memory; those that lead to what its agent may not see are not there."""
    may, one = sight(runtime, scope), checks.name("memory id", memory_id, empty=False)
    with runtime.store.view() as view:
        found = view.links(scope.owner, [one])
        if not may.categories:
            return found
        ends = sorted({one, *(end for link in found for end in (link.from_id, link.to_id))})
        hidden = {other.id for other in view.get(scope.owner, ends) if not allows(may, other)}
    return [] if one in hidden else [link for link in found if not {link.from_id, link.to_id} & hidden]


def newer(runtime: Runtime, scope: Scope, ids: Sequence[str]) -> dict[str, str]:
    """Give those of these memories that a newer one may have taken the place of, each with the id of that one."""
    may, wanted = sight(runtime, scope), sorted(set(ids))
    checks.whole("the number of ids", len(wanted), 0, PAGE)
    with runtime.store.view() as view:
        links = [one for one in view.links(scope.owner, wanted) if one.type == OUTDATED and one.from_id in wanted]
        known = {one.id: one for one in view.get(scope.owner, sorted({id for one in links for id in _ends(one)}))}
    seen = {id for id, one in known.items() if allows(may, one)}
    told = [one for one in links if seen.issuperset(_ends(one)) and known[one.to_id].state == "active"]
    return {one.from_id: one.to_id for one in sorted(told, key=lambda one: (one.strength, one.to_id))}


def _ends(link: Link) -> tuple[str, str]:
    return link.from_id, link.to_id


def entity(runtime: Runtime, where: Filter, name: str, type: str, limit: int) -> Profile | None:
    """Give what is known of a name or alias: the most mentioned entity, and its memories newest first."""
    wanted = fold(checks.name("name", name, empty=False))
    with runtime.store.view() as view:
        found = view.entities(where.owner, list(dict.fromkeys((wanted, wanted.lstrip("@#")))), type)
        if not found:
            return None
        docs = [doc for doc, _ in view.about(where, list(found[0].aliases), limit, found[0].type)]
        memories = view.documents(where.owner, docs)
        alike = _alike(view, where.owner, found[0])
    return Profile(found[0], tuple(memories[doc] for doc in sorted(docs, reverse=True)), alike)


def _alike(view: Reading, owner: str, one: Entity) -> tuple[Entity, ...]:
    """Give people that may be the same one: all words of one name are words of the other's."""
    words = set(fold(one.name).split())
    if one.type not in ("person", "name"):
        return ()
    near = {other.id: other for word in sorted(words)[:4] for other in view.namesakes(owner, word)}
    return tuple(
        other
        for other in sorted(near.values(), key=lambda other: (-other.mentions, other.name))
        if other.id != one.id and other.type in ("person", "name") and _within(words, set(fold(other.name).split()))
    )


def _within(some: set[str], others: set[str]) -> bool:
    return some <= others or others <= some


def chain(view: Reading, owner: str, ids: Iterable[str]) -> list[str]:
    """Give the ids of the whole stories of memories: what they replaced or were made of, and what took their place."""
    seen = set(ids)
    open_ends = sorted(seen)
    while open_ends:
        links = [link for link in view.links(owner, open_ends) if link.type in CHAIN]
        open_ends = sorted({end for link in links for end in (link.from_id, link.to_id)} - seen)
        seen.update(open_ends)
    return sorted(seen)


def history(runtime: Runtime, scope: Scope, memory_id: str) -> list[Entry]:
    """Give everything that happened to a memory and to those it replaced or became, oldest first.

    An agent that is held to categories is told of those only; what is gone has none."""
    may = sight(runtime, scope)
    with runtime.store.view() as view:
        ids = chain(view, scope.owner, [checks.name("memory id", memory_id, empty=False)])
        known = {one.id for one in view.get(scope.owner, ids) if allows(may, one)}
        told = [one for one in ids if one in known] if may.categories else ids
        entries = list(_all(view, scope.owner, told)) if memory_id in told else []
        if not entries and memory_id not in known:
            raise NotFound(f"there is no memory {memory_id} for this owner")
    return entries


def journal(runtime: Runtime, scope: Scope, since: int, limit: int) -> list[Entry]:
    """Give what happened after a revision, oldest first: of an agent's memory, what it may see, and of sessions."""
    may, found = sight(runtime, scope), list[Entry]()
    with runtime.store.view() as view:
        if not may.categories:
            return view.journal(scope.owner, (), since, limit)
        for page in _pages(view, scope.owner, (), since):
            found += told_of(view, may, page)
            if len(found) >= limit:
                break
    return found[:limit]


def told_of(view: Reading, may: Filter, entries: Sequence[Entry]) -> list[Entry]:
    """Leave out lines of the journal about what a filter does not let through, or what is gone."""
    if not may.categories:
        return list(entries)
    ids = sorted({entry.memory_id for entry in entries if entry.memory_id})
    known = {one.id for one in view.get(may.owner, ids) if allows(may, one)}
    return [one for one in entries if one.memory_id in known or (not one.memory_id and one.op in OF_SESSIONS)]


def _all(view: Reading, owner: str, ids: list[str]) -> Iterator[Entry]:
    """Give every journal line of these memories."""
    for page in _pages(view, owner, ids, 0):
        yield from page


def _pages(view: Reading, owner: str, ids: Sequence[str], since: int) -> Iterator[list[Entry]]:
    """Give the journal after a revision page by page; no ids are all of it."""
    while page := whole_revisions(view, owner, ids, since, PAGE):
        yield page
        since = page[-1].rev


def whole_revisions(view: Reading, owner: str, ids: Sequence[str], since: int, most: int) -> list[Entry]:
    """Give the next lines of the journal, about so many, and never a part of a revision."""
    page = view.journal(owner, ids, since, most)
    if len(page) < most:
        return page
    whole = [entry for entry in page if entry.rev < page[-1].rev]
    return whole or whole_revisions(view, owner, ids, since, most * 2)
