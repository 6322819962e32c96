"""Lifecycle: what ages, is forgotten or expires, and the exact moment of each."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from recollect.rules.life.lifecycle import MS, Life, LifecyclePolicy, problem
from recollect.rules.life.retention import RetentionPolicy, RetentionRule
from recollect.rules.life.salience import SaliencePolicy, effective_confidence
from recollect.testing.contract import AT, make

DAY = timedelta(days=1)
LIFE = Life(LifecyclePolicy(), RetentionPolicy("fading+expiring"), SaliencePolicy())


def ruled(**rule: Any) -> Life:
    """Give a life with one rule of retention."""
    return replace(LIFE, retention=replace(LIFE.retention, rules=(RetentionRule(**rule),)))


def test_ageing() -> None:
    """What is older than 48 hours and as long unused leaves, the least important first, so many at once."""
    now = AT + 3 * DAY
    old = [make(f"fact_{n}", importance=n) for n in (6, 4, 5)]
    young = make("fact_young", at=now - timedelta(hours=48))
    used = make("fact_used", last_accessed=now - timedelta(hours=1))
    found = LIFE.ageing([*old, young, used], now)
    assert [memory.importance for memory in found.old] == [4, 5, 6]
    assert (found.young, found.stay, found.more, found.later) == ([], 2, False, now + MS)
    capped = replace(LIFE, lifecycle=LifecyclePolicy(age_most=2)).ageing(old, now)
    assert (len(capped.old), capped.more) == (2, True)
    assert LIFE.ageing(old, AT + timedelta(hours=48)).old == []
    assert len(LIFE.ageing(old, AT + timedelta(hours=48) + MS).old) == 3


def test_a_crowded_tier() -> None:
    """Above a hundred the tier is brought down to fifty: the least important and oldest go, the lately used last."""
    now = AT + DAY
    tier = [make(f"fact_{n:03}", at=AT + n * MS, importance=4 + n % 2) for n in range(101)]
    assert LIFE.ageing(tier[:100], now).young == []
    found = LIFE.ageing(tier, now)
    assert [memory.id for memory in found.young] == [f"fact_{n:03}" for n in range(0, 101, 2)]
    assert (found.stay, found.more) == (50, False)
    used = [replace(memory, last_accessed=now) for memory in tier[:60]]
    gone = {memory.id for memory in LIFE.ageing([*used, *tier[60:]], now).young}
    assert {memory.id for memory in tier[60:]} < gone
    assert len(gone) == 51
    everything = LIFE.ageing([replace(memory, last_accessed=now) for memory in tier], now)
    assert everything.stay == 50
    many = LIFE.ageing([make(f"fact_{n:03}", importance=4) for n in range(300)], now)
    assert (len(many.young), many.stay, many.more) == (100, 200, True)


@pytest.mark.parametrize(
    "fields", [{"pinned": True}, {"decay_rate": 0.0}, {"source": "directive"}, {"importance": 8}, {"importance": 10}]
)
def test_the_protected_stay(fields: dict[str, Any]) -> None:
    """What is pinned, certain, a directive or important neither ages nor is forgotten nor expires."""
    memory = make("fact_1", **{"importance": 3, "confidence": 0.01, **fields})
    for life in (LIFE, ruled(expire_after="1d", age_after="1h")):
        assert life.kept(memory)
        assert [life.ages_at(memory), life.forgotten_at(memory), life.expires_at(memory)] == [None] * 3


@pytest.mark.parametrize(
    ("confidence", "rate", "days"), [(1.0, 0.1, 29.957), (0.3, 0.5, 3.583), (0.8, 0.1, 27.726), (0.04, 0.1, 0)]
)
def test_the_moment_of_forgetting(confidence: float, rate: float, days: float) -> None:
    """The moment is the first millisecond at which the effective confidence is below the line, and none before."""
    memory = make("fact_1", importance=5, confidence=confidence, decay_rate=rate)
    moment = LIFE.forgotten_at(memory)
    assert moment is not None
    assert (moment - AT) / DAY == pytest.approx(days, abs=0.001)
    assert effective_confidence(memory, moment, LIFE.salience) < 0.05
    assert moment == AT or effective_confidence(memory, moment - MS, LIFE.salience) >= 0.05


def test_only_chosen_kinds_are_forgotten() -> None:
    """Facts are forgotten, events only where the settings say so, and what hardly fades never."""
    assert LIFE.forgotten_at(make("ev_1", kind="event", importance=4)) is None
    more = replace(LIFE, lifecycle=LifecyclePolicy(forget_kinds=("fact", "event")))
    assert more.forgotten_at(make("ev_1", kind="event", importance=4)) is not None
    assert LIFE.forgotten_at(make("fact_1", importance=5, decay_rate=1e-9)) is None


def test_the_moment_of_expiring() -> None:
    """Below importance six a memory expires after sixty days without use; raw messages have none and stay."""
    memory = make("ev_1", kind="event", importance=4)
    assert LIFE.expires_at(memory) == AT + 60 * DAY + MS
    assert LIFE.expires_at(replace(memory, last_accessed=AT + 5 * DAY)) == AT + 65 * DAY + MS
    assert LIFE.expires_at(replace(memory, importance=5)) == AT + 60 * DAY + MS
    assert LIFE.expires_at(replace(memory, importance=6)) is None
    assert LIFE.expires_at(make("ep_1", kind="episode", importance=None, decay_rate=0.0)) is None


def test_retention() -> None:
    """A rule that fits decides: when it ages, when it expires, whether it is forgotten, or never."""
    memory = make("fact_1", importance=3, topic="Work/Plans")
    longer = ruled(topic="work/*", age_after="30d", expire_after="52w")
    assert longer.ages_at(memory) == AT + 30 * DAY + MS
    assert longer.expires_at(memory) == AT + 364 * DAY + MS
    assert longer.forgotten_at(memory) is None
    assert ruled(topic="work/*", age_after="12h").forgotten_at(memory) == LIFE.forgotten_at(memory)
    assert ruled(topic="home/*", never=True).kept(memory) == ""
    forever = ruled(topic="work/*", never=True)
    assert "never" in forever.kept(memory)
    assert [forever.ages_at(memory), forever.forgotten_at(memory), forever.expires_at(memory)] == [None] * 3


def test_retention_of_what_does_not_fade() -> None:
    """Messages and passages expire only by a rule that names their kind; a pinned one even then stays."""
    said = make("ep_1", kind="episode", importance=None, decay_rate=0.0)
    assert ruled(expire_after="1d").expires_at(said) is None
    named = ruled(kind="episode", expire_after="1d")
    assert named.expires_at(said) == AT + DAY + MS
    assert named.mortal == ("episode", *LIFE.mortal)
    assert named.expires_at(replace(said, pinned=True)) is None


def test_the_value_of_a_slot() -> None:
    """What fills a slot ages, but is replaced instead of forgotten; it expires only by a rule of retention.

    One that says who somebody is stays whatever the rule.
    """
    tone = make("fact_1", key="tone", importance=3)
    assert LIFE.ages_at(tone) == AT + 2 * DAY + MS
    assert (LIFE.forgotten_at(tone), LIFE.expires_at(tone)) == (None, None)
    assert ruled(expire_after="1d").expires_at(tone) == AT + DAY + MS
    city = make("fact_2", key="city", importance=3)
    assert (LIFE.kept(city), LIFE.ages_at(city), LIFE.forgotten_at(city)) == ("about identity", None, None)
    assert ruled(expire_after="1d").expires_at(city) is None


def test_numbers_that_contradict() -> None:
    """A tier cannot be brought down to more than it may hold, and only kinds that fade can be forgotten."""
    assert problem(LifecyclePolicy()) == ""
    assert "short_kept" in problem(LifecyclePolicy(short_most=10))
    assert "forget_below" in problem(LifecyclePolicy(forget_below=1.0))
    assert "procedure" in problem(LifecyclePolicy(forget_kinds=("procedure",)))
