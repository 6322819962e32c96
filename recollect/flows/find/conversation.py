"""A conversation as it was held, with what was learnt from which message; and what happened in a stretch of time."""

from __future__ import annotations

from datetime import datetime

from recollect.errors import InvalidInput
from recollect.flows.find.filters import allows, sight
from recollect.model.hit import Entry, Turn
from recollect.model.memory import COVERS, Memory
from recollect.model.owner import Scope
from recollect.runtime import Runtime

FROM = ("derived_from", COVERS)


def conversation(runtime: Runtime, scope: Scope, session: str, after: int, limit: int) -> list[Turn]:
    """Give the messages of a session behind a place, in order, each with the memories that rest on it.

    An agent that is held to categories is told of those only."""
    may = sight(runtime, scope)
    with runtime.store.view() as view:
        said = view.said(scope.owner, session, after, limit)
        ids = [message.id for _, message in said]
        links = [link for link in view.links(scope.owner, ids) if link.type in FROM]
        known = {one.id: one for one in view.get(scope.owner, sorted({link.from_id for link in links}))}
    learnt: dict[str, list[Memory]] = {}
    for link in links:
        one = known.get(link.from_id)
        if one is not None and one.kind != "episode" and allows(may, one):
            learnt.setdefault(link.to_id, []).append(one)
    shown = [(number, message) for number, message in said if allows(may, message)]
    return [Turn(number, one, tuple(sorted(learnt.get(one.id, ()), key=lambda made: made.id))) for number, one in shown]


def changes(runtime: Runtime, scope: Scope, after: datetime, before: datetime, limit: int) -> list[Entry]:
    """Give what happened from one moment until before another, the newest first."""
    if before <= after:
        raise InvalidInput("before must be later than after: nothing happens in no time")
    with runtime.store.view() as view:
        return view.happened(scope.owner, after, before, limit)
