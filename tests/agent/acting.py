"""What tests of the agent share: a memory with a scripted model for each role, and the words of a turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from recollect import Recollect, Space
from recollect.agent.companion import RecollectAgent, Turn
from recollect.agent.events import Event
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Said, ScriptedLlm

MODELS = {"reasoning": "openai:grok", "execution": "openai:mini", "summarizer": "openai:haiku"}
"""The three models of seed 000, by other names."""


def call(_tool: str, **arguments: Any) -> Said:
    """Give an answer that calls a tool."""
    return Said(tool=json.dumps(arguments), called=_tool)


@contextmanager
def remembering(database: str, llm: ScriptedLlm, clock: FixedClock, **settings: Any) -> Iterator[Recollect]:
    """Open a memory whose models are all scripted."""
    models = {**MODELS, "extractor": "openai:haiku", "judge": "openai:haiku", "base_url": llm.url}
    models |= settings.pop("models", {})
    with Recollect(database, clock=clock, llm="openai:grok", models=models, **settings) as rc:
        yield rc


def turn(agent: RecollectAgent, text: str, told: Callable[[Event], None] = lambda event: None) -> Turn:
    """Say something and give what came of it."""
    return run(lambda: agent.turn(text, told), agent)


def run(work: Callable[[], Any], *agents: RecollectAgent) -> Any:
    """Run something of agents to its end, and close their connections."""

    async def whole() -> Any:
        try:
            return await work()
        finally:
            for one in agents:
                await one.close()

    return asyncio.run(whole())


def seen(asked: Asked) -> list[tuple[str, str]]:
    """Give the messages of a request: who, and what."""
    return [(one["role"], str(one.get("content") or "")) for one in asked.body["messages"]]


def offered(asked: Asked) -> list[str]:
    """Give the names of the tools of a request."""
    return [one["function"]["name"] for one in asked.body.get("tools", ())]


def topics(space: Space) -> set[str]:
    """Give the topics there are."""
    return {one.topic for one in space.list(limit=100)}
