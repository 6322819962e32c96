"""The controlled vocabulary that guards access."""

from __future__ import annotations

from recollect.model.values import dataclass

FALLBACK = "general"


@dataclass(frozen=True, slots=True)
class CategoriesPolicy:
    """The categories there are; automation never invents one."""

    names: tuple[str, ...] = (
        "profile", "goals", "preferences", "event", "activity", "relationships", "tasks", "projects", "tone",
        "style", "knowledge", "interests", "history", "recent_activity", "constraints", "relationship_dynamic",
        "procedural", "project_info", FALLBACK,
    )  # fmt: skip
    """The names there are; from the environment, separated by commas."""


def settled(category: str, policy: CategoriesPolicy) -> str:
    """Give the known category this text names, else the fallback."""
    wanted = category.strip().casefold()
    return next((name for name in policy.names if name.casefold() == wanted), FALLBACK)
