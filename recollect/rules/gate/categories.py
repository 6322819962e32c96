"""The controlled vocabulary that guards access."""

from __future__ import annotations

from typing import Literal

from recollect.errors import InvalidInput
from recollect.model.values import bounded, dataclass

FALLBACK = "general"
PROCEDURAL = "procedural"


@dataclass(frozen=True, slots=True)
class CategoryMode:
    """How much of a category a context shows."""

    name: str
    context: Literal["all", "rag"] = "rag"
    """`all` shows the whole category always, `rag` what the prompt is about."""
    length: int = bounded(-1, least=-1)
    """How many of it `rag` shows; -1 sets no limit."""


@dataclass(frozen=True, slots=True)
class Allowlist:
    """The categories one agent may ask for."""

    agent: str
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CategoriesPolicy:
    """The categories there are; automation never invents one."""

    names: tuple[str, ...] = (
        "profile", "goals", "preferences", "event", "activity", "relationships", "tasks", "projects", "tone",
        "style", "knowledge", "interests", "history", "recent_activity", "constraints", "relationship_dynamic",
        "procedural", "project_info", FALLBACK,
    )  # fmt: skip
    """The names there are; from the environment, separated by commas."""
    modes: tuple[CategoryMode, ...] = ()
    """How much of a category stands in a context of the profile `spec`; the others are shown as far as they fit."""
    allowlists: tuple[Allowlist, ...] = ()
    """Which agent may ask for what; where any is set, agents without one are refused."""


def permitted(agent: str, asked: tuple[str, ...], policy: CategoriesPolicy) -> tuple[str, ...]:
    """Give the categories an agent may look at of those it asks for, all of its own where it names none.

    One that is not its own refuses the whole request. Where no lists are set nothing is restricted.
    """
    if not policy.allowlists:
        return asked
    own = next((one.categories for one in policy.allowlists if one.agent == agent), None)
    if own is None:
        known = ", ".join(one.agent for one in policy.allowlists)
        raise InvalidInput(f"the agent {agent!r} has no allowlist: there are lists for {known}")
    beyond = [one for one in asked if one not in own]
    if beyond:
        raise InvalidInput(f"the agent {agent!r} may not ask for {', '.join(beyond)}: it may for {', '.join(own)}")
    return asked or own


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
