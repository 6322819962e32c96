"""LlamaIndex on this memory: its agent over a scripted model, its memory with our block and our chat store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.memory import Memory
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from llama_index.llms.openai_like import OpenAILike

from recollect import Recollect
from recollect.adapters.llama_index import RecollectChatStore, RecollectMemoryBlock, recollect_memory
from recollect.testing.llm import Said, ScriptedLlm


def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


def agent(llm: ScriptedLlm) -> FunctionAgent:
    """Give an agent of the scripted model."""
    model = OpenAILike(model="m", api_base=llm.url, api_key="k", is_chat_model=True, is_function_calling_model=True)
    return FunctionAgent(llm=model, tools=[weather], system_prompt="Be kind.")


def user(text: str) -> ChatMessage:
    """Give something the user says."""
    return ChatMessage(role="user", content=text)


def test_the_example_of_the_page(rc: Recollect, shown: Callable[[str], str]) -> None:
    """The ten lines of the page answer from what was said before."""
    rc.space("ana", session="s0").observe("user", "I live in Lisbon.")
    assert shown("LlamaIndex") == "You live in Lisbon.\n"


def test_an_agent_remembers(rc: Recollect, llm: ScriptedLlm) -> None:
    """What was said in one session is in the prompt of another; a call and its result stand in the history."""

    async def walk() -> None:
        llm.say(Said(tool='{"city": "Lisbon"}', called="weather"), "It is sunny.")
        first = recollect_memory(rc.space("ana"), "s1")
        assert str(await agent(llm).run("I live in Lisbon. How is it?", memory=first)) == "It is sunny."
        again = recollect_memory(rc.space("ana"), "s1")
        kinds = [one.role.value for one in await again.aget_all()]
        assert kinds == ["user", "assistant", "tool", "assistant"]
        await agent(llm).run("And tomorrow?", memory=again)
        sent = [one["role"] for one in llm.requests[-1].body["messages"]]
        assert sent[-5:] == ["user", "assistant", "tool", "assistant", "user"]
        answer = await agent(llm).run("Where do I live?", memory=recollect_memory(rc.space("ana"), "s2"))
        assert str(answer) == "You live in Lisbon."
        assert "I live in Lisbon" in llm.requests[-1].system
        stranger = await agent(llm).run("Where do I live?", memory=recollect_memory(rc.space("bob"), "s2"))
        assert str(stranger) == "?"

    asyncio.run(walk())


def test_the_block_keeps_what_is_let_go(rc: Recollect) -> None:
    """With LlamaIndex's own store, what no longer fits is kept by the block, and found again by the question."""
    space = rc.space("ana")
    block = RecollectMemoryBlock(space=space, budget_tokens=300)

    async def walk() -> None:
        memory = Memory.from_defaults(session_id="s1", memory_blocks=[block], token_limit=300, token_flush_size=50)
        await memory.aput(user("My viola is called Greta."))
        for number in range(80):
            said = (
                user(f"Line {number} of a long talk.") if number % 2 else ChatMessage(role="assistant", content="OK.")
            )
            await memory.aput(said)
        assert space.recall("viola", kinds=["episode"])[0].memory.session == "s1"
        await memory.aput(user("What is my viola called?"))
        told = (await memory.aget())[0]
        assert "Greta" in str(told.content)
        assert "</memory_context>" in str(told.content)
        assert await block.atruncate([], 50) is None  # type: ignore[arg-type]  # as LlamaIndex does
        cut = await block.atruncate("one\ntwo\n" + "three " * 50, 70)
        assert cut == "one\ntwo"
        assert await block.atruncate("one", 50) is None
        assert await block.aget([]) == ""

    asyncio.run(walk())


@pytest.fixture(params=["llama_index", "recollect"])
def store(request: pytest.FixtureRequest, rc: Recollect) -> Any:
    """Give LlamaIndex's own chat store, and ours."""
    return SQLAlchemyChatStore("t") if request.param == "llama_index" else RecollectChatStore(space=rc.space("ana"))


def test_the_chat_store_beside_theirs(store: Any) -> None:
    """Adding, reading by status and page, archiving, deleting and setting do the same in both."""
    call = ToolCallBlock(tool_call_id="c1", tool_name="weather", tool_kwargs={"city": "Łódź"})
    said = [user(f"Line {number}.") for number in range(5)]
    said.append(ChatMessage(role="assistant", blocks=[call]))
    said.append(ChatMessage(role="tool", content="sunny", additional_kwargs={"tool_call_id": "c1"}))

    async def texts(status: MessageStatus | None) -> list[Any]:
        return [one.content for one in await store.get_messages("k", status)]

    async def walk() -> None:
        assert await store.get_messages("k") == []
        await store.add_messages("k", said)
        assert [one.model_dump() for one in await store.get_messages("k")] == [one.model_dump() for one in said]
        assert [one.content for one in await store.get_messages("k", limit=2, offset=1)] == ["Line 1.", "Line 2."]
        gone = await store.archive_oldest_messages("k", 2)
        assert [one.content for one in gone] == ["Line 0.", "Line 1."]
        assert await texts(MessageStatus.ARCHIVED) == ["Line 0.", "Line 1."]
        assert (await store.count_messages("k"), await store.count_messages("k", None)) == (5, 7)
        assert [one.content for one in await store.delete_oldest_messages("k", 1)] == ["Line 2."]
        await store.add_message("k", user("Later."), MessageStatus.ARCHIVED)
        assert (await texts(MessageStatus.ARCHIVED))[-1] == "Later."
        await store.set_messages("k", [said[4], user("New.")])
        assert await texts(MessageStatus.ACTIVE) == ["Line 4.", "New."]
        assert await store.get_keys() == ["k"]
        await store.delete_messages("k", MessageStatus.ACTIVE)
        assert await store.count_messages("k") == 0
        await store.delete_messages("k")
        assert await store.count_messages("k", None) == 0

    asyncio.run(walk())


def test_a_message_is_deleted_by_its_place(rc: Recollect) -> None:
    """One in the middle goes, the others stay; a place that is not there is nothing."""
    store = RecollectChatStore(space=rc.space("ana"))

    async def walk() -> None:
        await store.add_messages("k", [user("a"), user("b"), user("c")])
        deleted = await store.delete_message("k", 1)
        assert deleted is not None
        assert deleted.content == "b"
        assert [one.content for one in await store.get_messages("k")] == ["a", "c"]
        assert await store.delete_message("k", 9) is None

    asyncio.run(walk())


def test_what_is_no_space(rc: Recollect) -> None:
    """Anything but a space is refused, in words."""
    with pytest.raises(ValueError, match="pass a space"):
        RecollectMemoryBlock(space="ana")
