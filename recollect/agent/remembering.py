"""Memory as a capability of any pydantic-ai agent: what is known goes into each request, what is said is kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import InstructionPart, ModelMessage, ModelRequest, ModelResponse, SystemPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import RunContext

from recollect.agent.continuity import standing
from recollect.agent.translating import heard, keep, last_prompt, wire
from recollect.errors import RecollectError
from recollect.front.space import Space
from recollect.model.hit import Context

LOG = logging.getLogger("recollect")


def logged(problem: str) -> None:
    """Tell the log of what went wrong in memory: it is no reason for a turn to fail."""
    LOG.warning("memory had no part in a turn: %s", problem)


@dataclass
class Recalling(AbstractCapability[Any]):
    """Puts memory into each request: blocks behind the instructions, the rest just before the user's last message."""

    space: Space
    budget_tokens: int = 0
    profile: str = ""
    model: str = ""
    shown: Callable[[Context], None] = field(default=lambda context: None)
    problem: Callable[[str], None] = logged
    _context: Context | None = None
    _standing: str = ""

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        return replace(self, _context=None, _standing="")

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        found = last_prompt(request_context.messages)
        if found is None:  # nobody has asked for anything: nothing is put before it
            return request_context
        at, prompt = found
        if self._context is None:
            self._context = await self._laid_out(prompt, wire(request_context.messages))
            self.shown(self._context)
        return self._placed(request_context, at)

    async def _laid_out(self, prompt: str, seen: list[dict[str, Any]]) -> Context:
        try:
            return await asyncio.to_thread(self._context_of, prompt, seen)
        except RecollectError as error:
            self.problem(str(error))
            return Context(stable="", volatile="", ids=(), rev=0, tokens=0)

    def _context_of(self, prompt: str, seen: list[dict[str, Any]]) -> Context:
        policy = self.space._runtime.settings.agent
        made = self.space.context(
            prompt,
            self.budget_tokens or policy.budget_tokens,
            profile=self.profile or policy.profile,
            messages=[{"role": one["role"], "content": one["content"]} for one in seen if one["role"] != "system"],
            model=self.model,
        )
        if sum(one["role"] == "user" for one in seen) == 1:  # the conversation begins
            self._standing = standing(self.space, policy, made.ids)
        return made

    def _placed(self, request: ModelRequestContext, at: int) -> ModelRequestContext:
        assert self._context is not None
        volatile = "\n\n".join(part for part in (self._standing, self._context.volatile) if part)
        messages: list[ModelMessage] = list(request.messages)
        parts = [InstructionPart(self._context.stable, dynamic=True)] if self._context.stable else []
        if volatile and at:
            messages.insert(at, ModelRequest(parts=[SystemPromptPart(volatile)]))
        elif volatile:  # with nothing said before, instructions stand right before the message: it ends them
            parts.append(InstructionPart(volatile, dynamic=True))
        parameters = request.model_request_parameters
        if parts:
            parameters = replace(parameters, instruction_parts=[*(parameters.instruction_parts or ()), *parts])
        return replace(request, messages=messages, model_request_parameters=parameters)


@dataclass
class Keeping(AbstractCapability[Any]):
    """Keeps what is said in a run while it is said: killed in the middle, nothing said before is lost."""

    space: Space
    problem: Callable[[str], None] = logged
    _kept: int = 0

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        return replace(self, _kept=0)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        mine = [one for one in ctx.messages if one.run_id == ctx.run_id and isinstance(one, ModelRequest)]
        for message in mine[self._kept :]:
            await self._keep(message)
        self._kept = len(mine)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        await self._keep(response)
        return response

    async def _keep(self, message: ModelMessage) -> None:
        for said in heard(message):
            try:
                await asyncio.to_thread(keep, self.space, said)
            except RecollectError as error:
                self.problem(str(error))
