"""What a turn costs: set aside before each request where a budget is set, and written into the ledger after it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability, WrapModelRequestHandler
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.tools import RunContext

from recollect.agent.translating import wire
from recollect.flows.asking import set_aside, settle
from recollect.front.space import Space
from recollect.model.asking import Spending, Usage
from recollect.providers.llm.call import price
from recollect.providers.llm.target import Target
from recollect.rules.window.budget import estimate


class BudgetSpent(AgentRunError):
    """The budget is spent, or would be by this request: nobody was asked."""


@dataclass
class Paying(AbstractCapability[Any]):
    """Holds a run to the owner's budgets."""

    space: Space
    role: str
    models: tuple[tuple[Model, Target], ...]
    """The models that may answer, and where each is: the price is that of the one that did."""
    _asked: Model | None = None

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        return replace(self, _asked=None)

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        self._asked = request_context.model  # once for each model that is tried: the last is the one that answers
        return request_context

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        runtime, scope = self.space._runtime, self.space._scope
        asked = sum(estimate(str(one.get("content") or "")) for one in wire(request_context.messages))
        line = Spending(runtime.now().date().isoformat(), self.role, "agent", scope.session)
        tokens = asked + runtime.settings.models.max_tokens
        room = await asyncio.to_thread(set_aside, runtime, scope.owner, line, tokens)
        if isinstance(room, str):
            raise BudgetSpent(room)
        born = await asyncio.to_thread(self._born)
        used = Usage(1, asked, unpriced=1)  # what a request costs that was read and whose answer never came
        try:
            response = await handler(request_context)
            used = self._usage(response, asked)
        finally:
            await asyncio.to_thread(self._settled, line, used, room, born)
        return response

    def _born(self) -> int:
        with self.space._runtime.store.view() as view:
            return view.counters(self.space.owner).born

    def _settled(self, line: Spending, used: Usage, room: int, born: int) -> None:
        """Book what it took; who was erased meanwhile leaves no trace."""
        settle(self.space._runtime, self.space.owner, line, used, room, owned=not born or self._born() == born)

    def _usage(self, response: ModelResponse, asked: int) -> Usage:
        told = response.usage
        money = price(self._answering(), response)
        text = "".join(str(getattr(part, "content", "")) for part in response.parts)
        return Usage(1, told.input_tokens or asked, told.output_tokens or estimate(text), money or 0, money is None)

    def _answering(self) -> Target:
        return next((target for model, target in self.models if model is self._asked), self.models[0][1])
