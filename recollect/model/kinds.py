"""What can be remembered: the table of kinds, and the closed sets of tiers, states and sources."""

from __future__ import annotations

from typing import Literal

from recollect.model.values import dataclass

Tier = Literal["core", "short", "long", "archive"]

TIERS: tuple[str, ...] = ("core", "short", "long", "archive")
STATES: tuple[str, ...] = ("proposed", "quarantined", "active", "superseded", "merged", "deleted")

EXPLICIT: tuple[str, ...] = ("user", "directive")
"""Sources of a save that somebody asked for: kept as given, never left out by session."""

SOURCES: tuple[str, ...] = (*EXPLICIT, "session", "agent", "tool", "import", "job")


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table of kinds: how a memory of this kind is born, ages, is found and is written."""

    name: str
    prefix: str
    tier: Tier
    importance: int | None
    decay: float
    injected: bool
    default: bool
    weight: float
    policy: str


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("episode", "ep", "long", None, 0.0, injected=False, default=False, weight=1.0, policy="none"),
        Kind("event", "ev", "short", 4, 0.1, injected=True, default=True, weight=1.0, policy="episodic"),
        Kind("fact", "fact", "short", 5, 0.1, injected=True, default=True, weight=1.0, policy="semantic"),
        Kind("insight", "ins", "long", 4, 0.05, injected=False, default=True, weight=0.5, policy="semantic"),
        Kind(
            "reflection",
            "ref",
            "long",
            6,
            0.0,
            injected=False,
            default=False,
            weight=1.0,
            policy="reflection",
        ),
        Kind("lesson", "les", "short", 6, 0.02, injected=False, default=True, weight=1.0, policy="lesson"),
        Kind("procedure", "proc", "long", 5, 0.0, injected=False, default=False, weight=1.0, policy="procedure"),
        Kind("summary", "sum", "long", 4, 0.0, injected=False, default=False, weight=1.0, policy="summary"),
        Kind("portrait", "por", "long", 4, 0.0, injected=False, default=False, weight=1.0, policy="summary"),
        Kind("passage", "pas", "long", 5, 0.0, injected=False, default=True, weight=1.0, policy="none"),
        Kind("block", "blk", "core", 10, 0.0, injected=False, default=False, weight=1.0, policy="block"),
        Kind("document", "doc", "long", 5, 0.0, injected=False, default=True, weight=1.0, policy="none"),
    )
}

DEFAULT_KINDS: tuple[str, ...] = tuple(kind.name for kind in KINDS.values() if kind.default)
INJECTED_KINDS: tuple[str, ...] = tuple(kind.name for kind in KINDS.values() if kind.injected)
