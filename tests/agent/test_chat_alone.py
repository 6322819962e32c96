"""`recollect chat` without a model: it needs no library of models, keeps what is said, and answers from memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from recollect import Recollect
from recollect.model.change import Connect, Write
from recollect.model.memory import OUTDATED

PROGRAM = [sys.executable, "-c", "from recollect.serve.cli import main; main()"]
MISSING = """
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name.partition(".")[0] in ("pydantic_ai", "httpx2", "openai", "anthropic")
        return None if hidden else super().find_spec(name, path, target)

sys.meta_path[:] = [Without if one is PathFinder else one for one in sys.meta_path]
"""


def chat(folder: Path, *arguments: str, said: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command as the core install has it, with lines on its standard input."""
    (folder / "sitecustomize.py").write_text(MISSING)
    path = f"{folder}{os.pathsep}{Path(__file__).parents[2]}"
    env = {**os.environ, "PYTHONPATH": path, **env}
    command = [*PROGRAM, "chat", "--db", str(folder / "chat.db"), "--no-worker", *arguments]
    return subprocess.run(command, input=said, capture_output=True, text=True, env=env, cwd=folder, timeout=120)


def test_it_runs_on_the_core_install(tmp_path: Path) -> None:
    """Without a model talking and every command work; with one it says what to install."""
    done = chat(tmp_path, said="I live in Lisbon.\n!memstats\n!reset\n!heartbeat\n")
    assert done.returncode == 0, done.stderr
    assert "1 messages removed" in done.stdout
    asked = chat(tmp_path, "Hello", RECOLLECT_LLM="openai:gpt-5-mini", OPENAI_API_KEY="k")
    assert asked.returncode != 0
    assert "pip install 'recollect[llm]'" in asked.stderr
    assert "Traceback" not in asked.stderr


def test_what_was_kept_is_said(tmp_path: Path) -> None:
    """Each message is shown as it was kept, and at the end how facts come of it; JSON stays an object a line."""
    said = "I live in Lisbon. My password is hunter2xyz\n"
    done = chat(tmp_path, "--session", "s1", "--user", "ana", said=said)
    assert "kept: I live in Lisbon. My password is [redacted: password]" in done.stdout
    assert f"or now: recollect end --session s1 --db {tmp_path / 'chat.db'} --user ana" in done.stderr
    assert "recollect end" not in chat(tmp_path).stderr
    told = chat(tmp_path, "I live in Porto.", "--json")
    assert json.loads(told.stdout)["problem"] == "no model is set"
    assert told.stderr == ""


def test_nobody_gets_his_own_questions_back(tmp_path: Path) -> None:
    """A question asked before is no memory on it, with or without its mark; what was told beside one is."""
    told = "My dog is called Bruno. Do you like dogs?"
    said = f"{told}\nWhat is my dog called?\nwhat is my dog called\nWhat is my dog named?\n"
    done = chat(tmp_path, said=said, RECOLLECT_EMBEDDER="recollect-1")
    answers = [line for line in done.stdout.splitlines() if line.startswith("- ")]
    assert len(answers) == 3
    assert all(line.startswith(f"- {told}") for line in answers)


def test_what_may_be_outdated_is_marked(tmp_path: Path) -> None:
    """An answer from memory alone says of what a newer memory may have taken the place of."""
    with Recollect(f"{tmp_path}/chat.db") as memory:
        me = memory.space("me")
        older, newer = (me.remember(f"My bike is {colour}.").id for colour in ("red", "blue"))
        doubted = (Connect(older, newer, OUTDATED, 1.0),)
        memory._runtime.store.commit(Write(owner=me.owner, at=memory._runtime.now(), node="test", changes=doubted))
    done = chat(tmp_path, "Which colour is my bike?")
    answers = {line.partition(" (")[0]: line for line in done.stdout.splitlines() if line.startswith("- ")}
    assert answers["- My bike is red."].endswith(", maybe outdated)")
    assert "outdated" not in answers["- My bike is blue."]


def test_what_is_asked_of_memory_is_done_before_the_next_answer(tmp_path: Path) -> None:
    """A request to forget, or to remember, is carried out and told at once, whatever else waits."""
    said = "I take insulin at 8pm.\nPlease forget that.\nWhat do I take at 8pm?\nRemember that Emil plays the violin.\n"
    done = chat(tmp_path, said=said)
    assert "1 message(s) put out of sight" in done.stdout
    assert "- I take insulin" not in done.stdout
    assert "1 memories saved" in done.stdout
    with Recollect(f"{tmp_path}/chat.db") as memory:
        assert [one.content for one in memory.space("me").list(kinds=["fact"])] == ["Emil plays the violin."]


def test_what_waits_for_its_vector_is_told(tmp_path: Path) -> None:
    """Right after an import nothing is found by meaning: chat says how many wait and what to do, as recall does."""
    with Recollect(f"{tmp_path}/chat.db", embedder="recollect-1") as memory:
        memory.space("me").observe("user", "I sold the boat.")
    done = chat(tmp_path, "Zebra quagga?", RECOLLECT_EMBEDDER="recollect-1")
    assert "Nothing is found on this yet. 1 memory waits for its vector" in done.stdout
    assert "recollect jobs run embed" in done.stdout
    assert "Memory has nothing on this." in chat(tmp_path, "Zebra quagga?", RECOLLECT_EMBEDDER="none").stdout


def test_a_command_without_its_sign_gets_a_hint(tmp_path: Path) -> None:
    """Who types exit, quit or another command's name is told the command, and the word is not kept as a message."""
    done = chat(tmp_path, said="exit\n/Quit\nmemstats\nexit the motorway\n!db_query SELECT content FROM messages\n")
    assert done.stdout.count("Was this a command? !quit: leave") == 2
    assert "Was this a command? !memstats" in done.stdout
    assert "exit the motorway\n1 rows" in done.stdout


def test_continuing_nothing_begins_anew_and_says_so(tmp_path: Path) -> None:
    """--continue without an earlier conversation tells it; with one it does not."""
    assert "this begins a new one" in chat(tmp_path, "I row.", "--continue").stderr
    assert "this begins a new one" not in chat(tmp_path, "I sail.", "--continue").stderr


def test_a_query_says_where_messages_are(tmp_path: Path) -> None:
    """While nothing was learnt the table of memories is empty: the answer says what it holds, and where the rest is."""
    done = chat(tmp_path, said="I row.\n!db_query SELECT COUNT(*) FROM memories\n")
    assert "what was said is in messages, 1 rows" in done.stdout
    assert "what was said is in messages" not in chat(tmp_path, said="!db_query SELECT 1 FROM messages\n").stdout
