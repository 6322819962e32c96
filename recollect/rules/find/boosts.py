"""Boosts: what a memory is worth beside how well it fits the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import exp

from recollect.model.kinds import KINDS
from recollect.model.memory import Link, Memory
from recollect.model.values import bounded, dataclass
from recollect.rules.life.salience import SaliencePolicy, effective_importance, last_use, salience

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class BoostPolicy:
    """How much the worth of a memory adds to its score; a fit one deviation better adds about one."""

    importance: float = 0.2
    """For the most important over the least, as it stands now."""
    pinned: float = 0.1
    """For a pin."""
    salience: float = 0.02
    """For each point of salience above one: often used, and lately."""
    recency: float = 0.1
    """For what was used or made just now; less by e for every `recency_days`."""
    recency_days: float = bounded(30.0, least=0.01)
    """How long being recent lasts."""
    project: float = 0.5
    """For a memory of the project that is being worked on, over the owner's other memory."""
    relations: float = 0.1
    """For the strongest link to a better hit of the same search."""


def worth(memory: Memory, now: datetime, policy: BoostPolicy, fading: SaliencePolicy) -> dict[str, float]:
    """Give what each quality of a memory adds. A raw message has none of them: only its fit counts."""
    if memory.kind == "episode":
        return {}
    days = max(0.0, (now - last_use(memory)).total_seconds() / DAY)
    adds = {
        "importance": policy.importance * (effective_importance(memory, now, fading) - 5) / 9,
        "pinned": policy.pinned * memory.pinned,
        "salience": policy.salience * (salience(memory, now, fading) - 1),
        "recency": policy.recency * exp(-days / policy.recency_days),
        "kind": KINDS[memory.kind].weight - 1,
    }
    return {name: value for name, value in adds.items() if value}


def related(scores: Mapping[str, float], links: Sequence[Link], policy: BoostPolicy) -> dict[str, float]:
    """Give what a link to a better hit adds: it draws the worse one closer, at most half the way; none is overtaken."""
    adds: dict[str, float] = {}
    for link in links:
        if link.type == "related_to" and link.from_id in scores and link.to_id in scores:
            worse, better = sorted((link.from_id, link.to_id), key=lambda id: scores[id])
            add = min(policy.relations * link.strength, (scores[better] - scores[worse]) / 2)
            adds[worse] = max(adds.get(worse, 0.0), add)
    return {id: add for id, add in adds.items() if add}
