"""What is hardly sure any more: facts that time and disuse have worn."""

from __future__ import annotations

import heapq

from recollect.flows.find.filters import build
from recollect.model.hit import Worn
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.owner import Scope
from recollect.rules.life.salience import effective_confidence
from recollect.runtime import Runtime

KINDS_ASKED = (*DEFAULT_KINDS, "procedure", "reflection")
"""What a question may be answered from."""


def weak_facts(runtime: Runtime, scope: Scope, below: float, limit: int) -> list[Worn]:
    """Give the active facts whose confidence is below a share by now, the weakest first."""
    policy, now = runtime.settings.salience, runtime.now()
    where = build(runtime, scope, {"kinds": "fact"})
    with runtime.store.view() as view:
        worn = ((effective_confidence(one, now, policy), one.id) for one in view.lives(where))
        found = heapq.nsmallest(limit, (pair for pair in worn if pair[0] < below))
        memories = {one.id: one for one in view.get(scope.owner, [memory_id for _, memory_id in found])}
    return [Worn(memories[memory_id], left) for left, memory_id in found if memory_id in memories]
