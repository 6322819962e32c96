"""The use cases and flows of seeds 000, 001 and 004, as conversations with scripted models over real HTTP."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable

from recollect import Recollect
from recollect.agent.commands import Commands
from recollect.agent.companion import RecollectAgent
from recollect.agent.events import Compacted, Event, Recalled, Status
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, Script, ScriptedLlm
from tests.agent.acting import call, run, seen, turn


def distils(*facts: tuple[str, str, str, int]) -> Script:
    """Give a model that finds these facts in what is said: content, quote, topic and importance of each."""

    def answer(asked: Asked) -> Saying:
        if "facts" not in str(asked.body.get("response_format", "")) + str(asked.body.get("tools", "")):
            return {"verdicts": []}
        lines = dict(re.findall(r"^\[(\d+)\] (.*)", asked.user, re.MULTILINE))
        found = [
            {"content": content, "quote": quote, "turn": int(number), "topic": topic, "importance": importance}
            for content, quote, topic, importance in facts
            for number, line in lines.items()
            if quote in line
        ]
        return {"facts": found, "summary": "Ana and the assistant worked on the memory system and finished it."}

    return answer


def resetting(agent: RecollectAgent, fresh: str) -> tuple[list[str], RecollectAgent]:
    """Say !reset; give the status lines and the agent of the new conversation."""
    said: list[str] = []

    def told(event: Event) -> None:
        if isinstance(event, Status):
            said.append(event.text)

    chat = Commands(agent, lambda: fresh, told)
    run(lambda: chat.run("!reset"), agent)
    return said, chat.agent


def asking(llm: ScriptedLlm, command: str, agent: RecollectAgent) -> str:
    """Say a command; give what it answers."""
    said: list[str] = []

    def told(event: Event) -> None:
        if isinstance(event, Status):
            said.append(event.text)

    run(lambda: Commands(agent, lambda: "new", told).run(command), agent)
    return "\n".join(said)


def test_000_use_case_1_a_preference_persists(everywhere: Recollect, llm: ScriptedLlm) -> None:
    """What was preferred in one session stands before the first message of the next, without being asked for."""
    agent = RecollectAgent(everywhere.space("ana", session="s3"), profile="samaritan")
    llm.say("Understood.", "Fine.")
    turn(agent, "Always use type hints in code examples.")
    turn(agent, "Thanks, that is all.")
    llm._script = distils(
        ("Ana prefers type hints in code examples.", "Always use type hints in code examples.", "code", 7)
    )
    said, later = resetting(agent, "s4")
    assert said[0] == "[memory] Summarizing session to memory..."
    assert said[1].startswith("[memory] Summarized 4 messages → 2 memories saved")  # her words, and the claim
    llm.say("def f(x: int) -> int: ...")
    shown: list[str] = []
    turn(later, "Write me a function.", lambda event: shown.extend(_recalled(event)))
    roles = seen(llm.requests[-1])
    assert [role for role, _ in roles][-2:] == ["system", "user"]
    assert "## Active Memory" in roles[-2][1]
    assert "type hints in code examples" in roles[-2][1]
    assert roles[-1] == ("user", "Write me a function.")
    assert any("type hints" in text for text in shown)


def _recalled(event: Event) -> list[str]:
    return [event.context.volatile] if isinstance(event, Recalled) else []


def test_000_use_case_2_a_project_goes_on(everywhere: Recollect, llm: ScriptedLlm, clock: FixedClock) -> None:
    """Days after a long session its decisions and its summary stand before the question where it was left off."""
    agent = RecollectAgent(everywhere.space("ana", session="s7"))
    for said in ("Grok loops on tool calls.", "The loop is fixed by fingerprint detection in agents.py."):
        turn(agent, said)
    llm._script = distils(
        (
            "The tool-call loop was fixed by fingerprint detection in agents.py.",
            "The loop is fixed by fingerprint detection in agents.py.",
            "technical-decisions",
            7,
        )
    )
    _, later = resetting(agent, "s8")
    clock.advance(days=5)
    llm.say("We finished the memory system, and fixed the loop by fingerprint detection.")
    turn(later, "Where did we leave off?")
    before = seen(llm.requests[-1])[-2][1]
    assert "worked on the memory system and finished it" in before
    assert seen(llm.requests[-1])[-1] == ("user", "Where did we leave off?")


def test_000_use_case_3_an_important_fact_is_saved_by_delegation(
    everywhere: Recollect, llm: ScriptedLlm, clock: FixedClock
) -> None:
    """What is asked to be remembered is handed on, really saved, and stands in sessions weeks later."""
    agent = RecollectAgent(everywhere.space("ana", session="s1"), profile="samaritan")
    fact = "The production API rotates keys every 90 days, next rotation April 15."
    llm.say(
        call("llm_call", model="execution", prompt=f"save memory: topic=security, content={fact}, importance=9"),
        call("memory_save", topic="security", content=fact, importance=9),
        "Memory saved.",
        "Confirmed: memory saved (imp=9). It will appear in every future session.",
    )
    done = turn(agent, f"Remember this: {fact}")
    assert done.flags == ()
    assert [asked.model for asked in llm.requests] == ["grok", "mini", "mini", "grok"]
    assert [(one.content, one.importance) for one in everywhere.space("ana").list(topic="security")] == [(fact, 9)]
    clock.advance(days=30)
    everywhere.run_jobs(["age"])
    llm.say("On April 15.")
    turn(RecollectAgent(everywhere.space("ana", session="s2"), profile="samaritan"), "When is the next rotation?")
    assert f"[imp=9] {fact}" in seen(llm.requests[-1])[-2][1]


def test_000_use_case_4_what_was_aged_is_recalled(everywhere: Recollect, llm: ScriptedLlm, clock: FixedClock) -> None:
    """A decision that has left short-term memory is recalled by delegation from the long tier."""
    fact = "Hermes-3 was rejected: it cannot chain tool calls; Qwen2.5-7B is used instead."
    everywhere.space("ana").remember(fact, topic="hermes", importance=4)
    clock.advance(days=21)
    everywhere.space("ana").age(48)
    agent = RecollectAgent(everywhere.space("ana", session="s9"), profile="samaritan")
    llm.say(
        call("llm_call", model="execution", prompt="recall memories about: Hermes tier=long"),
        call("memory_recall", topic="Hermes", tier="long"),
        fact,
        "Hermes was rejected, Qwen2.5-7B is used instead.",
    )
    done = turn(agent, "What was the decision about the Hermes model?")
    assert fact not in str([seen(asked) for asked in llm.requests[:1]])
    assert "## long-term memory (1 rows)" in seen(llm.requests[2])[-1][1]
    assert done.text == "Hermes was rejected, Qwen2.5-7B is used instead."


def test_000_use_case_5_and_6_short_term_is_kept_lean_and_looked_at(
    everywhere: Recollect, llm: ScriptedLlm, clock: FixedClock
) -> None:
    """Rows are counted by a query, aged on request, counted again; the weightiest are listed."""
    ana = everywhere.space("ana")
    for number in range(6):
        ana.remember(f"The build number {number} of the parser has passed.", topic="builds", importance=4)
    clock.advance(hours=30)
    for number in range(3):
        ana.remember(f"Meeting {number} with the northern office is on a Monday.", topic="calendar", importance=6)
    agent = RecollectAgent(everywhere.space("ana", session="s1"))
    count = "!db_query SELECT COUNT(*) FROM samaritan_memory_shortterm"
    assert asking(llm, count, agent).splitlines()[1] == "9"
    llm.say(
        call("llm_call", model="execution", prompt="memory_age(older_than_hours=24, max_rows=200)", mode="tool",
             tool="memory_age"),
        call("memory_age", older_than_hours=24, max_rows=200),
        "Aged 6 memories.",
        "Aged 6 memories from short-term to long-term.",
    )  # fmt: skip
    turn(agent, "Age memories older than 24 hours.")
    assert asking(llm, count, agent).splitlines()[1] == "3"
    listed = asking(
        llm,
        "!db_query SELECT topic, content, importance FROM samaritan_memory_shortterm ORDER BY importance DESC LIMIT 1",
        agent,
    )
    assert listed.splitlines()[1].startswith("calendar | Meeting")


def test_001_the_flows_of_the_extensions(everywhere: Recollect, llm: ScriptedLlm, clock: FixedClock) -> None:
    """Messages become episodes, a new session has the old one consolidated, and its facts are injected; the current
    session's are not; the orchestrator's tools answer."""
    first = RecollectAgent(everywhere.space("ana", session="a"), profile="extensions", toolsets=())
    llm.say("Noted.", "Good to know.")
    turn(first, "I prefer Python for scripting.")
    turn(first, "My project is called Apollo.")
    everywhere.run_jobs()
    told = everywhere.space("ana").list(kinds=["episode"], order="oldest")
    assert [one.role for one in told] == ["user", "assistant", "user", "assistant"]
    llm._script = distils(("Ana prefers Python for scripting.", "I prefer Python for scripting.", "code", 6))
    clock.advance(minutes=1)
    second = RecollectAgent(everywhere.space("ana", session="b"), profile="extensions")
    llm.say("Hello again.")
    turn(second, "Hello.")
    everywhere.run_jobs()  # the first session was made due by the second
    assert everywhere.space("ana", session="a").is_session_consolidated()
    llm.say("Python.")
    turn(second, "Which language do I prefer for scripting?")
    injected = seen(llm.requests[-1])[-2][1]
    assert injected.startswith("## Relevant memory")
    assert "Ana prefers Python for scripting." in injected


def test_001_the_orchestrators_tools(opening: Callable[..., Recollect], llm: ScriptedLlm) -> None:
    """An agent with the orchestrator's profile remembers, corrects, confirms and finds by its own tools."""
    everywhere = opening(tools=["orchestrator"])
    agent = RecollectAgent(everywhere.space("ana", session="a"))
    llm.say(call("remember_fact", content="Ana lives in Lisbon."), "Remembered.")
    turn(agent, "I live in Lisbon.")
    (fact,) = everywhere.space("ana").list(kinds=["fact"])
    llm.say(call("correct_fact", memory_id=fact.id, new_content="Ana lives in Porto."), "Corrected.")
    turn(agent, "No, in Porto.")
    llm.say(call("search_memory", query="Where does Ana live?"), "In Porto.")
    done = turn(agent, "Where do I live?")
    assert done.calls == ("search_memory",)
    assert "Ana lives in Porto." in seen(llm.requests[-1])[-1][1]
    assert [one.content for one in everywhere.space("ana").list(kinds=["fact"])] == ["Ana lives in Porto."]


def blocks(asked: Asked) -> str:
    """Give the core blocks of a request."""
    return asked.system.partition("<memory_blocks>")[2].partition("</memory_blocks>")[0]


def test_004_the_flows_of_sage(opening: Callable[..., Recollect], llm: ScriptedLlm) -> None:
    """Blocks stand in the system prompt, change only with their text, and are edited by tools; the archive and the
    conversation are searched by tools (row 004.35)."""
    everywhere = opening(tools=["letta"])
    space = everywhere.space("ana", session="a")
    space.blocks.rethink("persona", "I am Sage, a helpful assistant.")
    space.blocks.rethink("human", "Name: Alice")
    agent = RecollectAgent(space, profile="letta")
    llm.say("Hello Alice.")
    turn(agent, "Hello.")
    begun = llm.requests[-1].system
    assert begun.index("<memory_blocks>") < begun.index("<memory_metadata>")
    assert "I am Sage, a helpful assistant." in begun
    assert "<memory_metadata>" in seen(llm.requests[-1])[-2][1]
    llm.say(call("memory_append", block="human", content="Prefers concise responses."), "I will be brief.")
    turn(agent, "Please be concise.")
    assert blocks(llm.requests[-1]) == blocks(llm.requests[0])  # within a turn the prompt stays as it is
    llm.say(call("archival_insert", content="Alice's boat is called Aurora.", tags="boat"), "Kept.")
    turn(agent, "My boat is called Aurora.")
    assert "Prefers concise responses." in blocks(llm.requests[-1])
    llm.say(call("archival_search", query="boat"), call("conversation_search", query="concise"), "Aurora.")
    done = turn(agent, "What is my boat called?")
    assert done.calls == ("archival_search", "conversation_search")
    results = [text for role, text in seen(llm.requests[-1]) if role == "tool"][-2:]
    assert "Alice's boat is called Aurora." in results[0]
    assert "Please be concise." in results[1]


def test_004_a_full_window_is_compacted(opening: Callable[..., Recollect], llm: ScriptedLlm) -> None:
    """Past the mark the old part of a conversation becomes a summary at the head of the window; nothing is lost."""
    everywhere = opening(max_context=3600)
    agent = RecollectAgent(everywhere.space("ana", session="a"))

    def answer(asked: Asked) -> Saying:
        if asked.model == "grok" and not asked.body.get("response_format"):
            return "A long answer about trains. " * 12
        wanted = str(asked.body)
        if "overview" in wanted:
            return {"overview": "Ana plans a journey.", "state": "Trains were compared.", "next": "Book."}
        return {"facts": [], "summary": "A journey is planned."}

    llm._script = answer
    events: list[Event] = []
    for number in range(8):
        turn(agent, f"Tell me about train {number}. " + "It leaves early. " * 10, events.append)
    compacted = [event.what for event in events if isinstance(event, Compacted) and event.what.summary]
    assert compacted
    assert compacted[0].after < compacted[0].before
    last = next(one for one in reversed(llm.requests) if one.streamed)
    assert "## Conversation Summary (auto-compacted)" in str(seen(last))
    assert len(everywhere.space("ana").list(kinds=["episode"], limit=100)) == 16


def test_a_compaction_delays_no_answer(opening: Callable[..., Recollect], llm: ScriptedLlm) -> None:
    """While the summary is being made the next message is answered; what was said meanwhile stays in the window."""
    rc = opening(max_context=8000)
    agent = RecollectAgent(rc.space("ana", session="a"))
    asked, go_on = threading.Event(), threading.Event()

    def answer(request: Asked) -> Saying:
        if request.streamed:
            return "A long answer about trains. " * 12
        asked.set()
        assert go_on.wait(60)
        if "overview" in str(request.body):
            return {"overview": "Ana plans a journey.", "state": "Trains were compared.", "next": "Book."}
        return {"facts": [], "summary": "A journey is planned."}

    llm._script = answer

    async def talk() -> int:
        number = 0
        while not asked.is_set():
            number += 1
            await agent.turn(f"Tell me about train {number}. " + "It leaves early. " * 10)
            await asyncio.sleep(0.05)
        await agent.turn("Which one is the cheapest?")  # the compaction still waits for its model
        assert not go_on.is_set()
        go_on.set()
        await agent.close()
        for more in range(40):
            if "auto-compacted" in str(agent.space.messages()):
                return number + more + 1
            await agent.turn(f"And bus {more}? " + "It leaves late. " * 10)
            await agent.close()
        return 0

    turns = run(talk, agent)
    assert turns
    window = str(agent.space.messages())
    assert "Ana plans a journey." in window
    assert len(rc.space("ana").list(kinds=["episode"], limit=500)) == 2 * turns
