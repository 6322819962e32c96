"""The roles an agent's models have: which model, where, how it chooses its words, its tools and its prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.agent.prompt_tree import PromptTree, role_tree
from recollect.agent.toolset import HANDING_ON, USUAL, tools_of
from recollect.config import Settings
from recollect.errors import ConfigError, InvalidInput
from recollect.model.asking import ROLES
from recollect.model.values import dataclass
from recollect.providers.llm import build_model, targets_of
from recollect.providers.llm.target import Target
from recollect.rules.agent.roles import RolePolicy, sampling
from recollect.rules.window.counting import window
from recollect.text.later import later
from recollect.tools.declare import Tool

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

    from recollect.providers.llm import wire
else:
    (wire,) = later("recollect.providers.llm", "wire")


@dataclass(frozen=True, slots=True)
class Role:
    """One role as it is set."""

    name: str
    targets: tuple[Target, ...]
    """The model and those behind it; none where no model is set, or its key is missing."""
    policy: RolePolicy
    tools: tuple[str, ...]

    @property
    def model(self) -> str:
        """The model, as settings name it; empty where there is none to ask."""
        return self.targets[0].name if self.targets else ""

    @property
    def hands_on(self) -> bool:
        """Whether it may hand tasks on to others."""
        return any(name in ("core", *HANDING_ON) for name in self.tools)

    def declared(self) -> dict[str, Tool]:
        """Give the tools it has at hand, by name."""
        return tools_of(self.tools)

    def tree(self) -> PromptTree:
        """Read its system prompt."""
        return role_tree(self.name, self.policy.prompt_folder)


class Roles:
    """The roles of one memory's settings, and their models, opened when they are first asked."""

    def __init__(self, settings: Settings, complain: Callable[[str], None]) -> None:
        self._settings = settings
        self._complain = complain
        self._clients: dict[str, AsyncClient] = {}
        self._models: dict[Target, Model] = {}

    def role(self, name: str) -> Role:
        """Give a role by its name."""
        if name not in ROLES:
            raise InvalidInput(f"there is no model {name!r}: there are {', '.join(ROLES)}")
        policy = self._settings.roles.of(name)
        targets = targets_of(name, self._settings, self._complain)
        return Role(name, tuple(targets), policy, policy.tools or USUAL.get(name, ()))

    def all(self) -> list[Role]:
        """Give every role, whether there is a model for it or not."""
        return [self.role(name) for name in ROLES]

    def models(self, role: Role) -> list[Model]:
        """Give the models of a role, opened: the first, and those asked when it does not answer."""
        if not role.targets:
            raise ConfigError(f"no model is set for the role {role.name}: name one in llm or models.{role.name}")
        return [self._opened(target) for target in role.targets]

    def _opened(self, target: Target) -> Model:
        if target not in self._models:
            url = target.address.url
            if url not in self._clients:
                self._clients[url] = wire.client(url, self._settings.agent.call_seconds)
            self._models[target] = build_model(target, self._clients[url])
        return self._models[target]

    def wishes(self, role: Role, seconds: float) -> ModelSettings:
        """Give how a role's model is asked."""
        models = self._settings.models
        chosen = sampling(models.temperature, models.top_p, role.policy)
        made: ModelSettings = {"timeout": seconds, "max_tokens": models.max_tokens}
        if chosen.temperature is not None:
            made["temperature"] = chosen.temperature
        if chosen.top_p is not None:
            made["top_p"] = chosen.top_p
        return made

    def room(self, role: Role) -> int:
        """Give how many tokens a request of a role may have."""
        policy = self._settings.window
        return role.policy.max_context or window(role.model, policy.models, policy.max_tokens)

    async def close(self) -> None:
        """Close the connections."""
        for one in self._clients.values():
            await one.aclose()
        self._clients.clear()
        self._models.clear()
