"""The roles of models: what is set for each beside its name, and what follows where nothing is."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from recollect.model.values import bounded, dataclass


@dataclass(frozen=True, slots=True)
class RolePolicy:
    """One role's model, beside its name, which stands in `models`: where it is, how it chooses its words, and what an
    agent in this role has at hand. See [the agent](agent.md)."""

    base_url: str = ""
    """Where this role's model is; empty means what `models` says."""
    key_variable: str = ""
    """The variable that holds its key; empty means what `models` says."""
    temperature: float | None = bounded(None, most=2)
    """How freely it words its answers; not set means what `models` says."""
    top_p: float | None = bounded(None, most=1)
    """From how much of the likely words it chooses; not set means what `models` says."""
    token_selection: Literal["custom", "default"] = "custom"
    """`custom` sends temperature and top_p as they are set; `default` sends neither, and the model's own hold."""
    max_context: int = bounded(0)
    """How many tokens a request of an agent in this role may have; 0 takes what is known of the model."""
    tools: tuple[str, ...] = ()
    """The toolsets, profiles and tools an agent in this role has; none means those its role usually has."""
    prompt_folder: str = ""
    """The folder of its system prompt, a tree of files; empty means the one that comes with this role."""


@dataclass(frozen=True, slots=True)
class RolesPolicy:
    """What is set for each role of a model."""

    reasoning: RolePolicy = field(default_factory=RolePolicy)
    execution: RolePolicy = field(default_factory=RolePolicy)
    summarizer: RolePolicy = field(default_factory=RolePolicy)
    extractor: RolePolicy = field(default_factory=RolePolicy)
    judge: RolePolicy = field(default_factory=RolePolicy)

    def of(self, role: str) -> RolePolicy:
        """Give what is set for a role."""
        found: RolePolicy = getattr(self, role)
        return found


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model chooses its words; what is None is left to the model."""

    temperature: float | None
    top_p: float | None


def sampling(temperature: float | None, top_p: float | None, role: RolePolicy) -> Sampling:
    """Give how a role's model chooses its words, from what is set for all models and for the role."""
    if role.token_selection == "default":
        return Sampling(None, None)
    own = temperature if role.temperature is None else role.temperature
    return Sampling(own, top_p if role.top_p is None else role.top_p)
