"""Long-term memory for AI agents: remembered, kept true, put back within a token budget."""

from __future__ import annotations

from recollect.aio import AsyncRecollect, AsyncSpace
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
