"""Memory for any pydantic-ai agent in one line: `Agent(model, capabilities=[memory(space)])`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai.capabilities import AbstractCapability, CombinedCapability

from recollect.agent.guards import ClaimGuard, Flag, LoopGuard
from recollect.agent.prompt_tree import role_tree
from recollect.agent.remembering import Keeping, Recalling, logged
from recollect.agent.toolset import tools_of, toolset
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.hit import Context

TOOLS = ("memory", "search")


@dataclass
class Handling(AbstractCapability[Any]):
    """The tools of a memory, and how they are used."""

    space: Space
    names: tuple[str, ...] = TOOLS

    def get_instructions(self) -> str:
        return role_tree("reasoning").section("memory") if self.names else ""

    def get_toolset(self) -> Any:
        return toolset(self.space, tools_of(self.names))


def _unseen(context: Context) -> None:
    """Take no notice."""


def _unheard(guard: str, reason: str) -> None:
    """Take no notice."""


def memory(
    space: Space | AsyncSpace,
    *,
    tools: Sequence[str] = TOOLS,
    profile: str = "",
    budget_tokens: int = 0,
    keep: bool = True,
    guards: bool = True,
    shown: Callable[[Context], None] = _unseen,
    flag: Flag = _unheard,
    problem: Callable[[str], None] = logged,
) -> CombinedCapability[Any]:  # long because these are the switches of a whole memory
    """Give an agent the memory of a space: what is known goes in, what is said is kept, tools save and recall.

    `tools` names toolsets, profiles or single tools; `keep=False` keeps nothing that is said; `guards=False` leaves
    the agent alone with its loops and its claims. `shown` hears what memory was put into a request, `flag` which guard
    stepped in, `problem` what went wrong in memory: it never breaks a run.
    """
    own = space.plain if isinstance(space, AsyncSpace) else space
    settings, reader = own._runtime.settings, own._runtime.reader
    parts: list[AbstractCapability[Any]] = [Keeping(own, problem)] if keep else []
    parts.append(Recalling(own, budget_tokens, profile, shown=shown, problem=problem))
    parts.append(Handling(own, tuple(tools)))
    if guards:
        parts += [LoopGuard(settings.agent, flag), ClaimGuard(reader, flag=flag)]
    return CombinedCapability(parts)
