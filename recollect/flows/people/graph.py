"""The neighbourhood of entities: who and what memories mention together with them, laid out to be drawn."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import NotFound
from recollect.model.entity import Edge, Entity, Graph, Node
from recollect.model.owner import Scope
from recollect.rules.people.drawing import places
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.terms import fold

MOST = 5000
"""How many entities one graph can have."""
MOST_AROUND = 200
"""Around how many entities at once."""


def graph(runtime: Runtime, scope: Scope, around: Sequence[str], limit: int) -> Graph:
    """Give the entities mentioned together with these, by id or name, closest first; without any, the best known."""
    with runtime.store.view() as view:
        if not around:
            chosen, hidden = view.known(scope.owner, "", "", limit), 0
        else:
            chosen, hidden = _around(view, scope.owner, around, limit)
        counted = view.joined(scope.owner, [one.id for one in chosen])
    number = {one.id: place for place, one in enumerate(chosen)}
    at = places(len(chosen), [(number[first], number[second], many) for first, second, many in counted])
    nodes = tuple(Node(one.id, one.name, one.type, one.mentions, *spot) for one, spot in zip(chosen, at, strict=True))
    return Graph(nodes, tuple(Edge(*pair) for pair in counted), hidden)


def _around(view: Reading, owner: str, around: Sequence[str], limit: int) -> tuple[list[Entity], int]:
    """Give these and their neighbours, with how many neighbours there was no room for."""
    named = [one for one in around if not one.startswith("ent_")]
    best = {name: found[0].id for name in named if (found := view.entities(owner, [fold(name)]))}
    ids = list(dict.fromkeys(best.get(one, one) for one in around))
    known = view.by_id(owner, ids)
    if not known:
        raise NotFound("nothing is known of that name")
    centres = [one.id for one in known]
    beside: dict[str, int] = {}
    for one in centres:
        for other, many in view.near(owner, one):
            beside[other] = beside.get(other, 0) + many
    others = sorted((one for one in beside if one not in centres), key=lambda one: (-beside[one], one))
    room = max(limit - len(centres), 0)
    return [*known, *view.by_id(owner, others[:room])], max(len(others) - room, 0)
