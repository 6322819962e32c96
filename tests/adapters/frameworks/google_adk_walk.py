"""Google's Agent Development Kit on this memory: its runner over a scripted model, with its own memory tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.memory import BaseMemoryService, InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import load_memory, preload_memory
from google.genai import types

from recollect import InvalidInput, NotFound, Recollect
from recollect.adapters.google_adk import RecollectMemoryService
from recollect.testing.llm import Said, ScriptedLlm

APP = "house"


def runner(llm: ScriptedLlm, service: BaseMemoryService, tool: Any) -> Runner:
    """Give a runner of an agent of the scripted model."""
    model = LiteLlm(model="openai/m", api_base=llm.url, api_key="k")
    agent = LlmAgent(name="sage", model=model, instruction="Be kind.", tools=[tool])
    return Runner(app_name=APP, agent=agent, session_service=InMemorySessionService(), memory_service=service)


async def told(made: Runner, text: str, session: str, user: str = "ana") -> str:
    """Say something to an agent and give what it answers."""
    events = await made.run_debug(text, user_id=user, session_id=session, quiet=True)
    return str(events[-1].content.parts[-1].text)


async def kept(made: Runner, session: str) -> Any:
    """Add a session to memory, and give it."""
    found = await made.session_service.get_session(app_name=APP, user_id="ana", session_id=session)
    await made.memory_service.add_session_to_memory(found)
    return found


def test_the_example_of_the_page(rc: Recollect, shown: Callable[[str], str]) -> None:
    """The ten lines of the page answer from what was said before."""
    rc.space("ana", tenant="house", session="s0").observe("user", "I live in Lisbon.")
    assert shown("Google ADK") == "You live in Lisbon.\n"


def test_an_agent_remembers(rc: Recollect, llm: ScriptedLlm) -> None:
    """A session added to memory is preloaded into another; adding it again adds nothing; others do not see it."""

    async def walk() -> None:
        made = runner(llm, RecollectMemoryService(rc), preload_memory)
        await told(made, "I live in Lisbon.", "s1")
        await kept(made, "s1")
        await kept(made, "s1")
        assert await told(made, "Where do I live?", "s2") == "You live in Lisbon."
        assert await told(made, "Where do I live?", "s3", user="bob") == "?"

    asyncio.run(walk())
    space = rc.space("ana", tenant=APP)
    assert space.stats().kinds["episode"] == 2
    assert [one.id for one in space.sessions()] == ["s1"]
    assert rc.space("ana").stats().kinds == {}


def test_the_model_asks_memory(rc: Recollect, llm: ScriptedLlm) -> None:
    """ADK's own tool finds what was added, and its result is in the request."""

    async def walk() -> None:
        service = RecollectMemoryService(rc)
        entry = MemoryEntry(content=types.Content(parts=[types.Part(text="Ana plays the viola.")]))
        await service.add_memory(app_name=APP, user_id="ana", memories=[entry])
        llm.say(Said(tool='{"query": "viola"}', called="load_memory"), "The viola.")
        assert await told(runner(llm, service, load_memory), "What do I play?", "s1") == "The viola."
        assert "Ana plays the viola." in str(llm.requests[-1].body["messages"])

    asyncio.run(walk())


@pytest.fixture(params=["google", "recollect"])
def service(request: pytest.FixtureRequest, rc: Recollect) -> BaseMemoryService:
    """Give ADK's own memory service, and ours."""
    return InMemoryMemoryService() if request.param == "google" else RecollectMemoryService(rc)


def test_the_service_beside_theirs(service: BaseMemoryService, llm: ScriptedLlm) -> None:
    """Sessions, deltas, searching and deleting do the same in both; what was deleted does not come back."""

    async def found(query: str, user: str = "ana", app: str = APP) -> list[str]:
        answer = await service.search_memory(app_name=app, user_id=user, query=query)
        return [str(one.content.parts[0].text) for one in answer.memories]

    async def walk() -> None:
        made = runner(llm, service, load_memory)
        assert await found("viola") == []
        llm.say("How nice!")
        await told(made, "Greta is my viola.", "s1")
        session = await kept(made, "s1")
        assert (await found("viola")).count("Greta is my viola.") == 1
        assert (await found("viola"))[0] == "Greta is my viola."  # ours may give what was answered to it after it
        assert await found("viola", user="bob") == []
        assert await found("viola", app="garden") == []
        events = session.events[:1]
        await service.add_events_to_memory(app_name=APP, user_id="ana", events=events, session_id="s1")
        assert (await found("viola")).count("Greta is my viola.") == 1
        assert (await found("viola"))[0] == "Greta is my viola."  # ours may give what was answered to it after it
        answer = await service.search_memory(app_name=APP, user_id="ana", query="viola")
        one = answer.memories[0]
        assert (one.author, bool(one.id), bool(one.timestamp)) == ("user", True, True)
        await service.delete_memory(app_name=APP, user_id="ana", memory_id=one.id)
        assert "Greta is my viola." not in await found("viola")
        await service.add_session_to_memory(session)
        assert "Greta is my viola." not in await found("viola")
        await service.delete_memory(app_name=APP, user_id="ana")

    asyncio.run(walk())


def test_facts_and_what_is_wrong_with_them(rc: Recollect) -> None:
    """A fact has its author, time and metadata; one without text, an unknown id and no memory at all are refused."""
    service = RecollectMemoryService(rc)

    async def walk() -> None:
        content = types.Content(parts=[types.Part(text="Ana moved to Porto.")])
        entry = MemoryEntry(content=content, author="form", timestamp="2024-05-01T10:00:00Z", custom_metadata={"n": 1})
        await service.add_memory(app_name=APP, user_id="ana", memories=[entry], custom_metadata={"m": 2})
        await service.add_memory(app_name=APP, user_id="ana", memories=[entry])
        await service.add_memory(app_name=APP, user_id="ana", memories=[])
        found = rc.space("ana", tenant=APP).recall("Porto")
        assert len(found) == 1
        memory = found[0].memory
        assert (memory.actor, memory.attributes["n"], memory.attributes["m"]) == ("form", 1, 2)
        assert memory.event_time is not None
        assert memory.event_time.year == 2024
        blank = MemoryEntry(content=types.Content(parts=[]))
        with pytest.raises(InvalidInput, match="no text"):
            await service.add_memory(app_name=APP, user_id="ana", memories=[blank])
        with pytest.raises(NotFound):
            await service.delete_memory(app_name=APP, user_id="ana", memory_id="fact_none")
        with pytest.raises(InvalidInput, match="user"):
            await service.search_memory(app_name=APP, user_id="", query="x")

    asyncio.run(walk())
    with pytest.raises(InvalidInput, match="pass a memory"):
        RecollectMemoryService(rc.space("ana"))  # type: ignore[arg-type]
