"""Who the user is: what he is called, the names he is known by, and whose word a message is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from recollect.flows.find.words import best_matches
from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT
from recollect.model.memory import Memory
from recollect.model.owner import Scope, split_owner
from recollect.rules.people.speakers import NAME, Identity
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.roles import PEOPLE
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.language.reader import Names

MOST = 20
"""How many facts that tell a name are looked at."""
BEGINNING = 30
"""How many messages a conversation begins with: who speaks is mostly told there."""


def identity_of(view: Reading, owner: str, reader: Names) -> Identity:
    """Give who an owner is: his id, the name he wants to be called by, and the one he said so under.

    Where these tell nothing, like the number of an account, he is the one who spoke first; had that one no name, an
    empty one says so.
    """
    slot = view.slot(owner, "", "fact", "preferred_name")
    asked = (slot.actor,) if slot is not None and slot.actor and slot.source in EXPLICIT else ()
    known = Identity(split_owner(owner)[1], _name_told(slot.content, reader) if slot is not None else "", asked)
    return known if known.named else replace(known, spoke_as=(*asked, *_first_speaker(view, owner)))


def _name_told(content: str, reader: Names) -> str:
    """Give the name in what fills the slot of the preferred name; nothing where that is none."""
    name = reader.called(content.strip()) or content.strip()
    return name if NAME.fullmatch(name) else ""


def _first_speaker(view: Reading, owner: str) -> list[str]:
    """Give the name under which somebody first spoke to this memory as its user."""
    where = Filter(owner=owner, now=EPOCH, kinds=("episode",))
    said = [one for role in sorted(PEOPLE) for one in view.page(replace(where, role=role), "oldest", 1)]
    return [one.actor for one in sorted(said, key=lambda one: one.created_at)[:1]]


def own_names(runtime: Runtime, view: Searching, scope: Scope, user: Identity) -> tuple[str, ...]:
    """Give the names of the speaker himself, which need no evidence: as he is known here, as he likes to be called,
    and as he has called himself when the conversation began or before it."""
    reader = runtime.reader
    said = view.said(scope.owner, scope.session, 0, BEGINNING) if scope.session else []
    called = reader.introduced([one.content for _, one in said if one.role.casefold() in ("user", "human")])
    told = naming_facts(runtime, view, Filter(owner=scope.owner, now=runtime.now(), kinds=("fact",)))
    found = (reader.named(one.content) for one in told)
    words = (word for name in user.names[1:] for word in reader.names_in("… " + name))
    return tuple(dict.fromkeys((user.id, *words, *sorted(called), *filter(None, found))))


def naming_facts(runtime: Runtime, view: Searching, where: Filter) -> list[Memory]:
    """Give the memories under a filter that tell how somebody is called, at most so many."""
    policy = runtime.settings.terms
    docs = best_matches(view, where, list(terms(runtime.reader.naming, policy)), policy, MOST).tolist()
    return list(view.documents(where.owner, docs).values())


def names_gone_by(
    memory: Memory, among: Sequence[Memory], told: Callable[[], Sequence[Memory]], reader: Names
) -> frozenset[str]:
    """Give the names of the user that a new fact and its peers may go by; none where all begin alike.

    `told` gives the facts that tell a name, and is asked only where it matters. Who speaks is the user, unless he has
    another name than the owner or several people speak here: then only what the owner is called by counts.
    """
    head, names_told = reader.head, reader.names_told
    if memory.kind != "fact" or len({head(one.content) for one in (memory, *among)}) < 2:
        return frozenset()
    facts, own = told(), split_owner(memory.owner)[1]
    preferred = names_told([one.content for one in facts if one.key], {own.casefold()})
    speakers = {one.actor.casefold() for one in (memory, *among, *facts) if one.actor} - preferred
    user = Identity(own, spoke_as=tuple(names_told([one.content for one in facts if not one.actor], preferred)))
    if len(speakers) > 1 or not all(user.says("user", one) for one in speakers):
        return frozenset(preferred)
    return frozenset(names_told([one.content for one in facts], preferred | speakers))
