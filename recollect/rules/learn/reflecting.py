"""Looking back: how much of a life is read for a reflection or an insight, and how often."""

from __future__ import annotations

from recollect.model.values import bounded, dataclass


@dataclass(frozen=True, slots=True)
class ReflectionPolicy:
    """When a week is reflected upon, and how much of it a model reads."""

    days: float = bounded(7.0, 1)
    """How far back a reflection looks."""
    between_days: float = bounded(6.0)
    """How long after the last one the next may come."""
    least_facts: int = 3
    """How many facts there must be in that time."""
    read: int = bounded(200, 1, 1000)
    """How many memories are looked at."""
    listed: int = bounded(100, 1, 1000)
    """How many of them a model is shown."""
    characters: int = bounded(3600, 100)
    """How many characters of them in all."""
    cited: int = bounded(50, 1)
    """How many a reflection may rest on."""


@dataclass(frozen=True, slots=True)
class InsightPolicy:
    """When a model is asked what somebody seems to feel and prefer, and what it reads for that."""

    between_hours: float = bounded(24.0)
    """How long after the last time it may be asked again."""
    a_week: int = bounded(3, 0, 7)
    """How often in seven days at most; 0 turns it off."""
    activities: int = bounded(5, 0, 50)
    """How many of the latest events are shown."""
    facts: int = bounded(3, 0, 50)
    """How many of the newest facts are shown."""
    characters: int = bounded(1000, 100)
    """How many characters of the conversation are shown."""
    longest: int = bounded(280, 40)
    """How long an insight may be."""
    importance: int = bounded(4, 1, 10)
    """How much an insight matters."""
