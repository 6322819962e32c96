"""Salience: what time does to a memory, and what is protected from it."""

from __future__ import annotations

from datetime import timedelta
from math import exp, log
from typing import Any

import pytest

from recollect.rules.life.salience import (
    SaliencePolicy,
    effective_confidence,
    effective_importance,
    last_use,
    protected,
    salience,
)
from recollect.testing.contract import AT, make

POLICY = SaliencePolicy()
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("given", "days", "left"),
    [
        (7, 0, 7),
        (7, 6.99, 7),
        (7, 7, 6),
        (7, 14, 5),
        (7, 28, 3),
        (7, 400, 3),
        (4, 7, 3),
        (3, 70, 3),
        (2, 70, 2),
        (1, 7, 1),
    ],
)
def test_importance_steps(given: int, days: float, left: int) -> None:
    """One less for every whole week unused, never below three, and what is below stays where it is."""
    assert effective_importance(make("fact_1", importance=given), AT + days * DAY, POLICY) == left


@pytest.mark.parametrize(
    "fields",
    [{"pinned": True}, {"decay_rate": 0.0}, {"source": "directive"}, {"importance": 8}, {"importance": 10}],
)
def test_protected(fields: dict[str, Any]) -> None:
    """Pinned, not decaying, a directive, or of importance eight and more: time does nothing to it."""
    memory = make("fact_1", **{"importance": 7, "confidence": 0.8, **fields})
    far = AT + 1000 * DAY
    assert protected(memory, POLICY)
    assert effective_importance(memory, far, POLICY) == memory.importance
    assert effective_confidence(memory, far, POLICY) == 0.8


def test_ordinary_is_not_protected() -> None:
    """Importance seven is not protected, and a raw message without importance neither by it."""
    assert not protected(make("fact_1", importance=7), POLICY)
    assert effective_importance(make("ep_1", importance=None), AT, POLICY) == 0


def test_use_starts_over() -> None:
    """The weeks count from the last use, not from the creation; a clock gone back does no harm."""
    memory = make("fact_1", importance=7, last_accessed=AT + 20 * DAY)
    assert last_use(memory) == AT + 20 * DAY
    assert effective_importance(memory, AT + 26 * DAY, POLICY) == 7
    assert effective_importance(memory, AT, POLICY) == 7
    assert effective_confidence(memory, AT, POLICY) == 1.0


def test_confidence_decays() -> None:
    """Confidence falls by the exponential of rate times days, from the value given."""
    memory = make("fact_1", confidence=0.8, decay_rate=0.1)
    assert effective_confidence(memory, AT + 10 * DAY, POLICY) == pytest.approx(0.8 * exp(-1))


def test_salience() -> None:
    """Use adds weight by its logarithm, fades with time to a floor, and is capped."""
    assert salience(make("fact_1"), AT, POLICY) == 1
    used = make("fact_1", access_count=9)
    assert salience(used, AT, POLICY) == pytest.approx(1 + log(10))
    assert salience(used, AT + 10 * DAY, POLICY) == pytest.approx(1 + log(10) * 0.5)
    assert salience(used, AT + 900 * DAY, POLICY) == pytest.approx(1 + log(10) * 0.1)
    assert salience(make("fact_1", access_count=10**9), AT, POLICY) == POLICY.cap
