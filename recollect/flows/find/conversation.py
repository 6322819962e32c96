"""A conversation as it was held, with what was learnt from which message; and what happened in a stretch of time."""

from __future__ import annotations

from datetime import datetime

from recollect.errors import InvalidInput
from recollect.flows.find.filters import allows, sight
from recollect.model.clock import to_ms
from recollect.model.hit import Changes, Turn
from recollect.model.memory import COVERS, Memory
from recollect.model.owner import Scope
from recollect.runtime import Runtime
from recollect.store.base import Line

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


def changes(runtime: Runtime, scope: Scope, between: tuple[datetime, datetime], limit: int, cursor: str) -> Changes:
    """Give what happened from one moment until before another, the newest first, a part at a time.

    An agent that is held to categories gets the memories of those only."""
    after, before = between
    if before <= after:
        raise InvalidInput("before must be later than after: nothing happens in no time")
    place = _place(cursor) if cursor else None
    may = sight(runtime, scope)
    with runtime.store.view() as view:
        lines = view.happened(scope.owner, after, before, limit, place)
        known = view.get(scope.owner, list(dict.fromkeys(one.memory_id for one in lines if one.memory_id)))
    last = lines[-1] if len(lines) == limit else None
    told = "" if last is None else f"{to_ms(last.at)}.{last.rev}.{last.seq}"
    return Changes(tuple(lines), tuple(one for one in known if allows(may, one)), told)


def _place(cursor: str) -> Line:
    """Read where the part before ended."""
    parts = cursor.split(".")
    if len(parts) != 3 or not all(one.isascii() and one.isdigit() and len(one) < 19 for one in parts):
        raise InvalidInput("the cursor cannot be read: begin again without one")
    at, rev, seq = map(int, parts)
    return at, rev, seq
