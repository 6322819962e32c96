"""The second trimmer: a request that grows too long within a turn loses its middle, and never a call its result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import RunContext

from recollect.agent.guards import Flag
from recollect.agent.translating import last_prompt, wire
from recollect.flows.window.tokens import counter
from recollect.rules.agent.trimming import trimmed
from recollect.rules.window.grouping import ASSISTANT, TOOL, USER, Message


@dataclass
class Trimmer(AbstractCapability[Any]):
    """Cuts requests longer than so many tokens; what the run has said and done stays whole behind them."""

    most: int
    model: str
    flag: Flag

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        messages = list(request_context.messages)
        if self._tokens(messages) <= self.most:
            return request_context
        found = last_prompt(messages)
        at = found[0] if found else 0
        while at and not isinstance(messages[at - 1], ModelResponse):  # the message of memory stands before it
            at -= 1
        kept = [*self._cut(messages[:at]), *self._cut(messages[at:])]
        if len(kept) == len(messages):
            return request_context
        self.flag("trimmed", f"a request of {len(messages)} messages was cut to {len(kept)}")
        return replace(request_context, messages=kept)

    def _cut(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        read = [_read(at, one) for at, one in enumerate(messages)]
        kept = trimmed(read, self.most // 2, lambda some: self._tokens([messages[int(one.id)] for one in some]))
        return [
            messages[int(one.id)] if one.id else ModelRequest(parts=[UserPromptPart(str(one.content))]) for one in kept
        ]

    def _tokens(self, messages: Sequence[ModelMessage]) -> int:
        return counter(self.model)(json.dumps(wire(messages), ensure_ascii=False))


def _read(at: int, message: ModelMessage) -> Message:
    """Give a message as groups are made of them: a request with results of tools belongs to the calls before it."""
    parts = wire([message])
    text = "; ".join(str(one["content"]) for one in parts)
    if isinstance(message, ModelResponse):
        calls = tuple(one for part in parts for one in part.get("tool_calls", ()))
        return Message(str(at), ASSISTANT, text, calls)
    return Message(str(at), TOOL if any(isinstance(one, ToolReturnPart) for one in message.parts) else USER, text)
