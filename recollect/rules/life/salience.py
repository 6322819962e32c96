"""What time does to a memory: derived from the row and the clock, never written back."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp, log

from recollect.model.memory import Memory
from recollect.model.values import bounded, dataclass

WEEK = timedelta(days=7)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class SaliencePolicy:
    """How fast unused memories lose weight, and what protects them."""

    floor: int = bounded(3)
    """Importance falls no lower than this by disuse."""
    protected_importance: int = 8
    """From this importance on a memory is protected."""
    protected_classes: tuple[str, ...] = ("health", "identity", "family", "wish", "wishes")
    """What is of one of these classes, or filed under such a topic or category, is protected however important."""
    protected_slots: tuple[str, ...] = ("preferred_name", "pronouns", "city", "home", "language")
    """The slots that say who somebody is: their values are of the class identity."""
    recency_step: float = 0.05
    """How much recency falls per day without use."""
    recency_floor: float = 0.1
    """Recency falls no lower than this."""
    cap: float = 10.0
    """Salience rises no higher than this."""


def protected(memory: Memory, policy: SaliencePolicy) -> bool:
    """Tell whether a memory never ages, decays, expires or merges by itself."""
    return (
        memory.pinned
        or memory.decay_rate == 0
        or memory.source == "directive"
        or (memory.importance or 0) >= policy.protected_importance
        or bool(guarded(memory, policy))
    )


def guarded(memory: Memory, policy: SaliencePolicy) -> str:
    """Give the class that keeps time from taking a memory away, such as health; empty for none."""
    if memory.kind == "episode":
        return ""
    if memory.key and memory.key in policy.protected_slots:
        return "identity"
    named = (str(memory.attributes.get("class", "")), memory.topic.casefold(), memory.category.casefold())
    return next((one for one in named if one in policy.protected_classes), "")


def last_use(memory: Memory) -> datetime:
    """Give the moment the memory was last used, its creation if never."""
    return memory.last_accessed or memory.created_at


def effective_importance(memory: Memory, now: datetime, policy: SaliencePolicy) -> int:
    """Give the importance as it stands now: one less per week unused, down to the floor."""
    given = memory.importance or 0
    if given <= policy.floor or protected(memory, policy):
        return given
    weeks = max(0, (now - last_use(memory)) // WEEK)
    return max(policy.floor, given - weeks)


def effective_confidence(memory: Memory, now: datetime, policy: SaliencePolicy) -> float:
    """Give the confidence as it stands now: e^(−rate × days since last use) of what was given."""
    if protected(memory, policy):
        return memory.confidence
    days = max(0.0, (now - last_use(memory)) / DAY)
    return memory.confidence * exp(-memory.decay_rate * days)


def salience(memory: Memory, now: datetime, policy: SaliencePolicy) -> float:
    """Give the weight of use: 1 + ln(1 + uses) × recency, capped."""
    days = max(0.0, (now - last_use(memory)) / DAY)
    recency = max(policy.recency_floor, 1 - policy.recency_step * days)
    return min(policy.cap, 1 + log(1 + memory.access_count) * recency)
