"""Roles of models, their prompts and tools, and handing tasks on between them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import ConfigError, InvalidInput, Recollect
from recollect.agent.companion import RecollectAgent
from recollect.agent.prompt_tree import BUILT_IN, ROOT, read_tree, role_tree, write_section
from recollect.agent.toolset import TOOLSETS, USUAL, tools_of
from recollect.errors import NotFound
from recollect.prompts import SCHEMAS, load
from recollect.prompts import names as prompts
from recollect.testing import FixedClock
from recollect.testing.llm import Said, ScriptedLlm
from tests.agent.acting import call, offered, remembering, run, seen, turn
from tests.engines import fresh


def opened(folder: Path, llm: ScriptedLlm, clock: FixedClock, **settings: Any) -> Any:
    """Open a memory in a file with settings of the test's own."""
    return remembering(fresh("sqlite", folder), llm, clock, **settings)


# What is set for a role


def test_000_13_each_role_asks_its_own_model(here: Recollect, llm: ScriptedLlm) -> None:
    """Reasoning answers, execution carries out what is handed on, the summarizer sums up."""
    agent = RecollectAgent(here.space("ana", session="s"))
    llm.say(call("llm_call", model="execution", prompt="Say hello."), "Hello.", "It says hello.")
    turn(agent, "Have somebody say hello.")
    assert [one.model for one in llm.requests] == ["grok", "mini", "grok"]
    for number in range(8):
        here.space("ana", session="s").messages.append("user" if number % 2 == 0 else "assistant", f"Message {number}.")
    here.space("ana", session="s").messages.compact(force=True)
    assert "haiku" in {one.model for one in llm.requests[3:]}


def test_000_14_and_15_each_role_chooses_its_words(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """Temperature and top_p are a role's own; what a role leaves open is set for all; `default` sends neither."""
    roles = {
        "reasoning": {"temperature": 0.2, "top_p": 0.7},
        "execution": {"temperature": 0.1, "top_p": 0.5},
        "extractor": {"token_selection": "default", "temperature": 0.9},
    }
    with opened(tmp_path, llm, clock, roles=roles, models={"temperature": 1.0}) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        llm.say(call("llm_call", model="execution", prompt="Hello."), "Hello.", "Done.")
        for text in ("One.", "Two."):
            turn(agent, text)
        rc.space("ana", session="s").end()
        sent = {one.model: (one.body.get("temperature"), one.body.get("top_p")) for one in llm.requests}
        assert sent == {"grok": (0.2, 0.7), "mini": (0.1, 0.5), "haiku": (None, None)}


def test_000_18_each_role_has_its_own_host_and_key(
    tmp_path: Path, clock: FixedClock, llm: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two roles at two addresses with two keys; each key goes to its own address and to no other."""
    monkeypatch.setenv("FIRST_KEY", "first")
    monkeypatch.setenv("SECOND_KEY", "second")
    with ScriptedLlm(lambda asked: "Hello from the other host.", key="second") as other:
        roles = {
            "reasoning": {"key_variable": "FIRST_KEY"},
            "execution": {"base_url": other.url, "key_variable": "SECOND_KEY"},
        }
        with opened(tmp_path, llm, clock, roles=roles) as rc:
            llm.say(call("llm_call", model="execution", prompt="Hello."), "It said hello.")
            turn(RecollectAgent(rc.space("ana", session="s")), "Ask the other.")
        assert [(one.model, one.key) for one in other.requests] == [("mini", "second")]
        assert {one.key for one in llm.requests} == {"first"}
        assert "Hello from the other host." in str(seen(llm.requests[-1]))


def test_000_18_a_missing_key_is_told(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """A role without its key has no model: it says so, and the others go on."""
    with opened(tmp_path, llm, clock, roles={"execution": {"key_variable": "NO_SUCH_KEY"}}) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        llm.say(call("llm_list"), call("llm_call", model="execution", prompt="Hello."), "There is nobody.")
        turn(agent, "Who is there?")
        told = [text for role, text in seen(llm.requests[-1]) if role == "tool"]
        assert "execution: no model is set" in told[0]
        assert "reasoning: openai:grok" in told[0]
        assert told[1].startswith("ERROR: no model is set for execution")


def test_000_17_a_role_has_its_own_toolsets(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """Toolsets, profiles and single tools are named; what is not there is told at once, with what there is."""
    with opened(tmp_path, llm, clock, roles={"reasoning": {"tools": ["memory", "db", "conversation_search"]}}) as rc:
        turn(RecollectAgent(rc.space("ana", session="s")), "Hello.")
        assert set(offered(llm.requests[-1])) == {
            "memory_save", "memory_recall", "memory_age", "db_query", "conversation_search",
        }  # fmt: skip
    with opened(tmp_path, llm, clock) as rc:
        turn(RecollectAgent(rc.space("ana", session="s")), "Hello.")
        assert {"llm_call", "llm_list", "get_system_info", "memory_save"} <= set(offered(llm.requests[-1]))
    wrong = {"reasoning": {"tools": ["telepathy"]}}
    with opened(tmp_path, llm, clock, roles=wrong) as rc, pytest.raises(ConfigError, match=r"or one of core, memory"):
        RecollectAgent(rc.space("ana", session="s"))
    for names in (*USUAL.values(), *((one,) for one in TOOLSETS)):
        assert all(one.description and one.run for one in tools_of(names).values())


def test_000_16_a_role_has_its_own_room(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """`max_context` is what the window of a role's agent is held to."""
    with opened(tmp_path, llm, clock, roles={"reasoning": {"max_context": 5000}}) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        assert agent.roles.room(agent.role) == 5000
        assert agent.roles.room(agent.roles.role("execution")) > 5000


def test_settings_of_roles_are_checked() -> None:
    """A wrong name, number, address or place is refused, and says what to do."""
    for roles, problem in (
        ({"reasoning": {"temprature": 1}}, "no setting 'roles.reasoning.temprature'"),
        ({"reasoning": {"temperature": 3}}, "from 0 to 2"),
        ({"reasoning": {"base_url": "ftp://x"}}, r"roles\.reasoning\.base_url must look like"),
        ({"reasoning": {"key_variable": "sk-123"}}, "name of a variable"),
        ({"reasoning": "openai:x"}, "is a section"),
    ):
        with pytest.raises(ConfigError, match=problem):
            Recollect(":memory:", roles=roles)


# The prompt tree


def files(folder: Path, **texts: str) -> Path:
    """Write files of a tree: `root` and sections by name."""
    for name, text in texts.items():
        (folder / (ROOT if name == "root" else f"{ROOT}_{name}")).write_text(text, "utf-8")
    return folder


def test_000_21_a_tree_is_put_together_from_files(tmp_path: Path) -> None:
    """The main paragraph comes first, then sections in order, each under a heading as deep as it stands."""
    files(
        tmp_path,
        root="You are Sam.\n\n[SECTIONS]\ntools: What there is\nbehavior: How: to act\n",
        tools="## tools\nUse them.\n[SECTIONS]\n\n tool_db : Queries \n",
        tool_db="Only SELECT.",
        behavior="Be kind.",
    )
    tree = read_tree(tmp_path)
    assert tree.warnings == ()
    assert tree.text() == (
        "You are Sam.\n\n## tools: What there is\nUse them.\n\n### tool_db: Queries\nOnly SELECT.\n\n"
        "## behavior: How: to act\nBe kind."
    )
    assert tree.section("tools") == "Use them.\n\n### tool_db: Queries\nOnly SELECT."
    assert tree.section("nothing") == ""


def test_000_22_nothing_vanishes_in_silence(tmp_path: Path) -> None:
    """Bare names, missing files, doubles, circles and names that lead elsewhere are told, and the rest stands."""
    files(
        tmp_path,
        root="Main.\n[SECTIONS]\nbare\na: first\nmissing: not there\na: again\n../etc/passwd: no\n",
        a="A.\n[SECTIONS]\nb: inside\n",
        b="B.\n[SECTIONS]\na: around\n",
    )
    tree = read_tree(tmp_path)
    told = "\n".join(tree.warnings)
    for problem in ("'bare' is left out: write it as `bare: what it is for`", "missing cannot be read",
                    "a stands inside itself", "a stands twice", "'../etc/passwd' is no name"):  # fmt: skip
        assert problem in told
    assert len(tree.warnings) == 5
    assert tree.text().startswith("Main.\n\n## a: first\nA.\n\n### b: inside\nB.")
    assert "## missing: not there" in tree.text()


def test_000_22_an_agent_tells_the_warnings(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """An agent whose prompt has a bare name says so, and the prompt that is left is used."""
    folder = tmp_path / "prompt"
    folder.mkdir()
    files(folder, root="You are Sam.\n[SECTIONS]\nbare\n")
    with opened(tmp_path, llm, clock, roles={"reasoning": {"prompt_folder": str(folder)}}) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        assert "'bare' is left out" in agent.warnings[0]
        turn(agent, "Hello.")
        assert llm.requests[-1].system.startswith("You are Sam.")


def test_000_19_a_role_has_its_own_folder(tmp_path: Path) -> None:
    """What is set is used; an empty folder falls back to the role's own tree with a warning; none is an error."""
    files(tmp_path, root="Mine.")
    assert role_tree("reasoning", str(tmp_path)).text() == "Mine."
    (tmp_path / "empty").mkdir()
    fallen = role_tree("reasoning", str(tmp_path / "empty"))
    assert fallen.text() == role_tree("reasoning").text()
    assert "cannot be read" in fallen.warnings[0]
    with pytest.raises(NotFound, match=r"correct roles\.reasoning\.prompt_folder"):
        role_tree("reasoning", str(tmp_path / "nowhere"))


def test_writing_a_section_keeps_the_list(tmp_path: Path) -> None:
    """A section with sections below it is written anew, and still has them."""
    files(tmp_path, root="Old.\n[SECTIONS]\na: first\n", a="## a\nOld A.\n")
    write_section(tmp_path, "", "New.")
    write_section(tmp_path, "a", "New A.")
    assert read_tree(tmp_path).text() == "New.\n\n## a: first\nNew A."
    with pytest.raises(InvalidInput, match="no name of a section"):
        write_section(tmp_path, "../a", "x")


def test_000_23_to_26_the_rules_stand_in_the_prompt() -> None:
    """Rule 6 hands writes on, rule 7 takes memory as known; continuity and the procedures of memory have sections."""
    tree = role_tree("reasoning")
    assert tree.warnings == ()
    assert role_tree("execution").warnings == ()
    rules = tree.section("behavior").splitlines()
    assert rules[5].startswith("6. Hand on writing to memory and chains of tools to the model `execution`")
    assert rules[6].startswith("7. Take what stands in the message of memory")
    assert "open tasks, initiatives, assets and decisions" in tree.section("continuity_tiered")
    assert all(f"{word} when" in tree.section("memory") for word in ("Save", "Recall", "Age"))
    assert "**CRITICAL**" in tree.section("memory")
    assert sorted(one.name for one in BUILT_IN.iterdir()) == ["execution", "reasoning"]


def test_000_25_a_conversation_begins_where_things_stand(here: Recollect, llm: ScriptedLlm) -> None:
    """Tasks, initiatives, assets and decisions stand before the first message of a session, and before no other."""
    ana = here.space("ana")
    ana.remember("The parser is to be finished by Friday.", topic="tasks", importance=8)
    ana.remember("SQLite was chosen over a server.", topic="decisions")
    ana.remember("The northern office has a boat.", topic="assets")
    ana.remember("Ana likes fado.", topic="music")
    agent = RecollectAgent(here.space("ana", session="s"))
    turn(agent, "Good morning.")
    begun = seen(llm.requests[-1])[-2][1]
    assert begun.index("## Where things stand") < begun.index("The parser is to be finished by Friday.")
    assert "SQLite was chosen" in begun
    assert "northern office has a boat" in begun
    assert "fado" not in begun.partition("<memory_context>")[0]
    turn(agent, "And now?")
    assert "## Where things stand" not in llm.requests[-1].system
    llm.say(call("memory_save", topic="decisions", content="The parser is written by hand.", importance=7), "Logged.")
    turn(agent, "We decided to write the parser by hand.")
    turn(RecollectAgent(here.space("ana", session="t")), "Good evening.")
    assert "The parser is written by hand." in seen(llm.requests[-1])[-2][1]


# Handing on


@pytest.fixture
def agent(here: Recollect) -> RecollectAgent:
    """Give an agent of the role reasoning."""
    return RecollectAgent(here.space("ana", session="s"))


def handed_on(agent: RecollectAgent, llm: ScriptedLlm, *others: Any, **task: Any) -> str:
    """Have a task handed on; give what came back."""
    llm.say(call("llm_call", **task), *others, "That was it.")
    turn(agent, "Hand it on.")
    return [text for role, text in seen(llm.requests[-1]) if role == "tool"][-1]


def test_000_45_a_task_runs_with_its_own_tools(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """By itself the other model has its role's prompt and tools, works until it is done, and a save is a save."""
    save = call("memory_save", topic="security", content="Keys rotate in April.", importance=9)
    task = "save memory: topic=security content=Keys rotate in April. importance=9"
    assert handed_on(agent, llm, save, "Saved.", model="execution", prompt=task) == "Saved."
    inner = llm.requests[1]
    assert (inner.model, seen(inner)[-1]) == ("mini", ("user", task))
    assert inner.system.startswith("You carry out one task")
    assert {"memory_save", "db_query", "drive_list"} <= set(offered(inner))
    assert [one.importance for one in agent.space.list(topic="security")] == [9]


def test_000_45_mode_tool_makes_one_call(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """Only that tool is bound, the first call is made, then there are no tools; without words the result stands."""
    save = call("memory_save", topic="x", content="The sky is blue.")
    told = handed_on(
        agent, llm, save, Said(content=""), model="execution", prompt="save it", mode="tool", tool="memory_save",
        sys_prompt="none",
    )  # fmt: skip
    assert told.startswith("Memory saved (id=fact_")
    assert [offered(one) for one in llm.requests[1:3]] == [["memory_save"], []]
    assert llm.requests[1].system.startswith("Save one fact to short-term memory.")
    assert handed_on(
        agent, llm, save, "It was there already.", model="execution", prompt="again", mode="tool", tool="memory_save"
    ) == "It was there already."  # fmt: skip


def test_000_45_mode_text_has_no_tools(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """In words only nothing can be saved, and a claim that it was is contradicted."""
    assert handed_on(agent, llm, "Blue.", model="execution", prompt="The sky?", mode="text") == "Blue."
    assert offered(llm.requests[1]) == []
    told = handed_on(agent, llm, "Memory saved.", model="execution", prompt="save memory: …", mode="text")
    assert "[memory] Nothing was saved" in told


def test_000_45_prompts_and_histories(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """Whose prompt it has and whether it sees the conversation is said in the call."""
    turn(agent, "My cat is called Miau.")
    llm.requests.clear()
    handed_on(agent, llm, "Hi.", model="execution", prompt="Hello.", mode="text", sys_prompt="caller", history="caller")
    inner = llm.requests[1]
    assert inner.system.startswith("You are an assistant with a long-term memory.")
    assert [text for role, text in seen(inner) if role == "user"] == [
        "My cat is called Miau.", "Hand it on.", "Hello.",
    ]  # fmt: skip
    llm.requests.clear()
    handed_on(agent, llm, "Hi.", model="execution", prompt="Hello.", mode="text", sys_prompt="none")
    assert llm.requests[1].system == ""


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        ({"model": "gpt-9"}, "there is no model 'gpt-9': use reasoning, execution"),
        ({"mode": "magic"}, "there is no mode 'magic': use run, text, tool"),
        ({"sys_prompt": "mine"}, "there is no sys_prompt 'mine'"),
        ({"history": "all"}, "there is no history 'all'"),
        ({"mode": "tool"}, "mode tool needs the name of a tool"),
        ({"mode": "tool", "tool": "fly"}, "execution has no tool 'fly': it has"),
        ({"prompt": " "}, "the prompt is empty"),
    ],
)
def test_000_45_a_wrong_call_is_told(
    agent: RecollectAgent, llm: ScriptedLlm, task: dict[str, str], problem: str
) -> None:
    """Every wrong value is answered by a text that says what to do; nobody is asked."""
    told = handed_on(agent, llm, **{"model": "execution", "prompt": "Hello.", **task})
    assert told.startswith(f"ERROR: {problem}")
    assert {one.model for one in llm.requests} == {"grok"}


def test_000_45_the_depth_is_guarded(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """With the conversation a task is handed on once, without it three deep; then the model is told not to retry."""
    with opened(tmp_path, llm, clock) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        shared = {"model": "execution", "prompt": "On.", "history": "caller"}
        llm.say(call("llm_call", **shared), call("llm_call", **shared), "I stop.", "It stopped.")
        done = turn(agent, "Hand it on.")
        assert [guard for guard, _ in done.flags] == ["depth"]
        assert "Do not retry" in str(seen(llm.requests[2]))
        on = call("llm_call", model="execution", prompt="On.")
        llm.say(on, on, on, on, "I stop.", "One.", "Two.", "Three.")
        done = turn(agent, "Hand it on and on.")
        assert [guard for guard, _ in done.flags] == ["depth"]
        llm.say(
            call("llm_call", **shared), "First.", call("llm_call", **{**shared, "prompt": "Two."}), "Second.", "Both."
        )
        assert turn(agent, "Two after each other.").flags == ()


def test_000_45_a_model_that_does_not_answer(
    tmp_path: Path, clock: FixedClock, llm: ScriptedLlm, forgetful: None
) -> None:
    """Time out, refusal and failure come back as texts, in our own words and without the key."""
    with opened(tmp_path, llm, clock, agent={"delegate_seconds": 0.3}) as rc:
        agent = RecollectAgent(rc.space("ana", session="s"))
        task = {"model": "execution", "prompt": "Hello.", "mode": "text"}
        assert handed_on(agent, llm, Said("Late.", hang=1.0), **task).startswith(
            "ERROR: execution did not answer in 0.3"
        )
    with opened(tmp_path, llm, clock) as rc:  # with time enough for a busy machine
        agent = RecollectAgent(rc.space("ana", session="s"))
        assert handed_on(agent, llm, Said(status=500), **task).startswith("ERROR: execution failed (status 500)")


def test_several_runs_at_once_do_not_count_as_depth(here: Recollect, llm: ScriptedLlm) -> None:
    """Two agents of one process that hand on at the same time are each one deep."""
    agents = [RecollectAgent(here.space("ana", session=f"s{number}")) for number in range(2)]

    def answer(asked: Any) -> Any:
        handing = asked.model == "grok" and asked.body["messages"][-1]["role"] == "user"
        shared = {"model": "execution", "prompt": "Hello.", "history": "caller"}
        return call("llm_call", **shared) if handing else "Hello."

    llm._script = answer

    async def both() -> list[Any]:
        return list(await asyncio.gather(*(one.turn("Go.") for one in agents)))

    assert [done.flags for done in run(both, *agents)] == [(), ()]


def test_004_25_every_question_to_a_model_has_a_typed_form() -> None:
    """Each prompt names its role, its version and the form of its answer; summing up is a question of its own."""
    made = {name: load(name) for name in prompts()}
    assert all(one.schema in SCHEMAS.values() and one.role and one.version for one in made.values())
    summing = made["compact"]
    assert (summing.role, summing.data) == ("summarizer", ("summary", "conversation"))
    assert set(summing.schema.__annotations__) == {"overview", "state", "next"}
    assert "100 words" in summing.instructions


def test_the_drive_is_the_archive(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """An agent lists the archive, moves old memories there, and brings a file of them back."""
    archive = {"url": f"{tmp_path}/archive", "beyond": 5, "batch": 5}
    with opened(tmp_path, llm, clock, archive=archive, roles={"reasoning": {"tools": ["drive"]}}) as rc:
        ana = rc.space("ana", session="s")
        for number in range(12):
            ana.remember(f"Invoice {number} of the bakery was paid on time.", topic="invoices", importance=2)
        clock.advance(days=100)
        ana.age(48)
        agent = RecollectAgent(ana)
        llm.say(call("drive_archive"), call("drive_list"), "They are moved.")
        turn(agent, "Clear out the old invoices.")
        listed = [text for role, text in seen(llm.requests[-1]) if role == "tool"][-1]
        assert "memories" in listed
        name = listed.splitlines()[0].partition(":")[0]
        llm.say(call("drive_load", file=name), call("drive_verify"), call("drive_load"), "They are back.")
        turn(agent, "Bring them back.")
        told = [text for role, text in seen(llm.requests[-1]) if role == "tool"][-3:]
        assert "memories back from the archive" in told[0]
        assert json.dumps(told[2]).count("name a file")


def test_each_opening_is_its_own(opening: Callable[..., Recollect], llm: ScriptedLlm) -> None:
    """Two users' agents on one database share nothing, on every engine."""
    rc = opening()
    llm.say(call("memory_save", topic="secret", content="Ana's code is 4711."), "Saved.")
    turn(RecollectAgent(rc.space("ana", session="s")), "My code is 4711.")
    turn(RecollectAgent(rc.space("ben", session="s")), "What is the code?")
    assert "4711" not in str(llm.requests[-1].body)
