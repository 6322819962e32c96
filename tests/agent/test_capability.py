"""Memory for any pydantic-ai agent: the capability in one line, and the conversation store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict
from pydantic_ai.models import Model

from recollect import AsyncRecollect, Recollect
from recollect.agent import Conversations, memory
from recollect.providers.llm import build_model
from recollect.providers.llm.target import Address, Target
from recollect.providers.llm.wire import client
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.agent.acting import call, offered, seen


def with_model(llm: ScriptedLlm, work: Callable[[Model], Awaitable[Any]]) -> Any:
    """Run something with a model of pydantic-ai's own making, and close its connections."""

    async def whole() -> Any:
        async with client(llm.url, 10) as http:
            return await work(build_model(Target("m", Address("openai", llm.url, own=False)), http))

    return asyncio.run(whole())


def test_any_agent_gets_memory_in_one_line(rc: Recollect, llm: ScriptedLlm) -> None:
    """What is known stands just before the message, what is said is kept, and tools save, on every engine."""
    rc.space("ana").remember("Ana's sister is called Clara.", topic="family", importance=8)
    space = rc.space("ana", session="s1")

    async def talk(model: Model) -> str:
        agent = Agent(model, instructions="Be brief.", capabilities=[memory(space)])
        llm.say(call("memory_save", topic="pets", content="Ana has a cat called Miau."), "Noted.")
        first = await agent.run("I have a cat called Miau.")
        llm.say("Clara.")
        return (await agent.run("What is my sister called?", message_history=first.all_messages())).output

    assert with_model(llm, talk) == "Clara."
    last = seen(llm.requests[-1])
    assert last[-1] == ("user", "What is my sister called?")
    assert last[-2][0] == "system"
    assert "Ana's sister is called Clara." in last[-2][1]
    assert "Be brief." in llm.requests[-1].system
    assert "**CRITICAL**" in llm.requests[-1].system
    assert set(offered(llm.requests[-1])) == {
        "memory_save", "memory_recall", "memory_age", "memory_search", "conversation_search",
    }  # fmt: skip
    assert [(one["role"], one["content"]) for one in space.messages()][-3:] == [
        ("assistant", "Noted."), ("user", "What is my sister called?"), ("assistant", "Clara."),
    ]  # fmt: skip
    assert [one.content for one in space.list(topic="pets")] == ["Ana has a cat called Miau."]


def test_memory_that_fails_breaks_no_run(rc: Recollect, llm: ScriptedLlm) -> None:
    """An unknown form of memory, or a store that refuses, is told, and the answer comes all the same."""
    told: list[str] = []
    space = rc.space("ana", session="s1")

    async def talk(model: Model) -> str:
        agent = Agent(model, capabilities=[memory(space, profile="nonsense", problem=told.append)])
        return (await agent.run("Hello.")).output

    assert with_model(llm, talk) == "All right."
    assert "there is no profile 'nonsense'" in told[0]


def test_what_is_switched_off_stays_off(rc: Recollect, llm: ScriptedLlm) -> None:
    """Without keeping, tools and guards an agent only has what is known put before it."""
    rc.space("ana").remember("Ana is allergic to peanuts.", topic="health", importance=9)
    space = rc.space("ana", session="s1")

    async def talk(model: Model) -> str:
        agent = Agent(model, capabilities=[memory(space, keep=False, tools=(), guards=False)])
        llm.say("I've saved that to memory.")
        return (await agent.run("What am I allergic to?")).output

    assert with_model(llm, talk) == "I've saved that to memory."
    assert space.messages() == []
    assert offered(llm.requests[-1]) == []
    assert "peanuts" in llm.requests[-1].system


def test_an_async_space_and_many_runs_at_once(llm: ScriptedLlm, database: str, clock: FixedClock) -> None:
    """A space of the async face does as well, and runs at the same time do not mix."""

    async def talk(model: Model) -> list[str]:
        async with AsyncRecollect(database, clock=clock) as rc:
            agents = [Agent(model, capabilities=[memory(rc.space("ana", session=f"s{number}"))]) for number in range(4)]
            await asyncio.gather(*(agent.run(f"I am number {at}.") for at, agent in enumerate(agents)))
            kept = [await rc.space("ana", session=f"s{number}").messages() for number in range(4)]
        return [one[0]["content"] for one in kept if len(one) == 2]

    assert with_model(llm, talk) == [f"I am number {number}." for number in range(4)]


# The conversation store


def test_a_conversation_is_kept_and_goes_on(rc: Recollect, llm: ScriptedLlm) -> None:
    """Saved and loaded, a conversation goes on whole; each message is kept once, also beside the capability."""
    store, space = Conversations(rc.space("ana")), rc.space("ana", session="c1")

    async def talk(model: Model) -> tuple[Any, Any]:
        agent = Agent(model, capabilities=[memory(space)])
        llm.say(call("memory_recall", topic="x"), "Nothing there.")
        result = await agent.run("Look for x.", conversation=Conversation(conversation_id="c1"))
        saved = await store.save(result, scope="web")
        stale = await store.load("c1")
        assert stale is not None
        again = await agent.run("Thanks.", conversation=await store.load("c1"))
        await store.save(again)
        stale.messages.append(again.all_messages()[-1])
        with pytest.raises(ConversationConflict):
            await store.save(stale)
        return saved, await store.load("c1")

    saved, loaded = with_model(llm, talk)
    assert len(saved) == 4
    assert len(loaded.messages) == 6
    assert loaded.usage.requests == 3
    roles = [one["role"] for one in space.messages()]
    assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert [hit.memory.content for hit in space.messages.search("Look").messages][:1] == ["Look for x."]


def test_conversations_are_listed_forked_and_deleted(rc: Recollect, llm: ScriptedLlm) -> None:
    """Each has a scope and an owner; a fork outlives what it was made of; nobody sees another owner's."""
    store, other = Conversations(rc.space("ana")), Conversations(rc.space("ben"))

    async def talk(model: Model) -> None:
        agent = Agent(model)
        for name in ("c1", "c2"):
            result = await agent.run(f"I am {name}.", conversation=Conversation(conversation_id=name))
            await store.save(result, scope="web" if name == "c1" else "mail")
        assert [one.conversation_id for one in await store.read_records(scope="mail")] == ["c2"]
        assert len(await store.read_records(limit=1)) == 1
        assert await store.load("c1", scope="mail") is None
        assert (await other.load("c1"), list(await other.read_records())) == (None, [])
        fork = await store.fork("c1")
        await store.delete("c1")
        assert await store.load("c1") is None
        kept = await store.load(fork.conversation_id)
        assert kept is not None
        assert len(kept.messages) == 2
        await store.delete(fork.conversation_id)
        assert {one.conversation_id for one in await store.read_records()} == {"c2"}

    with_model(llm, talk)


def test_an_erased_conversation_is_gone(rc: Recollect, llm: ScriptedLlm, dump: Callable[[], str]) -> None:
    """Erasing a session leaves no word of its conversation in the store, and the store says that it has none."""
    store = Conversations(rc.space("ana"))

    async def talk(model: Model) -> None:
        result = await Agent(model).run("My code is 4711.", conversation=Conversation(conversation_id="c1"))
        await store.save(result)
        assert "4711" in dump()
        rc.space("ana").erase(session="c1")
        assert await store.load("c1") is None
        assert list(await store.read_records()) == []

    with_model(llm, talk)
    assert "4711" not in dump()
