"""When a memory moves on: ageing out of the short tier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.model.memory import Memory
from recollect.rules.salience import SaliencePolicy, effective_importance, last_use, protected


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """How long memories stay in the short tier, and how many are moved at once."""

    age_after_hours: float = 48.0
    """How long an unused memory stays in the short tier."""
    age_most: int = 100
    """How many memories one run may move."""


def ageing(
    memories: Iterable[Memory], now: datetime, policy: LifecyclePolicy, salience: SaliencePolicy
) -> list[Memory]:
    """Choose what leaves the short tier: unused for long enough and unprotected, least important first."""
    line = now - timedelta(hours=policy.age_after_hours)
    old = [m for m in memories if m.created_at < line and last_use(m) < line and not protected(m, salience)]
    old.sort(key=lambda m: (effective_importance(m, now, salience), m.created_at, m.id))
    return old[: policy.age_most]
