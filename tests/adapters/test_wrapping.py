"""Clients that remember: the real SDKs of OpenAI and Anthropic against a scripted model, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI, RateLimitError

import recollect
from recollect import InvalidInput, Recollect, Space, connect
from recollect.adapters.wrapping import OFF, READ_ONLY
from recollect.testing.llm import Said, ScriptedLlm
from tests.doors.serving import serving

MOVED = "I moved to Lisbon in May with my cat Miso."
ASKED = "Which city did I move to with my cat?"
ANSWER = "You moved to Lisbon — with Miso, the cat."
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


@pytest.fixture
def llm() -> Iterator[ScriptedLlm]:
    """Give a model that always answers the same."""
    with ScriptedLlm(lambda asked: ANSWER) as scripted:
        yield scripted


CLIENTS: list[Any] = []


@pytest.fixture(autouse=True)
def closing_clients() -> Iterator[None]:
    """Let the connections go that a test has opened."""
    yield
    while CLIENTS:
        client = CLIENTS.pop()
        if isinstance(client, OpenAI | Anthropic):
            client.close()


@pytest.fixture
def memory(database: str) -> Iterator[Recollect]:
    """Give a memory of this test's own."""
    with Recollect(database) as rc:
        yield rc


@pytest.fixture
def told(memory: Recollect) -> Space:
    """Give a second session of somebody who has told something in the first."""
    memory.space("ana", session="first").observe("user", MOVED)
    memory.space("ana").blocks.rethink("persona", "I am Sage.")
    return memory.space("ana", agent="helper", session="second")


def chat(client: Any, stream: bool = False, **more: Any) -> Any:
    """Ask through chat completions."""
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": ASKED}]
    return client.chat.completions.create(model="m", messages=messages, stream=stream, **more)


def responses(client: Any, stream: bool = False, **more: Any) -> Any:
    """Ask through responses."""
    return client.responses.create(model="m", instructions="Be kind.", input=ASKED, stream=stream, **more)


def messages(client: Any, stream: bool = False, **more: Any) -> Any:
    """Ask through Anthropic's messages."""
    said = [{"role": "user", "content": ASKED}]
    return client.messages.create(model="m", max_tokens=99, system="Be kind.", messages=said, stream=stream, **more)


APIS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    "chat": (chat, OpenAI, AsyncOpenAI),
    "responses": (responses, OpenAI, AsyncOpenAI),
    "messages": (messages, Anthropic, AsyncAnthropic),
}


def made(kind: Callable[..., Any], llm: ScriptedLlm, **more: Any) -> Any:
    """Give a client of the scripted model."""
    anthropic = kind in (Anthropic, AsyncAnthropic)
    client = kind(base_url=llm.host if anthropic else llm.url, api_key="k", max_retries=1, **more)
    CLIENTS.append(client)
    return client


async def asked_later(ask: Callable[..., Any], client: Any, stream: bool) -> None:
    """Ask and read the answer to its end, awaited."""
    async with client:
        answer = await ask(client, stream)
        if stream:
            async for _ in answer:
                pass


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("api", APIS)
def test_memory_goes_in_and_the_conversation_comes_out(
    api: str, later: bool, stream: bool, told: Space, llm: ScriptedLlm
) -> None:
    """What was told in another session is in the request, and question and answer are in this one's window."""
    ask, plain, awaited = APIS[api]
    client = recollect.wrap(made(awaited if later else plain, llm), told)
    assert isinstance(client, awaited if later else plain)  # type: ignore[arg-type]
    if later:
        asyncio.run(asked_later(ask, client, stream))
    elif stream:
        assert list(ask(client, True))
    else:
        assert ANSWER in ask(client).model_dump_json()
    (request,) = llm.requests
    assert MOVED in json.dumps(request.body)
    assert request.system.index("Be kind.") < request.system.index("I am Sage.")
    assert told.messages() == [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWER}]


def test_000_35_memory_stands_just_before_the_last_message(told: Space, llm: ScriptedLlm) -> None:
    """A system message of its own stands before the question, also while tools are called; the front stays the same."""
    client = recollect.wrap(made(OpenAI, llm), told)
    chat(client)
    said: list[dict[str, Any]] = llm.requests[0].body["messages"]
    assert [one["role"] for one in said] == ["system", "system", "user"]
    assert MOVED in said[1]["content"]
    assert said[1]["content"].startswith("<memory_context>")
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    loop = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ]
    client.chat.completions.create(model="m", messages=loop, tools=[TOOL])
    assert [one["role"] for one in llm.requests[1].body["messages"]] == [
        "system",
        "system",
        "user",
        "assistant",
        "tool",
    ]


def test_without_a_question_nothing_is_put_in(told: Space, llm: ScriptedLlm) -> None:
    """A request that holds no message of a person goes as it is."""
    client = recollect.wrap(made(OpenAI, llm), told)
    client.chat.completions.create(model="m", messages=[{"role": "system", "content": "Say something."}])
    assert llm.requests[0].body["messages"] == [{"role": "system", "content": "Say something."}]


def test_for_models_that_take_instructions_only_first(told: Space, llm: ScriptedLlm) -> None:
    """With place front, all memory is in the first message."""
    chat(recollect.wrap(made(OpenAI, llm), told, place="front"))
    said = llm.requests[0].body["messages"]
    assert [one["role"] for one in said] == ["system", "user"]
    assert MOVED in said[0]["content"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_tools_of_openai(stream: bool, told: Space, llm: ScriptedLlm) -> None:
    """A call and its result are kept as such, and each once, over the two requests they take."""
    client = recollect.wrap(made(OpenAI, llm), told)
    llm.say(Said(tool='{"place": "Lisbon"}'))
    question = {"role": "user", "content": ASKED}
    first = client.chat.completions.create(model="m", messages=[question], tools=[TOOL], stream=stream)
    if stream:
        assert list(first)
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"place": "Lisbon"}'}}
    said = [
        question,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
    ]
    client.chat.completions.create(model="m", messages=said, tools=[TOOL])
    kept = told.messages()
    assert [one["role"] for one in kept] == ["user", "assistant", "tool", "assistant"]
    assert kept[1]["tool_calls"] == [call]
    assert (kept[2]["tool_call_id"], kept[2]["content"], kept[3]["content"]) == ("call_1", "sunny", ANSWER)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_tools_of_anthropic(stream: bool, told: Space, llm: ScriptedLlm) -> None:
    """Blocks of calls and results become messages of their own, and results stay first in their message."""
    client = recollect.wrap(made(Anthropic, llm), told)
    llm.say(Said(content="Let me look.", tool='{"place": "Lisbon"}'))
    tools = [{"name": "weather", "input_schema": {"type": "object"}}]
    question = {"role": "user", "content": ASKED}
    first = client.messages.create(model="m", max_tokens=9, messages=[question], tools=tools, stream=stream)
    if stream:
        assert list(first)
    use = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"place": "Lisbon"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "sunny"}]}
    said = [question, {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    client.messages.create(model="m", max_tokens=9, messages=said, tools=tools)
    sent = llm.requests[1].body["messages"]
    assert MOVED in json.dumps(sent[0])
    assert sent[2]["content"] == [result]
    kept = told.messages()
    assert [one["role"] for one in kept] == ["user", "assistant", "tool", "assistant"]
    assert kept[1]["content"] == "Let me look."
    assert json.loads(kept[1]["tool_calls"][0]["function"]["arguments"]) == {"place": "Lisbon"}


def test_a_call_of_responses_is_kept(told: Space, llm: ScriptedLlm) -> None:
    """A function call and its output, in another API's form, are one exchange."""
    client = recollect.wrap(made(OpenAI, llm), told)
    llm.say(Said(tool="{}"))
    tool = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}, "strict": False}
    first = client.responses.create(model="m", input=[{"role": "user", "content": ASKED}], tools=[tool])
    output = {"type": "function_call_output", "call_id": "call_1", "output": "sunny"}
    items = [{"role": "user", "content": ASKED}, *(one.model_dump() for one in first.output), output]
    client.responses.create(model="m", input=items, tools=[tool])
    assert [one["role"] for one in told.messages()] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
def test_errors_of_memory_never_break_a_call(later: bool, told: Space, llm: ScriptedLlm) -> None:
    """A memory that is closed, or broken in any way, is told of, and the call goes on as without it."""
    heard: list[Exception] = []
    client = recollect.wrap(made(AsyncOpenAI if later else OpenAI, llm), told, told=heard.append)
    told._runtime.close()
    if later:
        asyncio.run(asked_later(chat, client, True))
    else:
        assert ANSWER in chat(client).model_dump_json()
    assert [type(one).__name__ for one in heard] == ["Closed"]
    assert len(llm.requests[0].body["messages"]) == 2


def test_what_goes_wrong_later_is_told_too(
    told: Space, llm: ScriptedLlm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When what was said cannot be kept, the answer is given all the same, and the log says why."""

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("no reason at all")

    monkeypatch.setattr("recollect.front.window.Messages.append", broken)
    assert ANSWER in chat(recollect.wrap(made(OpenAI, llm), told)).model_dump_json()
    assert "ZeroDivisionError: no reason at all" in caplog.text


def test_a_model_that_fails_leaves_nothing_behind(told: Space, llm: ScriptedLlm) -> None:
    """A call that failed is no conversation; the SDK's own retry that succeeds is one, and counts once."""
    client = recollect.wrap(made(OpenAI, llm), told)
    llm.say(429, 429)
    with pytest.raises(RateLimitError):
        chat(client)
    assert told.messages() == []
    llm.say(Said(status=429, retry_after="0"))
    chat(client)
    assert [one["role"] for one in told.messages()] == ["user", "assistant"]


def test_switches_of_one_call(told: Space, llm: ScriptedLlm) -> None:
    """Off means neither in nor out, read means nothing is kept, a session is another conversation; none is sent on."""
    client = recollect.wrap(made(OpenAI, llm), told)
    chat(client, extra_headers=OFF)
    assert MOVED not in json.dumps(llm.requests[0].body)
    chat(client, extra_headers=READ_ONLY)
    assert MOVED in json.dumps(llm.requests[1].body)
    assert told.messages() == []
    chat(client, extra_headers={"Recollect-Session": "third"})
    assert told.messages() == []
    assert len(told.within("third").messages()) == 2
    assert not any("recollect" in one.lower() for request in llm.requests for one in request.headers)


def test_off_for_good(told: Space, llm: ScriptedLlm) -> None:
    """The SDK's own way to set a header for all calls switches memory off for all of them."""
    chat(recollect.wrap(made(OpenAI, llm), told).with_options(default_headers=OFF))
    assert told.messages() == []


def test_a_stream_that_is_left_is_kept_as_far_as_it_came(told: Space, llm: ScriptedLlm) -> None:
    """Half an answer was said too; half a tool call was never made."""
    client = recollect.wrap(made(OpenAI, llm), told)
    llm.say(Said(content=ANSWER * 40, trickle=0.001))
    with closing(chat(client, True)) as stream:
        for _ in range(3):
            next(stream)
    kept = told.messages()
    assert [one["role"] for one in kept] == ["user", "assistant"]
    assert (ANSWER * 40).startswith(kept[1]["content"][:20])
    assert len(kept[1]["content"]) < len(ANSWER * 40)


def test_only_what_is_new_is_kept(told: Space, llm: ScriptedLlm) -> None:
    """A history that is sent along, whole or cut at its front, is kept once; asked anew, only the answer is new."""
    client = recollect.wrap(made(OpenAI, llm), told)
    history: list[dict[str, Any]] = []
    for number in range(4):
        history.append({"role": "user", "content": f"Question {number}?"})
        client.chat.completions.create(model="m", messages=history[-3:])
        history.append({"role": "assistant", "content": ANSWER})
    assert [one["content"] for one in told.messages()] == [one["content"] for one in history]
    client.chat.completions.create(model="m", messages=history[-4:-1])  # the user wants another answer
    roles = [one.role for one in told.list(kinds=["episode"], order="recent", sessions=["second"])]
    assert (roles.count("user"), roles.count("assistant")) == (4, 5)


def test_the_same_words_without_a_history_are_said_twice(told: Space, llm: ScriptedLlm) -> None:
    """Nobody can tell a repeat from the same question on another day, so nothing is lost."""
    client = recollect.wrap(made(OpenAI, llm), told)
    chat(client)
    chat(client)
    assert [one["role"] for one in told.messages()] == ["user", "assistant"] * 2


def test_without_a_session_words_are_kept(told: Space, llm: ScriptedLlm) -> None:
    """A space in no session keeps what was said without a window."""
    loose = told.within("")
    chat(recollect.wrap(made(OpenAI, llm), loose))
    said = loose.list(kinds=["episode"], order="oldest")
    assert [one.content for one in said] == [MOVED, ASKED, ANSWER]


def test_images_go_through(told: Space, llm: ScriptedLlm) -> None:
    """A question with a picture is found by its words and sent with all its parts."""
    client = recollect.wrap(made(OpenAI, llm), told)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    said = [{"role": "user", "content": [{"type": "text", "text": ASKED}, picture]}]
    client.chat.completions.create(model="m", messages=said)
    assert llm.requests[0].body["messages"][-1] == said[0]
    assert told.messages()[0]["content"] == said[0]["content"]


def test_parsing_and_raw_responses_take_part(told: Space, llm: ScriptedLlm) -> None:
    """Every way the SDK has to ask goes through memory."""
    client = recollect.wrap(made(OpenAI, llm), told)
    said = [{"role": "user", "content": ASKED}]
    client.chat.completions.parse(model="m", messages=said)
    client.chat.completions.with_raw_response.create(model="m", messages=said)
    with client.chat.completions.with_streaming_response.create(model="m", messages=said) as response:
        assert response.parse().choices[0].message.content == ANSWER
    with client.chat.completions.stream(model="m", messages=said) as stream:
        assert "chunk" in {event.type for event in stream}
    assert all(MOVED in json.dumps(request.body) for request in llm.requests)
    assert [one["role"] for one in told.messages()] == ["user", "assistant"] * 4


def test_a_memory_on_a_server(memory: Recollect, told: Space, llm: ScriptedLlm) -> None:
    """The space may be one of a server; a server that is gone is no reason for a call to fail."""
    with serving(memory) as url, connect(url) as server:
        space = server.space("ana", session="second")
        client = recollect.wrap(made(OpenAI, llm), space)
        chat(client)
        assert [one["role"] for one in space.messages()] == ["user", "assistant"]
    heard: list[Exception] = []
    with connect("http://127.0.0.1:9") as nobody:
        gone = recollect.wrap(made(OpenAI, llm), nobody.space("ana"), told=heard.append)
        assert ANSWER in chat(gone).model_dump_json()
    assert [type(one).__name__ for one in heard] == ["Unavailable"]


def test_what_cannot_be_wrapped(told: Space, llm: ScriptedLlm) -> None:
    """Anything else is refused with what to pass."""
    with pytest.raises(InvalidInput, match="pass a client of openai or anthropic"):
        recollect.wrap(object(), told)
    with pytest.raises(InvalidInput, match="pass a space"):
        recollect.wrap(made(OpenAI, llm), "ana")
    with pytest.raises(InvalidInput, match="unknown place"):
        recollect.wrap(made(OpenAI, llm), told, place="middle")


def test_one_owner_never_sees_another(memory: Recollect, told: Space, llm: ScriptedLlm) -> None:
    """A client wrapped for one person has nothing of another's, whatever session a call names."""
    client = recollect.wrap(made(OpenAI, llm), memory.space("bob", session="second"))
    chat(client, extra_headers={"Recollect-Session": "first"})
    assert "Miso" not in json.dumps(llm.requests[0].body)
    assert told.messages() == []
