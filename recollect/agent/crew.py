"""The agents of one space, one a role: each with its model, its prompt, its tools and the guards around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import pydantic_ai
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, ModelFallback
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.tools import Tool as PydanticTool

from recollect.agent.guards import ClaimGuard, Flag, LoopGuard
from recollect.agent.paying import BudgetSpent, Paying
from recollect.agent.roles import Role, Roles
from recollect.agent.toolset import toolset
from recollect.agent.trimmer import Trimmer
from recollect.errors import RecollectError
from recollect.front.space import Space
from recollect.model.asking import Usage
from recollect.model.values import dataclass
from recollect.providers.llm.call import unanswered
from recollect.tools.declare import Tool

BELOW_FULL = 0.9
FAILURES = (AgentRunError, UserError, RecollectError, TimeoutError, OSError, ExceptionGroup)
"""What a run can end with that is no mistake of this program: each is told in our own words."""


@dataclass(frozen=True, slots=True)
class Equipped:
    """What an agent of a role is given beside what its role has."""

    instructions: str = ""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    functions: Sequence[PydanticTool[Any]] = ()
    around: Sequence[AbstractCapability[Any]] = ()
    """Capabilities outside the guards."""
    inside: Sequence[AbstractCapability[Any]] = ()
    toolsets: Sequence[Any] = ()
    seconds: float = 0.0


class Crew:
    """Makes the agents of a space."""

    def __init__(self, space: Space, roles: Roles, flag: Flag) -> None:
        pydantic_ai.BANNER_ENABLED = False  # the output is the user's, not a place for notices of a library
        self.space, self.roles, self.flag = space, roles, flag

    def agent(self, role: Role, given: Equipped) -> Agent[Any, str]:
        """Make the agent of a role."""
        policy = self.space._runtime.settings.agent
        models = self.roles.models(role)
        most = min(policy.trim_tokens, int(self.roles.room(role) * BELOW_FULL))
        guards: list[AbstractCapability[Any]] = [LoopGuard(policy, self.flag)]
        if policy.rescue:
            guards.append(ClaimGuard(self.space._runtime.reader, flag=self.flag))
        asked = tuple(zip(models, role.targets, strict=True))
        last = [Paying(self.space, role.name, asked), Trimmer(most, role.model, self.flag)]
        return Agent(
            models[0],
            instructions=given.instructions or None,
            toolsets=[toolset(self.space, given.tools), *given.toolsets],
            tools=given.functions,
            capabilities=[
                *given.around,
                *guards,
                *given.inside,
                *last,
                *([ModelFallback(*models[1:])] if models[1:] else []),
            ],
            model_settings=self.roles.wishes(role, given.seconds or policy.call_seconds),
        )


def why(error: BaseException, seconds: float) -> str:
    """Say in our own words why a run came to no end: those of a provider may quote a text or a key."""
    if isinstance(error, ExceptionGroup):
        return "; ".join(dict.fromkeys(why(one, seconds) for one in error.exceptions))
    if isinstance(error, BudgetSpent | RecollectError):
        return str(error)
    return unanswered(error, seconds, Usage()).problem
