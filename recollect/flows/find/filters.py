"""From the keywords of a verb to a Filter, every one of them checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.clock import checked_time
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.options import Conditions
from recollect.model.owner import Scope, seen_from
from recollect.rules.gate import checks
from recollect.rules.gate.categories import PROCEDURAL, permitted
from recollect.runtime import Runtime

_PLURALS = {"kinds": checks.kinds, "tiers": checks.tiers, "states": checks.states}
_KNOWN = frozenset(Conditions.__annotations__)
ALL = "*"
"""Stands for all projects."""
_NAMES = ("agent", "exclude_session", "role", "actor", "key")


def sight(runtime: Runtime, scope: Scope) -> Filter:
    """Give what a scope may see: its owner's, of its project and of none, in the categories of its agent."""
    # Nobody's agent is the owner himself.
    own = permitted(scope.agent, (), runtime.settings.categories) if scope.agent else ()
    return Filter(owner=scope.owner, now=runtime.now(), projects=seen_from(scope.project), categories=own)


def sees(where: Filter, memory: Memory) -> bool:
    """Tell whether a memory that was read by its id is of the projects and categories a filter lets through."""
    return (not where.projects or memory.project in where.projects) and allows(where, memory)


def allows(where: Filter, memory: Memory) -> bool:
    """Tell whether a memory is of the categories a filter lets through, whatever its project."""
    filed = memory.category in where.categories or (memory.kind == "procedure" and PROCEDURAL in where.categories)
    return not where.categories or filed


def build(runtime: Runtime, scope: Scope, given: Mapping[str, Any], default_kinds: tuple[str, ...] = ()) -> Filter:
    """Make the filter of one look; the owner comes from the scope and from nowhere else."""
    unknown = given.keys() - _KNOWN
    if unknown:
        known = ", ".join(Conditions.__annotations__)
        raise InvalidInput(f"there is no condition {', '.join(sorted(unknown))}: use {known}")
    fields: dict[str, Any] = {"kinds": default_kinds, "projects": seen_from(scope.project)}
    for name, value in given.items():
        if value is not None:
            fields[name] = _checked(name, value)
    _allowed(runtime, scope, fields)
    if fields.get("as_of") is not None and "states" in fields:
        raise InvalidInput("as_of looks at what was true then, whatever its state now: leave states out")
    return Filter(owner=scope.owner, now=runtime.now(), **fields)


def _allowed(runtime: Runtime, scope: Scope, fields: dict[str, Any]) -> None:
    """Hold an agent to its categories, and let `procedural` stand for the kind that is filed there."""
    asked = fields.get("categories", ())
    if scope.agent:  # nobody's agent is the owner himself
        fields["categories"] = permitted(scope.agent, asked, runtime.settings.categories)
    if asked == (PROCEDURAL,):
        fields["categories"], fields["kinds"] = (), ("procedure",)


def _checked(name: str, value: Any) -> Any:
    if name in _PLURALS:
        return _PLURALS[name](value)
    if name == "projects":
        chosen = (value,) if isinstance(value, str) else checks.several(name, value)
        return () if ALL in chosen else tuple(map(checks.project, chosen))
    if name in ("categories", "sessions", "tags"):
        found = checks.tags(value) if name == "tags" else checks.several(name, value)
        if not found:  # a condition that vanishes would let everything through
            raise InvalidInput(f"{name} name none: pass at least one, or leave them out")
        return found
    if name in ("any_tag", "pinned"):
        return checks.flag(name, value)
    if name.startswith("importance"):
        return checks.importance(value)
    if name == "topic":
        return checks.text(name, value, checks.LONGEST_TOPIC * 4)
    if name in _NAMES:
        wanted = checks.name(name, value)
        return wanted.strip() if name == "key" else wanted  # as keys are stored
    return checked_time(name, value)
