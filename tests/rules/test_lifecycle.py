"""Lifecycle: what leaves the short tier, and when."""

from __future__ import annotations

from datetime import timedelta

from recollect.rules.lifecycle import LifecyclePolicy, ageing
from recollect.rules.salience import (
    SaliencePolicy,
)
from recollect.testing.contract import AT, make

POLICY = SaliencePolicy()
DAY = timedelta(days=1)


def test_ageing() -> None:
    """What is older than 48 hours and as long unused leaves, the least important first, so many at once."""
    now = AT + 3 * DAY
    old = [make(f"fact_{n}", importance=n) for n in (6, 4, 5)]
    young = make("fact_young", at=now - timedelta(hours=48))
    used = make("fact_used", last_accessed=now - timedelta(hours=1))
    chosen = ageing([*old, young, used], now, LifecyclePolicy(), POLICY)
    assert [memory.importance for memory in chosen] == [4, 5, 6]
    assert len(ageing(old, now, LifecyclePolicy(age_most=2), POLICY)) == 2
    assert ageing(old, AT + timedelta(hours=48), LifecyclePolicy(), POLICY) == []
    assert len(ageing(old, AT + timedelta(hours=48, milliseconds=1), LifecyclePolicy(), POLICY)) == 3
