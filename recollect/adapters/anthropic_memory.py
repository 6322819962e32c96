"""Anthropic's memory tool on this memory: the class its SDK's tool runner takes, with files that are documents here.

`client.beta.messages.tool_runner(model=…, messages=…, max_tokens=…, tools=[RecollectMemoryTool(space)])`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from recollect.adapters.raw import plain
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.tools.anthropic import clear
from recollect.tools.toolbox import Tools


def _carried_out(tools: Tools, command: Any) -> str:
    """Carry out a command as the model gave it; what is refused is told to the model as an error of the tool."""
    arguments = command.model_dump(exclude_unset=True) if hasattr(command, "model_dump") else command
    answer = tools.dispatch("memory", arguments)
    if answer.refused:
        raise ToolError(answer.text)
    return answer.text


class RecollectMemoryTool(BetaAbstractMemoryTool):
    """The files under /memories of one owner; whose they are comes from the space and never from the model."""

    def __init__(self, space: Space | AsyncSpace, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._space = plain(space)
        self._tools = Tools(self._space, "anthropic")

    def call(self, input: object) -> str:
        """Carry out what the model asks for, as it was asked."""
        return _carried_out(self._tools, input)

    def execute(self, command: Any) -> str:
        """Carry out one command."""
        return _carried_out(self._tools, command)

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        """Take away every file; each can be brought back with `space.restore`."""
        return clear(self._space)


class RecollectAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for `AsyncAnthropic`."""

    def __init__(self, space: Space | AsyncSpace, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._space = plain(space)
        self._tools = Tools(self._space, "anthropic")

    async def call(self, input: object) -> str:
        """Carry out what the model asks for, as it was asked."""
        return await asyncio.to_thread(_carried_out, self._tools, input)

    async def execute(self, command: Any) -> str:
        """Carry out one command."""
        return await asyncio.to_thread(_carried_out, self._tools, command)

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """Take away every file; each can be brought back with `space.restore`."""
        return await asyncio.to_thread(clear, self._space)
