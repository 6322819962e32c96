"""The OpenAI Agents SDK on this memory: its runner over a scripted model, with tools, and a session that lasts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from agents.memory.session import Session, is_openai_responses_compaction_aware_session
from openai import AsyncOpenAI

from recollect import InvalidInput, Recollect
from recollect.adapters.openai_agents import RecollectSession
from recollect.testing.llm import Said, ScriptedLlm

set_tracing_disabled(True)


@function_tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


def agent(llm: ScriptedLlm) -> Any:
    """Give an agent of the scripted model."""
    client = AsyncOpenAI(base_url=llm.url, api_key="k")
    return Agent(name="Sage", tools=[weather], model=OpenAIResponsesModel("m", client))


def test_001_1_session_memory_for_the_agent_sdk(rc: Recollect) -> None:
    """A runner's second turn sees the first, tool calls included; it is a session by the SDK's own word."""
    session = RecollectSession(rc.space("ana", session="s1"))
    assert isinstance(session, Session)
    assert is_openai_responses_compaction_aware_session(session)
    with ScriptedLlm(lambda asked: "It is sunny.") as llm:
        llm.say(Said(tool='{"city": "Lisbon"}'))
        first = asyncio.run(Runner.run(agent(llm), "How is the weather in Lisbon?", session=session))
        assert first.final_output == "It is sunny."
        asyncio.run(Runner.run(agent(llm), "And tomorrow?", session=RecollectSession(rc.space("ana", session="s1"))))
        sent = llm.requests[-1].body["input"]
    kinds = [one.get("type") or one["role"] for one in sent]
    assert kinds[0] == "user"
    assert {"function_call", "function_call_output", "message"} <= set(kinds)
    assert sent[-1]["content"] == "And tomorrow?"
    found = rc.space("ana").recall("sunny in Lisbon", kinds=["episode"])
    assert found


def test_items_come_back_as_they_were(rc: Recollect) -> None:
    """Whatever the SDK adds is given back exactly; limits, popping and clearing work as its own session's do."""
    items: list[Any] = [
        {"role": "user", "content": "Hello."},
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "42"},
        {
            "type": "message",
            "role": "assistant",
            "id": "m1",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
        },
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Look."}, {"type": "input_image", "image_url": "x"}],
        },
    ]

    async def walk() -> None:
        session = RecollectSession(rc.space("ana", session="s2"))
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(limit=2) == items[-2:]
        assert await session.get_items(limit=0) == []
        assert await session.pop_item() == items[-1]
        assert await session.get_items() == items[:-1]
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items(items[:1])
        assert await session.get_items() == items[:1]

    asyncio.run(walk())


def test_compaction(rc: Recollect) -> None:
    """Forced, old items become a summary, and no call stands without its result."""

    async def walk() -> None:
        session = RecollectSession(rc.space("ana", session="s3"))
        for number in range(60):
            await session.add_items(
                [{"role": "user" if number % 2 == 0 else "assistant", "content": f"Line {number}."}]
            )
        await session.run_compaction({"force": True})
        after = await session.get_items()
        assert len(after) < 60
        assert after[-1]["content"] == "Line 59."

    asyncio.run(walk())


def test_it_needs_a_name(rc: Recollect) -> None:
    """A space in no session is refused."""
    with pytest.raises(InvalidInput, match="session"):
        RecollectSession(rc.space("ana"))
