"""Strands on this memory: its agent over a scripted model, with what its memory manager does by itself and by tool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from strands import Agent
from strands.memory import AddMessagesContext, MemoryManager
from strands.models.openai import OpenAIModel

from recollect import Conflict, InvalidInput, Recollect, Space
from recollect.adapters.strands import RecollectMemoryStore
from recollect.testing.llm import Said, ScriptedLlm


def agent(llm: ScriptedLlm, space: Space, **config: Any) -> Agent:
    """Give an agent of the scripted model that remembers in a space."""
    model = OpenAIModel(client_args={"base_url": llm.url, "api_key": "k"}, model_id="m")
    manager = MemoryManager(stores=[RecollectMemoryStore(space)], **config)
    return Agent(model=model, memory_manager=manager, callback_handler=None)


def test_the_example_of_the_page(rc: Recollect, shown: Callable[[str], str]) -> None:
    """The ten lines of the page answer from what was said before."""
    rc.space("ana", session="s0").observe("user", "I live in Lisbon.")
    assert shown("Strands").strip().endswith("You live in Lisbon.")


def test_an_agent_remembers(rc: Recollect, llm: ScriptedLlm) -> None:
    """What is said is kept after the turn, injected into the next agent's prompt, and only into its owner's."""
    agent(llm, rc.space("ana", session="s1"))("I live in Lisbon.")
    kept = rc.space("ana", session="s1").messages()
    assert [one["role"] for one in kept] == ["user", "assistant"]
    assert str(agent(llm, rc.space("ana", session="s2"))("Where do I live?")).strip() == "You live in Lisbon."
    assert "I live in Lisbon" in str(llm.requests[-1].body["messages"])
    assert str(agent(llm, rc.space("bob"))("Where do I live?")).strip() == "?"


def test_the_tools_of_the_manager(rc: Recollect, llm: ScriptedLlm) -> None:
    """The model adds a fact and searches for one through Strands's own tools."""
    mine = agent(llm, rc.space("ana"), add_tool_config=True, injection=False)
    llm.say(Said(tool='{"entries": ["Ana plays the viola."]}', called="add_memory"), "Kept.")
    mine("Please remember that I play the viola.")
    assert rc.space("ana").recall("viola")[0].memory.kind == "fact"
    llm.say(Said(tool='{"query": "viola"}', called="search_memory"), "The viola.")
    mine("What do I play?")
    assert "Ana plays the viola." in str(llm.requests[-1].body["messages"][-1])


def test_what_the_store_does(rc: Recollect) -> None:
    """Facts with metadata, limits, batches that come again, messages with tools, and what is refused."""
    space = rc.space("ana", session="s1")
    store = RecollectMemoryStore(space, max_search_results=2)

    async def walk() -> None:
        assert await store.search("anything") == []
        receipt = await store.add("Ana plays the viola.", {"from": "form"})
        assert space.get(receipt.id).attributes["from"] == "form"
        assert (await store.add("Ana plays the viola.")).outcome == "duplicate"
        found = (await store.search("viola"))[0]
        assert (found.content, found.metadata["kind"], found.metadata["id"]) == (
            "Ana plays the viola.", "fact", receipt.id,
        )  # fmt: skip
        said = [
            {"role": "user", "content": [{"text": "How is it in Łódź?"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "1", "name": "weather", "input": {"c": "Łódź"}}}],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"json": {"sky": "blue"}}]}}]},
            {"role": "user", "content": [{"image": {}}]},
        ]
        assert await store.add_messages(said, AddMessagesContext(sequence_numbers=[0, 1, 2, 3])) == 3
        result, user = {"toolResult": {"toolUseId": "2", "content": [{"text": "I am the mayor."}]}}, {"text": "Thanks."}
        assert await store.add_messages([{"role": "user", "content": [result, user]}]) == 1
        told = [(one.role, one.content) for one in space.list("recent", 3, kinds=["episode"])]
        assert set(told) == {("tool", '{"sky": "blue"}'), ("tool", "I am the mayor."), ("user", "Thanks.")}
        assert len(await store.search("Łódź weather viola", {"max_search_results": 1})) == 1
        with pytest.raises(InvalidInput):
            await store.add("   ")

    asyncio.run(walk())
    quiet = RecollectMemoryStore(space, writable=False)
    assert quiet.extraction is False
    assert len(asyncio.run(MemoryManager(stores=[quiet]).search("viola"))) > 0
    with pytest.raises(InvalidInput, match="pass a space"):
        RecollectMemoryStore("ana")  # type: ignore[arg-type]


def test_a_batch_that_failed_in_the_middle(rc: Recollect) -> None:
    """What was kept of it is not kept twice when it comes again; the same words later are."""
    space = rc.space("ana", session="s1")
    store = RecollectMemoryStore(space)
    good, bad = {"role": "user", "content": [{"text": "ok"}]}, {"role": "", "content": [{"text": "more"}]}
    numbers = AddMessagesContext(sequence_numbers=[0, 1])
    with pytest.raises(InvalidInput):
        asyncio.run(store.add_messages([good, bad], numbers))
    assert asyncio.run(store.add_messages([good, {**bad, "role": "assistant"}], numbers)) == 1
    assert asyncio.run(store.add_messages([good], AddMessagesContext(sequence_numbers=[0]))) == 1
    assert space.stats().kinds["episode"] == 3


def test_what_policy_refuses(rc: Recollect) -> None:
    """A fact that is not kept is an error that says why."""
    with pytest.raises(Conflict, match="not kept"):
        asyncio.run(RecollectMemoryStore(rc.space("ana")).add("Ana said this and that. " * 200))
