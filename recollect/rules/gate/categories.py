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


def named_by(key: str, policy: CategoriesPolicy) -> str:
    """Give the category a key speaks of, by its last part that does: `user_preference` is one of the preferences."""
    parts = [part for part in key.casefold().replace("-", "_").split("_") if part]
    for part in reversed(parts):
        found = next((name for name in policy.names if name.casefold() in (part, f"{part}s")), "")
        if found:
            return found
    return ""
