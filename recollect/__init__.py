"""Long-term memory for AI agents: remembered, kept true, put back within a token budget."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect.app import Recollect, Space
from recollect.errors import (
    Closed,
    ConfigError,
    Conflict,
    InvalidInput,
    NewerSchema,
    NotADatabase,
    NotFound,
    RecollectError,
    StoreError,
    Unavailable,
)
from recollect.model.entity import Entity, Profile
from recollect.model.hit import Context, Entry, Hit, Signal, Stats
from recollect.model.job import Finding, Job
from recollect.model.kinds import KINDS, Kind
from recollect.model.memory import Link, Memory, Session
from recollect.model.receipt import Receipt, Report

if TYPE_CHECKING:
    from recollect.aio import AsyncRecollect, AsyncSpace

__version__ = "0.1.0"

__all__ = [
    "KINDS",
    "AsyncRecollect",
    "AsyncSpace",
    "Closed",
    "ConfigError",
    "Conflict",
    "Context",
    "Entity",
    "Entry",
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
    "Unavailable",
]


def __getattr__(name: str) -> Any:
    """Load the async face when it is first asked for: asyncio takes a third of the whole import."""
    if name in ("AsyncRecollect", "AsyncSpace"):
        return getattr(import_module("recollect.aio"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
