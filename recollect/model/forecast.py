"""Fate: what will become of a memory that nobody uses, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """What a memory weighs at one moment, if it is not used until then."""

    at: datetime
    importance: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Fate:
    """What will become of one memory that is not used any more, without its text."""

    id: str
    kind: str
    topic: str
    state: str
    importance: int | None
    importance_now: int
    confidence_now: float
    last_use: datetime
    goes_at: datetime | None
    """When it goes out of sight, or, being out of sight, for good; None when it stays."""
    job: str
    """The job that will do it: forget, ttl or purge; empty when it stays."""
    kept: str
    """Why it stays; empty when it goes."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What goes when, if nothing is used until then."""

    now: datetime
    weeks: tuple[int, ...]
    """How many go in each week from now on."""
    fates: tuple[Fate, ...]
    """Those that go within these weeks, the first to go first; or the one memory that was asked for."""
    curve: tuple[Point, ...] = ()
    """Of one memory: what it weighs from now until it goes."""
    preset: str = ""
    """What time was taken to be allowed to take away."""
    presets: Mapping[str, int] = field(default_factory=dict)
    """How many would go within these weeks by each preset of retention; of one memory, whether it ever would."""


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of an owner's archive."""

    name: str
    made_at: datetime | None
    """When it was written; None where its manifest cannot be read."""
    memories: int
    """How many memories have their text in it now."""
    spare: int = 0
    """How many texts it holds beside that: of memories that were restored, or of a run that was cut off."""
    size: int = 0
    """How many bytes it has."""
    problem: str = ""
    """What is wrong with it; empty when it was read and found whole, or not looked into."""
