"""Long-term memory for AI agents: remembered, kept true, put back within a token budget."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.adapters.wrapping import OFF, wrap
    from recollect.errors import (
        Closed,
        ConfigError,
        Conflict,
        InvalidInput,
        NewerSchema,
        NotADatabase,
        NotFound,
        Outdated,
        RecollectError,
        StoreError,
        Unavailable,
    )
    from recollect.front.aio import AsyncRecollect, AsyncSpace
    from recollect.front.recollect import Recollect
    from recollect.front.space import Space
    from recollect.front.subscribing import Notice, Subscription
    from recollect.model.entity import Entity, Profile
    from recollect.model.event import Activity
    from recollect.model.hit import Answered, Context, Entry, Explanation, Hit, Page, Signal, Stats
    from recollect.model.job import Finding, Job
    from recollect.model.kinds import KINDS, Kind
    from recollect.model.memory import Link, Memory, Pending, Session
    from recollect.model.receipt import Receipt, Report
    from recollect.serve.client.awaiting import connect_async
    from recollect.serve.client.remote import connect
    from recollect.tools.declare import Answer
    from recollect.tools.toolbox import AsyncTools, Tools

__version__ = "0.1.0"

__all__ = [
    "KINDS",
    "OFF",
    "Activity",
    "Answer",
    "Answered",
    "AsyncRecollect",
    "AsyncSpace",
    "AsyncTools",
    "Closed",
    "ConfigError",
    "Conflict",
    "Context",
    "Entity",
    "Entry",
    "Explanation",
    "Finding",
    "Hit",
    "InvalidInput",
    "Job",
    "Kind",
    "Link",
    "Memory",
    "NewerSchema",
    "NotADatabase",
    "NotFound",
    "Notice",
    "Outdated",
    "Page",
    "Pending",
    "Profile",
    "Receipt",
    "Recollect",
    "RecollectError",
    "Report",
    "Session",
    "Signal",
    "Space",
    "Stats",
    "StoreError",
    "Subscription",
    "Tools",
    "Unavailable",
    "connect",
    "connect_async",
    "wrap",
]

_HOMES = {
    "recollect.adapters.wrapping": ("OFF", "wrap"),
    "recollect.front.aio": ("AsyncRecollect", "AsyncSpace"),
    "recollect.front.recollect": ("Recollect",),
    "recollect.front.space": ("Space",),
    "recollect.model.entity": ("Entity", "Profile"),
    "recollect.model.event": ("Activity",),
    "recollect.model.hit": ("Answered", "Context", "Entry", "Explanation", "Hit", "Page", "Signal", "Stats"),
    "recollect.model.job": ("Finding", "Job"),
    "recollect.model.kinds": ("KINDS", "Kind"),
    "recollect.model.memory": ("Link", "Memory", "Pending", "Session"),
    "recollect.front.subscribing": ("Notice", "Subscription"),
    "recollect.model.receipt": ("Receipt", "Report"),
    "recollect.serve.client.awaiting": ("connect_async",),
    "recollect.serve.client.remote": ("connect",),
    "recollect.tools.declare": ("Answer",),
    "recollect.tools.toolbox": ("AsyncTools", "Tools"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: a program that may never remember anything starts at once."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, "recollect.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
