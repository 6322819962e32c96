"""The keywords verbs take, named once for the library, its async face and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from recollect.model.values import dataclass

Names = str | Sequence[str]


class Details(TypedDict, total=False):
    """What `remember` can be told beside the text."""

    kind: str
    topic: str
    category: str
    key: str
    private: bool
    tags: Sequence[str]
    importance: int
    confidence: float
    pinned: bool
    source: str
    actor: str
    event_time: datetime
    valid_until: datetime
    attributes: Mapping[str, Any]


class Updates(TypedDict, total=False):
    """What `update` can change of a memory; what is left out or None stays as it is."""

    content: str | None
    topic: str | None
    tags: Sequence[str] | None
    category: str | None
    tier: str | None
    importance: int | None


class Conditions(TypedDict, total=False):
    """What every look can be narrowed by. A name or a list of names; ranges include both ends."""

    agent: str
    kinds: Names | None
    tiers: Names
    states: Names
    categories: Names
    topic: str
    tags: Names
    any_tag: bool
    sessions: Names
    exclude_session: str
    event_after: datetime
    event_before: datetime
    created_after: datetime
    created_before: datetime
    updated_after: datetime
    updated_before: datetime
    importance_min: int
    importance_max: int
    pinned: bool
    role: str
    actor: str
    key: str
    projects: Names
    as_of: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory somebody would like to have, checked but not yet judged."""

    content: str
    kind: str
    topic: str
    category: str
    key: str
    private: bool
    tags: tuple[str, ...]
    importance: int | None
    confidence: float
    pinned: bool
    source: str
    actor: str
    event_time: datetime | None
    valid_until: datetime | None
    attributes: Mapping[str, Any]
    state: str = "active"
    """`quarantined` for what was proposed without evidence."""
    reason: str = ""
    """Why it is not to become active."""
    trust: float = 1.0
    notes: tuple[str, ...] = ()
    """What its receipt is to warn of."""
    updates: str = ""
    """The id of the memory it takes the place of, on a model's word."""
