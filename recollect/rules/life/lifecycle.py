"""The life of a memory: when it ages, is forgotten, expires. Moments are computed, so that jobs know when to look."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from math import log

from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.rules.life.retention import RetentionPolicy, RetentionRule, rule_of, span, takers
from recollect.rules.life.salience import (
    DAY,
    SaliencePolicy,
    effective_confidence,
    effective_importance,
    guarded,
    last_use,
    protected,
)

MS = timedelta(milliseconds=1)
FARTHEST = 36_500
"""Days: what takes longer than a hundred years never happens."""
FADING: tuple[str, ...] = tuple(kind.name for kind in KINDS.values() if kind.decay > 0)
"""The kinds that fade by nature; all others stay until somebody or a rule of retention takes them away."""


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """When memories leave the short tier, are forgotten, expire and go for good."""

    age_after_hours: float = 48.0
    """How long an unused memory stays in the short tier."""
    age_most: int = 100
    """How many memories one run may move."""
    short_most: int = 100
    """How many unprotected memories the short tier may hold before even young ones are moved."""
    short_kept: int = 50
    """To how many it is brought down then."""
    forget_below: float = 0.05
    """Below which effective confidence a memory is forgotten."""
    forget_kinds: tuple[str, ...] = ("fact",)
    """The kinds that are forgotten so."""
    ttl_days: float = 60.0
    """How long a memory of little importance may go unused before it expires."""
    ttl_importance: int = 6
    """Below which given importance it expires."""
    purge_days: float = 30.0
    """How long what has expired or was rejected can still be looked at before it goes for good."""


@dataclass(frozen=True, slots=True)
class Life:
    """All the rules a memory lives by."""

    lifecycle: LifecyclePolicy
    retention: RetentionPolicy
    salience: SaliencePolicy

    def kept(self, memory: Memory) -> str:
        """Say why a memory stays by itself for good; empty when it does not."""
        if memory.pinned:
            return "pinned"
        if memory.source == "directive":
            return "a directive"
        if (memory.importance or 0) >= self.salience.protected_importance:
            return f"importance {memory.importance}"
        if kept := guarded(memory, self.salience):
            return f"about {kept}"
        rule = rule_of(memory, self.retention)
        if rule is not None and rule.never:
            return f"retention of {rule.topic!r}: never"
        if not protected(memory, self.salience) or _named(rule, memory):
            return ""
        return "confirmed" if memory.kind in FADING else f"a {memory.kind} does not fade"

    def ages_at(self, memory: Memory) -> datetime | None:
        """Give the first moment at which a memory of the short tier is old; None when it stays."""
        if self.kept(memory):
            return None
        rule = rule_of(memory, self.retention)
        own = span(rule.age_after) if rule is not None and rule.age_after else None
        return _used(memory) + (own or timedelta(hours=self.lifecycle.age_after_hours)) + MS

    def forgotten_at(self, memory: Memory) -> datetime | None:
        """Give the first moment at which a memory's effective confidence is below the line; None when it never is."""
        line, rate = self.lifecycle.forget_below, memory.decay_rate
        if "forget" not in takers(self.retention) or memory.kind not in self.lifecycle.forget_kinds:
            return None
        if rate <= 0 or line <= 0 or self.kept(memory):
            return None
        rule = rule_of(memory, self.retention)
        if memory.key or (rule is not None and rule.expire_after):  # the value of a slot is replaced, not forgotten
            return None
        days = log(max(memory.confidence, 1e-12) / line) / rate
        if days > FARTHEST:
            return None
        moment = last_use(memory) + max(timedelta(0), timedelta(milliseconds=int(days * (DAY / MS))))
        while effective_confidence(memory, moment, self.salience) >= line:  # a millisecond or two, for rounding
            moment += MS
        return moment

    def expires_at(self, memory: Memory) -> datetime | None:
        """Give the first moment at which a memory has gone unused for too long; None when it may."""
        if self.kept(memory):
            return None
        rule = rule_of(memory, self.retention)
        if rule is not None and rule.expire_after:
            return _used(memory) + span(rule.expire_after) + MS
        if "ttl" not in takers(self.retention):
            return None
        if memory.key or memory.importance is None or memory.importance >= self.lifecycle.ttl_importance:
            return None
        return _used(memory) + timedelta(days=self.lifecycle.ttl_days) + MS

    def ends(self, kind: str) -> bool:
        """Tell whether a memory of a kind can expire: it fades, or a rule of retention names it."""
        return kind in FADING or any(rule.kind == kind and rule.expire_after for rule in self.retention.rules)

    @property
    def mortal(self) -> tuple[str, ...]:
        """The kinds of which a memory can expire."""
        return tuple(kind for kind in KINDS if self.ends(kind))

    def ageing(self, memories: Iterable[Memory], now: datetime) -> Ageing:
        """Choose what leaves the short tier: what is old first, then, while the tier is too full, even what is young.

        In both the least important goes first, and of equals the oldest. Of the young those used lately go last:
        so what is in use stays as long as there is anything else, and the tier keeps its bound all the same.
        """
        times = [(moment, memory) for memory in memories if (moment := self.ages_at(memory)) is not None]
        lately, most = now - timedelta(hours=self.lifecycle.age_after_hours), self.lifecycle.age_most

        def order(memory: Memory) -> tuple[bool, int, datetime, str]:
            used = memory.last_accessed is not None and memory.last_accessed >= lately
            return used, effective_importance(memory, now, self.salience), memory.created_at, memory.id

        old = sorted((memory for moment, memory in times if moment <= now), key=order)
        gone = {memory.id for memory in old[:most]}
        rest = sorted((memory for _, memory in times if memory.id not in gone), key=order)
        crowd = rest[: len(rest) - self.lifecycle.short_kept] if len(rest) > self.lifecycle.short_most else []
        young = crowd[: most - len(gone)]
        more = bool(old[most:]) or len(rest) - len(young) > self.lifecycle.short_most
        gone |= {memory.id for memory in young}
        later = min((moment for moment, memory in times if memory.id not in gone), default=None)
        return Ageing(old[:most], young, len(times) - len(gone), more, later)


@dataclass(frozen=True, slots=True)
class Ageing:
    """What leaves the short tier, and when to look again."""

    old: list[Memory]
    young: list[Memory]
    """What is not old, but crowds the tier."""
    stay: int
    """How many unprotected memories stay."""
    more: bool
    """Whether more must go than one run may move."""
    later: datetime | None
    """When the next of those that stay is old."""


def _used(memory: Memory) -> datetime:
    return max(memory.created_at, last_use(memory))


def _named(rule: RetentionRule | None, memory: Memory) -> bool:
    """Tell whether a rule speaks of a kind that does not fade by nature, and means to let it expire."""
    natural = memory.kind not in FADING
    return rule is not None and natural and rule.kind == memory.kind and bool(rule.expire_after)


def problem(policy: LifecyclePolicy) -> str:
    """Say which numbers contradict each other; empty when none do."""
    if policy.short_kept > policy.short_most:
        return f"lifecycle.short_kept is {policy.short_kept}: it must be at most short_most, {policy.short_most}"
    if not policy.forget_below < 1:
        return f"lifecycle.forget_below is {policy.forget_below}: it must be below 1"
    if unknown := set(policy.forget_kinds) - set(FADING):
        return f"lifecycle.forget_kinds names {', '.join(sorted(unknown))}: the kinds that fade are {', '.join(FADING)}"
    return ""
