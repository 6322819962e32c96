"""Microsoft's Agent Framework on this memory: its agent over a scripted model, with our two providers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agent_framework import Agent, Content, Message, tool
from agent_framework.openai import OpenAIChatCompletionClient

from recollect import InvalidInput, Recollect, Space
from recollect.adapters.agent_framework import RecollectContextProvider, RecollectHistoryProvider
from recollect.testing.llm import Said, ScriptedLlm


@tool(approval_mode="never_require")
def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


def agent(llm: ScriptedLlm, *providers: Any) -> Agent:
    """Give an agent of the scripted model."""
    client = OpenAIChatCompletionClient("m", base_url=llm.url, api_key="k")
    return Agent(client, "Be kind.", tools=[weather], context_providers=list(providers))


def both(space: Space) -> tuple[Any, Any]:
    """Give a history and a context."""
    return RecollectHistoryProvider(space), RecollectContextProvider(space)


def test_the_example_of_the_page(rc: Recollect, shown: Callable[[str], str]) -> None:
    """The ten lines of the page answer from what was said before."""
    rc.space("ana", session="s0").observe("user", "I live in Lisbon.")
    assert shown("Microsoft Agent Framework") == "You live in Lisbon.\n"


def test_an_agent_remembers(rc: Recollect, llm: ScriptedLlm) -> None:
    """A session goes on in another agent, its calls included; another session has what is known; strangers nothing."""
    space = rc.space("ana")

    async def walk() -> None:
        llm.say(Said(tool='{"city": "Lisbon"}', called="weather"), "It is sunny.")
        first = agent(llm, *both(space))
        talk = first.create_session(session_id="s1")
        assert (await first.run("I live in Lisbon. How is it?", session=talk)).text == "It is sunny."
        again = agent(llm, *both(space))
        await again.run("And tomorrow?", session=again.create_session(session_id="s1"))
        sent = llm.requests[-1].body["messages"]
        assert [one["role"] for one in sent if one["role"] != "system"][:4] == [
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        other = agent(llm, *both(space))
        answer = await other.run("Where do I live?", session=other.create_session(session_id="s2"))
        assert answer.text == "You live in Lisbon."
        stranger = agent(llm, *both(rc.space("bob")))
        answer = await stranger.run("Where do I live?", session=stranger.create_session(session_id="s2"))
        assert answer.text == "?"

    asyncio.run(walk())
    assert [one["role"] for one in space.within("s2").messages()] == ["user", "assistant"]


def test_the_context_alone(rc: Recollect, llm: ScriptedLlm) -> None:
    """Without a history of ours the context keeps what was said, once; told not to, it keeps nothing."""
    space = rc.space("ana")

    async def walk() -> None:
        made = agent(llm, RecollectContextProvider(space))
        talk = made.create_session(session_id="s1")
        await made.run("I live in Lisbon.", session=talk)
        await made.run("I have a cat.", session=talk)
        assert len(space.within("s1").messages()) == 4
        quiet = agent(llm, RecollectContextProvider(space, keep=False))
        answer = await quiet.run("Where do I live?", session=quiet.create_session(session_id="s2"))
        assert answer.text == "You live in Lisbon."
        assert space.within("s2").messages() == []

    asyncio.run(walk())


def test_streaming(rc: Recollect, llm: ScriptedLlm) -> None:
    """A streamed answer is kept whole."""

    async def walk() -> list[str]:
        made = agent(llm, *both(rc.space("ana")))
        llm.say("It is a long and sunny day.")
        stream = made.run("Hello.", stream=True, session=made.create_session(session_id="s1"))
        return [one.text async for one in stream]

    assert "".join(asyncio.run(walk())) == "It is a long and sunny day."
    assert rc.space("ana", session="s1").messages()[-1]["content"] is not None
    assert rc.space("ana").recall("sunny day", kinds=["episode"])


def test_messages_come_back_as_they_were(rc: Recollect) -> None:
    """Whatever the framework saves is given back exactly; compacted, the summary stands first."""
    history = RecollectHistoryProvider(rc.space("ana"))
    said = [
        Message("user", ["Look.", Content.from_uri("https://example.com/i.png", media_type="image/png")]),
        Message("assistant", [Content.from_function_call("c1", "weather", arguments='{"city": "Łódź"}')]),
        Message("tool", [Content.from_function_result("c1", result="sunny")]),
        Message("assistant", ["Done."], author_name="sage", message_id="m1", additional_properties={"n": 1}),
    ]

    async def walk() -> None:
        assert await history.get_messages("s1") == []
        await history.save_messages("s1", said)
        back = await history.get_messages("s1")
        assert [one.to_dict() for one in back] == [one.to_dict() for one in said]
        assert await history.get_messages("s2") == []
        large = Content.from_data(b"x" * 300_000, media_type="image/png")
        await history.save_messages("s2", [Message("user", ["A picture.", large])])
        assert [one.text for one in await history.get_messages("s2")] == ["A picture."]
        for number in range(60):
            await history.save_messages("s3", [Message("assistant" if number % 2 else "user", [f"Line {number}."])])
        rc.space("ana", session="s3").messages.compact(force=True)
        after = await history.get_messages("s3")
        assert len(after) < 60
        assert after[-1].text == "Line 59."

    asyncio.run(walk())


def test_what_is_refused(rc: Recollect) -> None:
    """A history in no session, and what is no space."""
    with pytest.raises(InvalidInput, match="session"):
        asyncio.run(RecollectHistoryProvider(rc.space("ana")).get_messages(None))
    with pytest.raises(InvalidInput, match="pass a space"):
        RecollectContextProvider("ana")  # type: ignore[arg-type]
