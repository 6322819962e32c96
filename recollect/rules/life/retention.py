"""Retention: for how long memories of some topics are kept, where that differs from all others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache

from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.text.patterns import pattern
from recollect.text.terms import fold

UNITS = {"h": 1, "d": 24, "w": 168}
"""How many hours each unit of a length of time has."""
LONGEST = timedelta(days=36_500)
_SPAN = pattern(r"\s*(\d{1,7}(?:\.\d{1,3})?)\s*([hdw])\s*")


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """What one rule is about, and how long it keeps it."""

    topic: str = "*"
    """The topics: `*` stands for any characters, `?` for one; capitals do not matter."""
    category: str = ""
    """Only this category."""
    kind: str = ""
    """Only this kind. Named here, even kinds that never fade, such as `episode`, can expire."""
    age_after: str = ""
    """How long unused before it leaves the short tier, such as `30d`."""
    expire_after: str = ""
    """How long unused before it expires, such as `52w`; until then it is not forgotten either."""
    never: bool = False
    """Keep it for good: it neither ages nor fades nor expires."""


PRESETS: dict[str, tuple[str, ...]] = {"lasting": (), "fading": ("forget",), "expiring": ("ttl",)}
"""What time may take away by itself: the jobs that do, for each name there is. Several are joined by a plus."""


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """What time may take away, and for how long some topics are kept; see [the life of a memory](life.md)."""

    preset: str = "lasting"
    """`lasting` lets time take nothing away, `fading` facts nobody used until they became doubtful, `expiring` what
    matters little and was not used for 60 days; `fading+expiring` both."""
    rules: tuple[RetentionRule, ...] = ()
    """Tables `[[retention.rules]]` of the settings file; the first that fits a memory is the one that counts."""


def takers(policy: RetentionPolicy) -> frozenset[str]:
    """Give the jobs that may put memories out of sight because time has passed."""
    return frozenset(job for name in policy.preset.split("+") for job in PRESETS.get(name.strip(), ()))


def span(text: str) -> timedelta:
    """Read a length of time such as `12h`, `30d` or `2w`; `ValueError` says what is wrong."""
    read = _SPAN.fullmatch(text)
    if read is None:
        raise ValueError(f"{text!r} is no length of time: write a number of hours, days or weeks, like 12h, 30d or 2w")
    hours = float(read[1]) * UNITS[read[2]]
    if not 0 < hours <= LONGEST / timedelta(hours=1):
        raise ValueError(f"{text!r} is out of range: use more than 0 and at most a hundred years")
    return timedelta(milliseconds=round(hours * 3_600_000))


def rule_of(memory: Memory, policy: RetentionPolicy) -> RetentionRule | None:
    """Give the first rule that fits a memory."""
    if not policy.rules:
        return None
    topic, category = fold(memory.topic), memory.category.casefold()
    for rule in policy.rules:
        if rule.kind and rule.kind != memory.kind:
            continue
        if rule.category and rule.category.casefold() != category:
            continue
        if _pattern(rule.topic).fullmatch(topic):
            return rule
    return None


@lru_cache(maxsize=1024)
def _pattern(topic: str) -> re.Pattern[str]:
    wild = {"*": ".*", "?": "."}
    return re.compile("".join(wild.get(char) or re.escape(char) for char in fold(topic)), re.DOTALL)


def problem(policy: RetentionPolicy, categories: Sequence[str]) -> str:
    """Say which rule cannot be followed, and why; empty when all can."""
    if any(name.strip() not in PRESETS for name in policy.preset.split("+")):
        return f"retention.preset is {policy.preset!r}: use one of {', '.join(PRESETS)}, or several joined by +"
    known = {name.casefold() for name in categories}
    met: dict[tuple[str, str, str], int] = {}
    for number, rule in enumerate(policy.rules, 1):
        wrong = _wrong(rule)
        if rule.category and rule.category.casefold() not in known:
            wrong = wrong or f"there is no category {rule.category!r}: use one of {', '.join(categories)}"
        about = (fold(rule.topic), rule.category.casefold(), rule.kind)
        if about in met:
            wrong = wrong or f"it is about the same as rule {met[about]}, which comes first: take one of them away"
        if wrong:
            return f"retention rule {number} (topic {rule.topic!r}): {wrong}"
        met[about] = number
    return ""


def _wrong(rule: RetentionRule) -> str:
    if not rule.topic.strip() or not rule.topic.isprintable():
        return "its topic is no pattern: write a topic such as work/*, or * for all"
    if set(rule.topic) & set("[]{}"):
        return "its topic has brackets, which mean nothing here: only * and ? stand for other characters"
    if rule.kind and rule.kind not in KINDS:
        return f"there is no kind {rule.kind!r}: use one of {', '.join(KINDS)}"
    if rule.never and (rule.age_after or rule.expire_after):
        return "never cannot stand beside age_after or expire_after: take one of them away"
    if not (rule.never or rule.age_after or rule.expire_after):
        return "it says nothing: add age_after, expire_after or never = true"
    spans = {}
    for name in ("age_after", "expire_after"):
        if text := getattr(rule, name):
            try:
                spans[name] = span(text)
            except ValueError as error:
                return f"{name}: {error}"
    if len(spans) == 2 and spans["age_after"] > spans["expire_after"]:
        return "it would age only after it has expired: make age_after the shorter one"
    return ""
