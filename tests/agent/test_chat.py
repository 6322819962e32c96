"""`recollect chat` and its commands: piped, for programs, and in a real terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, Recollect, StoreError
from recollect.agent.commands import Commands
from recollect.agent.companion import SUMMARIZING, RecollectAgent
from recollect.agent.events import Event, Status
from recollect.agent.querying import MOST_ROWS, query
from recollect.front.space import Space
from recollect.providers.llm.target import Address, Target
from recollect.rules.learn.topics import alike
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Said, Saying, ScriptedLlm
from tests.agent.acting import call, remembering, run, seen, turn
from tests.engines import fresh

LONGEST_WAIT = 25.0
PROGRAM = [sys.executable, "-c", "from recollect.serve.cli import main; main()"]


def chat(folder: Path, *arguments: str, said: str = "", url: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command with lines on its standard input."""
    command = [*PROGRAM, "chat", "--db", str(folder / "chat.db"), "--no-worker", *arguments]
    return subprocess.run(command, input=said, capture_output=True, text=True, env=_env(url), cwd=folder, timeout=120)


def _env(url: str) -> dict[str, str]:
    own = {"RECOLLECT_EMBEDDER": "none", "PYTHONPATH": str(Path(__file__).parents[2])}
    model = {"RECOLLECT_LLM": "openai:grok", "RECOLLECT_MODELS__BASE_URL": url} if url else {}
    return {**os.environ, **own, **model}


def said_by(agent: RecollectAgent, *lines: str) -> tuple[list[str], RecollectAgent]:
    """Say commands; give the lines they answer with, and the agent afterwards."""
    told: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, Status):
            told.append(event.text)

    commands = Commands(agent, lambda: "new", hear)

    async def all_of_them() -> None:
        for line in lines:
            await commands.run(line)

    run(all_of_them, agent, commands.agent)
    return told, commands.agent


@pytest.fixture
def agent(here: Recollect) -> RecollectAgent:
    """Give an agent of the role reasoning."""
    return RecollectAgent(here.space("ana", session="s"))


# !reset


def test_000_28_38_and_44_a_reset_sums_up_and_clears(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """With four messages a status line stands before and after, then all are out of sight, and none is lost."""
    turn(agent, "I have a cat called Miau.")
    turn(agent, "She is eight years old.")
    llm.say({"facts": [], "summary": "Ana told of her cat."})
    told, later = said_by(agent, "!reset")
    assert told[0] == SUMMARIZING == "[memory] Summarizing session to memory..."
    assert told[1].startswith("[memory] Summarized 4 messages → ")
    assert told[2] == "Conversation history cleared: 4 messages removed."
    assert agent.space.messages() == []
    assert later.space._scope.session == "new"
    assert len(agent.space.list(kinds=["episode"])) == 4
    assert [one.content for one in agent.space.list(kinds=["summary"])] == ["Ana told of her cat."]


def test_000_28_three_messages_are_cleared_without_a_summary(agent: RecollectAgent) -> None:
    """A short conversation is cleared, and nobody is asked to sum it up."""
    for role, text in (("user", "One."), ("assistant", "Two."), ("user", "Three.")):
        agent.space.messages.append(role, text)
    told, _ = said_by(agent, "!reset")
    assert told == ["Conversation history cleared: 3 messages removed."]
    assert said_by(agent, "!reset")[0] == ["Conversation history cleared: 0 messages removed."]


def test_000_44_a_reset_always_clears(agent: RecollectAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where summing up fails, that is said, and the conversation is cleared all the same."""
    for number in range(4):
        agent.space.messages.append("user" if number % 2 == 0 else "assistant", f"Message {number}.")

    def fails(self: Space, request_id: str = "") -> Any:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Space, "end", fails)
    told, _ = said_by(agent, "!reset")
    assert told[1] == "[memory] The session could not be summarized: the disk is full. What was said is kept."
    assert told[2] == "Conversation history cleared: 4 messages removed."
    assert agent.space.messages() == []


# !memstats, !memreview, !db_query, !heartbeat


def test_000_80_memstats_tells_how_much_there_is(agent: RecollectAgent) -> None:
    """Kinds, tiers, importance, topics, vectors and what waits are told."""
    agent.space.remember("Ana likes fado.", topic="music", importance=9)
    agent.space.remember("Ana plays the cello.", topic="music", importance=5)
    (told,), _ = said_by(agent, "!memstats")
    for line in ("2 memories in 0 sessions", "tiers: 2 short", "kinds: 2 fact", "4–7: 1, 8–10: 1",
                 "topics: 1, the largest music (2)", "meaning: no embedder is set", "waiting: 0"):  # fmt: skip
        assert line in told


def test_000_80_memreview_proposes_and_a_person_decides(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """A model proposes merges of topics; nothing changes until a person says which; strangers' topics are left out."""
    for topic, text in (("pets", "Ana has a cat."), ("pet", "The cat is eight."), ("work", "Ana bakes bread.")):
        agent.space.remember(text, topic=topic)
    llm.say({"merges": [{"into": "pets", "topics": ["pet", "no-such-topic"]}, {"into": "x", "topics": ["y"]}]})
    told, _ = said_by(agent, "!memreview")
    assert told[0].startswith("1. pet → pets\nNothing is changed yet")
    assert {one.topic for one in agent.space.list()} == {"pets", "pet", "work"}
    llm.say({"merges": [{"into": "pets", "topics": ["pet"]}]})
    told, _ = said_by(agent, "!memreview", "!memreview 7", "!memreview 1", "!memreview 1")
    assert told[1] == "error: look first with !memreview, then say which numbers, or all"
    assert told[2] == "pet → pets: 1 memories changed"
    assert told[3].startswith("error: look first")
    assert {one.topic for one in agent.space.list()} == {"pets", "work"}


def test_000_80_without_a_model_topics_are_compared_as_written(tmp_path: Path) -> None:
    """Nearly the same words, in any order, are proposed; others are not."""
    counts = {"user-preferences": 5, "user preference": 2, "Preferences user": 1, "security": 3, "music": 1}
    (merge,) = alike(counts)
    assert (merge.into, set(merge.topics)) == ("user-preferences", {"user preference", "Preferences user"})
    with Recollect(tmp_path / "m.db") as rc:
        space = rc.space("ana", session="s")
        space.remember("Ana likes tea.", topic="preferences")
        space.remember("Ana likes long walks.", topic="preference")
        told, _ = said_by(RecollectAgent(space), "!memreview", "!memreview all")
        assert "→" in told[0]
        assert told[1].endswith("1 memories changed")


def test_a_query_reads_one_owner_and_changes_nothing(rc: Recollect) -> None:
    """On every engine a query sees its owner's rows alone; whatever is no single SELECT is refused."""
    ana, ben = rc.space("ana", session="s"), rc.space("ben")
    ana.remember("Ana likes fado.", topic="music", importance=7)
    ana.observe("user", "I like fado.")
    ben.remember("Ben's code is 4711.", topic="secret")
    assert query(ana, "SELECT topic, importance FROM samaritan_memory_shortterm").rows == (("music", 7),)
    assert query(ana, "SELECT count(*) AS many FROM messages").text() == "many\n1\n1 rows"
    assert query(ana, "SELECT id FROM sessions").rows == (("s",),)
    assert "4711" not in str(query(ana, "SELECT * FROM memories").rows)
    before = ana.stats().rev
    for wrong in (
        "DELETE FROM memories", "DROP TABLE memories", "SELECT 1; SELECT 2", "ATTACH 'x.db' AS x",
        "PRAGMA user_version",
        "SELECT * FROM owners", "UPDATE memories SET topic = ''", "VACUUM INTO 'x.db'", "nonsense",
        "SELECT load_extension('x')",
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match="The tables are memories, messages"):
            query(ana, wrong)
    assert ana.stats().rev == before
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(InvalidInput, match="takes too long"):
        query(ana, endless)
    many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 900) SELECT x FROM n"
    assert (len(query(ana, many).rows), query(ana, many).more) == (MOST_ROWS, True)


def test_a_heartbeat_costs_nothing_while_all_is_well(agent: RecollectAgent, llm: ScriptedLlm, tmp_path: Path) -> None:
    """Nobody is asked while HEARTBEAT.md lists nothing; what it lists is looked after outside the conversation."""
    assert said_by(agent, "!heartbeat")[0] == ["All is well."]
    assert llm.requests == []
    folder = tmp_path / "workspace"
    agent.space.workspace.init(folder)
    assert said_by(agent, "!heartbeat")[0] == ["All is well."]
    assert llm.requests == []
    with (folder / "HEARTBEAT.md").open("a") as file:
        file.write("\n- Tell me when the invoices are due.\n")
    agent.space.workspace.sync(folder)
    llm.say("HEARTBEAT_OK")
    assert said_by(agent, "!heartbeat")[0] == ["All is well."]
    assert "Tell me when the invoices are due." in llm.requests[-1].user
    llm.say("The invoices are due today.")
    assert said_by(agent, "!heartbeat")[0] == ["The invoices are due today."]
    assert agent.space.messages() == []
    assert "Heartbeat: The invoices are due today." in agent.space.workspace.days(1)


def test_an_unknown_command_is_told(agent: RecollectAgent) -> None:
    """What is no command says where those there are are listed; help lists them."""
    told, _ = said_by(agent, "!nonsense", "!db_query", "!help")
    assert told[0] == "error: there is no command !nonsense: !help lists those there are"
    assert told[1].startswith("error: say which query")
    assert "!reset" in told[2]


# The command


def test_without_a_key_it_answers_from_memory_and_says_so(tmp_path: Path) -> None:
    """Without a model what was said is kept, and what is about a question is given with the reason."""
    done = chat(tmp_path, said="My cat is called Miau.\nWhat is my cat called?\n")
    assert done.returncode == 0
    assert "No model has answered (no model is set). From memory alone:\n- My cat is called Miau." in done.stdout
    one = chat(tmp_path, "What is my cat called?", "--json")
    told = json.loads(one.stdout)
    assert told["problem"] == "no model is set"
    assert "Miau" in told["text"]
    for blank in ("", "   "):
        refused = chat(tmp_path, blank)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "the message is empty: say something, or leave it out for a conversation" in refused.stderr


def test_a_program_gets_one_line_a_turn(tmp_path: Path, llm: ScriptedLlm) -> None:
    """With --json each turn is an object: the answer, what was recalled, which tools were called, the session."""
    llm.say(call("memory_save", topic="pets", content="The cat is called Miau.", importance=8), "Saved.")
    first = chat(
        tmp_path, "--json", "--session", "s1", said="My cat is called Miau.\n!db_query SELECT 1\n", url=llm.url
    )
    lines = [json.loads(line) for line in first.stdout.splitlines()]
    assert lines[0]["text"] == "Saved."
    assert (lines[0]["calls"], lines[0]["session"]) == (["memory_save"], "s1")
    assert lines[1] == {"status": "1\n1\n1 rows"}
    second = chat(tmp_path, "What is my cat called?", "--json", url=llm.url)
    told = json.loads(second.stdout)
    assert "The cat is called Miau." in [one["content"] for one in told["recalled"]]
    assert told["session"].startswith("chat-")


def test_a_wrong_form_is_told(tmp_path: Path) -> None:
    """An unknown profile is an error that names those there are."""
    done = chat(tmp_path, "Hello.", "--profile", "nonsense")
    assert done.returncode == 2
    assert "there are default, letta" in done.stderr


class Screen:
    """A terminal of its own, with the command in it."""

    def __init__(self, folder: Path, url: str, *arguments: str) -> None:
        self._mine, theirs = pty.openpty()
        command = [*PROGRAM, "chat", "--db", str(folder / "chat.db"), *arguments]
        environment = {**_env(url), "TERM": "xterm", "COLUMNS": "110", "LINES": "40"}
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=folder, start_new_session=True
        )
        os.close(theirs)
        self.text = ""

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._mine, keys.encode())

    def wait(self, text: str) -> str:
        """Read until something stands on the screen; give all that came since the last time."""
        while text not in self.text:
            ready, _, _ = select.select([self._mine], [], [], LONGEST_WAIT)
            assert ready, f"{text!r} never came: {self.text!r}"
            try:
                self.text += os.read(self._mine, 4096).decode("utf-8", "replace")
            except OSError:  # the other side has closed
                break
        assert text in self.text, self.text
        seen_, _, self.text = self.text.partition(text)
        return seen_ + text

    def close(self) -> int:
        """Wait for the end."""
        code = self.process.wait(60)
        os.close(self._mine)
        return code


def test_a_new_user_in_a_real_terminal(tmp_path: Path, llm: ScriptedLlm) -> None:
    """Talk, see what is recalled and called, reset with both status lines, ask again, interrupt, leave, go on."""

    def answer(asked: Asked) -> Saying:
        last = asked.body["messages"][-1]
        if asked.body.get("response_format"):
            return {"facts": [], "summary": "The user told when keys rotate."}
        if "Remember" in str(last["content"]) and last["role"] == "user":
            return call("memory_save", topic="security", content="The keys rotate in April.", importance=9)
        if "slowly" in str(last["content"]):
            return Said("A very long answer indeed. " * 200, trickle=0.02)
        return "In April." if "rotate in April" in asked.system else "Saved it."

    llm._script = answer
    screen = Screen(tmp_path, llm.url)
    assert "Talking with openai:grok." in screen.wait("you> ")
    screen.type("Remember this: the keys rotate in April.\n")
    shown = screen.wait("Saved it.")
    assert "calls memory_save" in shown
    assert "pydantic" not in shown.casefold()
    screen.wait("you> ")
    screen.type("Hello again.\n")
    screen.wait("you> ")
    screen.type("!reset\n")
    shown = screen.wait("messages removed.")
    assert shown.index("[memory] Summarizing session to memory...") < shown.index("[memory] Summarized")
    screen.wait("you> ")
    screen.type("When do the keys rotate?\n")
    shown = screen.wait("In April.\r\n")
    assert "┊ recalled:" in shown
    assert "The keys rotate in April." in shown
    screen.wait("you> ")
    screen.type("\x1b[A\x1b[A")  # what was said before comes back by the arrow
    screen.wait("!reset")
    screen.type("\x15Tell me slowly.\n")
    screen.wait("A very")
    screen.process.send_signal(signal.SIGINT)  # what Ctrl-C does
    screen.wait("interrupted: what was said until here is kept")
    screen.wait("you> ")
    screen.type("\x04")
    session = screen.wait("--session chat-") and screen.wait("\r\n").strip()
    assert screen.close() == 0
    llm._script = lambda asked: "I was interrupted."
    again = Screen(tmp_path, llm.url, "--continue")
    assert "I was interrupted." in again.wait("I was interrupted.")
    again.wait("you> ")
    again.type("!quit\n")
    again.wait("This conversation is kept.")
    assert session in again.wait("\r\n")
    assert again.close() == 0


def test_a_turn_that_fails_is_answered_from_memory(
    tmp_path: Path, clock: FixedClock, llm: ScriptedLlm, forgetful: None
) -> None:
    """A model that fails, or a budget that is spent, is named, and memory answers; nothing of the key is shown."""
    with remembering(fresh("sqlite", tmp_path), llm, clock) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        agent.space.remember("The cat is called Miau.", topic="pets")
        llm.say(Said(status=500))
        done = turn(agent, "What is the cat called?")
        assert done.problem == "openai:grok failed (status 500)"
        assert "- The cat is called Miau." in done.text
        llm.say("Miau.")
        assert turn(agent, "What is the cat called?").text == "Miau."
    with remembering(fresh("sqlite", tmp_path), llm, clock, budget={"tokens_per_day": 10}) as rc:
        asked = len(llm.requests)
        done = turn(RecollectAgent(rc.space("ana", session="s")), "Hello.")
        assert "budget" in done.problem
        assert len(llm.requests) == asked


@pytest.mark.parametrize(("first", "second", "paid"), [("ollama", "openai", True), ("openai", "ollama", False)])
def test_the_model_that_answered_is_paid(
    here: Recollect, llm: ScriptedLlm, first: str, second: str, *, paid: bool
) -> None:
    """Where the first model does not answer, the price is that of the one behind it: paid, or one's own machine's."""
    agent = RecollectAgent(here.space("ana", session="s"))
    nobody = Target("gpt-4o-mini", Address(first, "http://127.0.0.1:9/v1", "k"))
    somebody = Target("gpt-4o-mini", Address(second, llm.url, "k"))
    agent.role = replace(agent.role, targets=(nobody, somebody))
    assert turn(agent, "Hello.").text == "All right."
    (spent,) = [one.usage for one in here.space("ana").cost() if one.job == "agent"]
    assert (spent.calls, spent.money > 0, spent.unpriced) == (1, paid, 0)


def test_what_a_turn_costs_stands_in_the_ledger(here: Recollect, llm: ScriptedLlm) -> None:
    """Each role's requests are counted for the owner, by session."""
    agent = RecollectAgent(here.space("ana", session="s"))
    llm.say(call("llm_call", model="execution", prompt="Hello."), "Hello.", "It said hello.")
    turn(agent, "Ask the other.")
    spent = {(one.role, one.job, one.session): one.usage.calls for one in here.space("ana").cost()}
    assert spent == {("execution", "agent", "s"): 1, ("reasoning", "agent", "s"): 2}
    assert seen(llm.requests[0])[-1] == ("user", "Ask the other.")
