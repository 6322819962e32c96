"""Filter: what a read may see. There is no read without an owner."""

from __future__ import annotations

from datetime import datetime
from operator import attrgetter
from typing import Any

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The conditions every channel of a search applies before it ranks or limits.

    An empty tuple or None means "any". Ranges include both ends. `as_of` looks at the memory as it was
    true at that moment; `now` hides what has run out.
    """

    owner: str
    now: datetime
    agent: str | None = None
    kinds: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    states: tuple[str, ...] = ("active",)
    categories: tuple[str, ...] = ()
    topic: str = ""
    tags: tuple[str, ...] = ()
    any_tag: bool = False
    sessions: tuple[str, ...] = ()
    exclude_session: str = ""
    event_after: datetime | None = None
    event_before: datetime | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    importance_min: int | None = None
    importance_max: int | None = None
    pinned: bool | None = None
    role: str = ""
    actor: str = ""
    source: str = ""
    key: str = ""
    projects: tuple[str, ...] = ()
    """Empty for any; the owner's own memory outside projects is the project `""`."""
    as_of: datetime | None = None

    def but(self, **conditions: Any) -> Filter:
        """Give the same filter with other conditions; a context makes many, and this takes a fifth of `replace`."""
        new = object.__new__(Filter)
        for name, value in zip(_NAMES, _values(self), strict=True):
            object.__setattr__(new, name, conditions.pop(name) if name in conditions else value)
        if conditions:
            raise TypeError(f"a filter has no {', '.join(conditions)}")
        return new


_NAMES: tuple[str, ...] = tuple(Filter.__annotations__)
_values = attrgetter(*_NAMES)
