"""Killed in the middle of a turn and started again, an agent goes on: nothing lost, nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.agent.companion import RecollectAgent
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Said, Saying, ScriptedLlm
from tests.agent.acting import call, remembering, run, seen
from tests.patience import until

PROGRAM = """
import asyncio, sys
from recollect import Recollect
from recollect.agent import RecollectAgent

roles = {"reasoning": {"max_context": int(sys.argv[3])}}
with Recollect(sys.argv[1], llm="openai:grok", models={"base_url": sys.argv[2]}, roles=roles) as rc:
    agent = RecollectAgent(rc.space("ana", session="s"))

    async def one_turn():
        await agent.turn("Remember that keys rotate in April.")
        await agent.close()

    asyncio.run(one_turn())
"""
SAVE = call("memory_save", topic="security", content="Keys rotate in April.", importance=9)


def killed(database: str, llm: ScriptedLlm, requests: int, room: int = 0) -> None:
    """Start a turn in a process of its own and kill it when so many requests have come."""
    environment = {**os.environ, "RECOLLECT_EMBEDDER": "none", "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, database, llm.url, str(room)], env=environment) as process:
        until(lambda: len(llm.requests) >= requests or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("requests", [1, 2])
def test_killed_in_mid_turn_it_goes_on(database: str, llm: ScriptedLlm, clock: FixedClock, requests: int) -> None:
    """Killed while it waits for the first answer, or after a tool was called, the turn is finished; saved once."""
    hanging = True

    def answer(asked: Asked) -> Saying:
        called = any(one["role"] == "tool" for one in asked.body["messages"])
        if hanging and len(llm.requests) + 1 >= requests:
            return Said("Never heard.", hang=8)
        return "It is saved." if called else SAVE

    llm._script = answer
    killed(database, llm, requests)
    hanging = False
    llm.requests.clear()
    with remembering(database, llm, clock) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        done = run(agent.resume, agent)
        assert done is not None
        assert done.text == "It is saved."
        assert [one.content for one in rc.space("ana").list(topic="security")] == ["Keys rotate in April."]
        roles = [one["role"] for one in rc.space("ana", session="s").messages()]
        assert roles == ["user", "assistant", "tool", "assistant"]
        assert run(agent.resume, agent) is None


def test_open_calls_are_carried_out_first(database: str, llm: ScriptedLlm, clock: FixedClock) -> None:
    """Where only the call was kept and its result was not, the call is made again, and a save stays one save."""
    with remembering(database, llm, clock) as rc:
        space = rc.space("ana", session="s")
        space.messages.append("user", "Remember that keys rotate in April.")
        function = {"name": "memory_save", "arguments": SAVE.tool}
        space.messages.append("assistant", "", tool_calls=[{"id": "c1", "type": "function", "function": function}])
        space.remember("Keys rotate in April.", topic="security", importance=9)  # it was made, and not yet told
        agent = RecollectAgent(space)
        llm.say("It is saved.")
        done = run(agent.resume, agent)
        assert done.text == "It is saved."
        assert "Already persisted" in str(seen(llm.requests[0]))
        assert len(space.list(topic="security")) == 1


def test_a_new_message_after_a_broken_turn(database: str, llm: ScriptedLlm, clock: FixedClock) -> None:
    """Who says something else instead is answered; the broken turn stands in the conversation as far as it came."""
    with remembering(database, llm, clock) as rc:
        space = rc.space("ana", session="s")
        space.messages.append("user", "What is the capital of Portugal?")
        agent = RecollectAgent(space)
        llm.say("Lisbon, and Madrid.")

        async def both() -> str:
            return (await agent.turn("And of Spain?")).text

        assert run(both, agent) == "Lisbon, and Madrid."
        said = [text for role, text in seen(llm.requests[0]) if role == "user"]
        assert "What is the capital of Portugal?" in " ".join(said)
        assert said[-1].endswith("And of Spain?")


def test_killed_while_the_window_is_compacted(drilled: str, llm: ScriptedLlm, clock: FixedClock) -> None:
    """The window is as it was, and nothing is lost; where the next message would not fit, it is compacted first."""
    settings = {"roles": {"reasoning": {"max_context": 6000}}}
    hanging = True

    def answer(asked: Asked) -> Saying:
        if asked.streamed:
            return "It leaves at noon."
        if hanging:
            return Said("Never heard.", hang=8)
        if "overview" in str(asked.body):
            return {"overview": "Ana plans a journey.", "state": "Trains were compared.", "next": "Book."}
        return {"facts": [], "summary": "A journey is planned."}

    llm._script = answer
    with remembering(drilled, llm, clock, **settings) as rc:
        space = rc.space("ana", session="s")
        for number in range(30):
            role = "assistant" if number % 2 else "user"
            space.messages.append(role, f"Message {number} is about train {number}. " + "It leaves early. " * 30)
    killed(drilled, llm, 3, 6000)
    hanging = False
    llm.requests.clear()
    with remembering(drilled, llm, clock, **settings) as rc:
        space = rc.space("ana", session="s")
        assert "auto-compacted" not in str(space.messages())
        kept = space.stats().kinds["episode"]
        agent = RecollectAgent(space)
        assert run(lambda: agent.turn("When does it leave?"), agent).text == "It leaves at noon."
        last = next(one for one in llm.requests if one.streamed)
        assert "Ana plans a journey." in str(seen(last))
        assert space.stats().kinds["episode"] == kept + 2
