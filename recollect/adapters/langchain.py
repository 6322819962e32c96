"""A chat history for LangChain: the messages of one session of this memory, with their tool calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages, convert_to_openai_messages

from recollect.errors import InvalidInput
from recollect.front.space import Space


class RecollectChatMessageHistory(BaseChatMessageHistory):
    """Keeps what is said in a space's session; `space.messages.compact` sums it up."""

    def __init__(self, space: Space) -> None:
        if not space._scope.session:
            raise InvalidInput("a history needs a session: pass rc.space(user, session=…)")
        self._space = space

    @property
    def messages(self) -> list[BaseMessage]:
        """The messages in sight, in order."""
        return convert_to_messages([_called(one) for one in self._space.messages()])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        for one in messages:
            wire: dict[str, Any] = convert_to_openai_messages(one)
            self._space.messages.append(
                wire["role"],
                wire.get("content") or "",
                tool_calls=wire.get("tool_calls") or (),
                tool_call_id=str(wire.get("tool_call_id") or ""),
            )

    async def aget_messages(self) -> list[BaseMessage]:
        return await asyncio.to_thread(lambda: self.messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        await asyncio.to_thread(self.add_messages, messages)

    def clear(self) -> None:
        """Take all messages out of sight; what was said stays in memory, and is found by search."""
        self._space.messages.set_ids([])

    async def aclear(self) -> None:
        await asyncio.to_thread(self.clear)


def _called(wire: dict[str, Any]) -> Any:
    """Give a message as LangChain reads it: calls with their arguments as data."""
    if not wire.get("tool_calls"):
        return wire
    calls = [
        {"id": one["id"], "name": one["function"]["name"], "args": json.loads(one["function"]["arguments"] or "{}")}
        for one in wire["tool_calls"]
    ]
    return AIMessage(content=wire.get("content") or "", tool_calls=calls)
