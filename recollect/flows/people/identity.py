"""Known as: the names one owner's user goes by, so that facts under any of them are about one person."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.flows.find.words import best_matches
from recollect.flows.gate.verdict import Batch
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import split_owner
from recollect.rules.people.speakers import himself
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.text.terms import terms

MOST = 20
"""How many facts that tell a name are looked at."""


def known_as(runtime: Runtime, view: View, memory: Memory, among: Sequence[Memory], batch: Batch) -> frozenset[str]:
    """Give the names of the user that a new fact and its peers may go by; none where all begin alike.

    Who speaks is the user, unless he has another name than the owner or several people speak here: then only what the
    owner is called by counts.
    """
    head, names_told = runtime.reader.head, runtime.reader.names_told
    if memory.kind != "fact" or len({head(one.content) for one in (memory, *among)}) < 2:
        return frozenset()
    if batch.names is None:
        batch.names = _told(runtime, view, memory)
    told = [*batch.names, *(put.memory for put in batch.puts if put.memory.state == "active")]
    own = {split_owner(memory.owner)[1].casefold()}
    preferred = names_told([one.content for one in told if one.key], own)
    speakers = {one.actor.casefold() for one in (memory, *among, *told) if one.actor} - preferred
    known = names_told([one.content for one in told if not one.actor], preferred)
    if len(speakers) > 1 or not all(himself("user", one, known) for one in speakers):
        return frozenset(preferred)
    return frozenset(names_told([one.content for one in told], preferred | speakers))


def _told(runtime: Runtime, view: View, memory: Memory) -> list[Memory]:
    """Find the facts that tell a name, also those another has taken the place of: facts may still go by it."""
    policy = runtime.settings.terms
    where = Filter(owner=memory.owner, now=memory.created_at, kinds=("fact",), states=("active", "superseded"))
    docs = best_matches(view, where, list(terms(runtime.reader.naming, policy)), policy, MOST).tolist()
    return list(view.documents(memory.owner, docs).values())
