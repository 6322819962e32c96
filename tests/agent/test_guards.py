"""The guards of a turn: each steps in where it should, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.agent.companion import RecollectAgent
from recollect.agent.guards import NO_ANSWER, STOP, UNSAVED
from recollect.agent.spoken_calls import spoken_calls
from recollect.language import open_reader
from recollect.rules.agent.looping import Rounds, fingerprint
from recollect.rules.agent.trimming import HEAD, trimmed
from recollect.rules.window.grouping import Message
from recollect.testing import FixedClock
from recollect.testing.llm import Said, ScriptedLlm
from tests.agent.acting import call, offered, remembering, seen, turn
from tests.engines import fresh

RECALL = call("memory_recall", topic="hermes")


@pytest.fixture
def agent(here: Recollect) -> RecollectAgent:
    """Give an agent of the role reasoning."""
    return RecollectAgent(here.space("ana", session="s1"))


def names(agent: RecollectAgent, text: str) -> tuple[list[str], str]:
    """Say something; give which guards stepped in, and the answer."""
    done = turn(agent, text)
    return [guard for guard, _ in done.flags], done.text


# The loop guard


def test_000_67_the_third_same_call_is_answered_and_tools_are_taken(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """Every call is answered, then the model is told to stop, is offered no tool, and its words are the answer."""
    llm.say(RECALL, RECALL, RECALL, "I could not find it.")
    assert names(agent, "Look for Hermes.") == (["loop"], "I could not find it.")
    last = llm.requests[-1]
    roles = [one["role"] for one in last.body["messages"]]
    assert roles[-7:] == ["assistant", "tool", "assistant", "tool", "assistant", "tool", "user"]
    assert seen(last)[-1] == ("user", STOP)
    assert offered(last) == []
    assert [one["content"] for one in agent.space.messages() if one["role"] == "user"] == ["Look for Hermes."]


def test_twice_the_same_or_three_times_another_is_no_loop(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """Two same calls, another, and two same again, as well as many different ones, are let go on."""
    other = call("memory_recall", topic="qwen")
    llm.say(RECALL, RECALL, other, RECALL, RECALL, "Nothing.")
    assert names(agent, "Look.") == ([], "Nothing.")
    llm.say(*(call("memory_recall", topic=f"t{number}") for number in range(6)), "Nothing at all.")
    assert names(agent, "Look on.") == ([], "Nothing at all.")


def test_a_model_that_calls_on_without_tools_is_answered_for(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """Where no word comes even then, a placeholder stands for the answer, and no call is carried out."""
    llm.say(RECALL, RECALL, RECALL, Said(content=None, tool=json.dumps({"topic": "x"}), called="memory_recall"))
    assert names(agent, "Look.") == (["loop"], NO_ANSWER)


def test_the_order_of_arguments_makes_no_difference() -> None:
    """Fingerprints are of all calls of a turn, whatever their order and that of their arguments."""
    one = fingerprint([("a", {"x": 1, "y": 2}), ("b", "{}")])
    assert one == fingerprint([("b", {}), ("a", '{"y": 2, "x": 1}')])
    assert one != fingerprint([("a", {"x": 1, "y": 3}), ("b", "{}")])
    rounds = Rounds(3)
    assert [rounds.caught([("a", {})]) for _ in range(3)] == [False, False, True]
    assert not Rounds(3).caught([])


def test_a_turn_has_so_many_requests(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """Past the number that is set tools are taken, and the model answers."""
    with remembering(fresh("sqlite", tmp_path), llm, clock, agent={"max_tool_iterations": 4}) as rc:
        llm.say(*(call("memory_recall", topic=f"t{number}") for number in range(4)), "That is all.")
        assert names(RecollectAgent(rc.space("ana", session="s")), "Look.") == (["iterations"], "That is all.")
        assert offered(llm.requests[-1]) == []


# Saves that are told and not called for


def test_000_68_a_told_save_is_carried_out(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """A model that claims a save is asked to make it, and does."""
    llm.say(
        "I've saved that to memory.",
        call("memory_save", topic="security", content="Keys rotate every 90 days.", importance=9),
        "It is saved to memory now.",
    )
    assert names(agent, "Keys rotate every 90 days, keep that.") == (["claimed save"], "It is saved to memory now.")
    assert [one.content for one in agent.space.list(topic="security")] == ["Keys rotate every 90 days."]


def test_000_68_a_told_save_that_is_not_made_is_flagged(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """A model that goes on claiming is contradicted in its own answer; one that takes it back is not."""
    llm.say("I've saved that to memory.", "Your memory has been updated.")
    flags, text = names(agent, "Keep that.")
    assert flags == ["claimed save", "unsaved"]
    assert text == f"Your memory has been updated.\n\n{UNSAVED}"
    llm.say("I've saved that to memory.", "Sorry, nothing was worth keeping.")
    assert names(agent, "Keep that.") == (["claimed save"], "Sorry, nothing was worth keeping.")


def test_000_68_a_written_call_is_carried_out(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """A call that stands in the text, as code or as JSON, is made, and its result goes back to the model."""
    llm.say('memory_save(topic="pets", content="Ana has a cat called Miau.", importance=7)', "Done.")
    assert names(agent, "I have a cat called Miau.") == (["spoken call"], "Done.")
    llm.say(
        'Let me keep that.\n```json\n{"name": "memory_save", "arguments": {"topic": "pets", "content": "Miau is '
        'eight years old."}}\n```',
        "Done again.",
    )
    assert names(agent, "She is eight.") == (["spoken call"], "Done again.")
    assert {one.content for one in agent.space.list(topic="pets")} == {
        "Ana has a cat called Miau.",
        "Miau is eight years old.",
    }


def test_000_46_a_direct_save_runs_and_nobody_is_told_otherwise(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """A save the model calls for itself runs, and its claim stands."""
    llm.say(call("memory_save", topic="x", content="The sky is blue.", importance=8), "I've saved that to memory.")
    assert names(agent, "The sky is blue.") == ([], "I've saved that to memory.")
    assert [one.importance for one in agent.space.list(topic="x")] == [8]


@pytest.mark.parametrize(
    "answer",
    [
        "Should I save that to memory?",
        "I have not saved anything to memory.",
        "Nothing was saved to memory.",
        "I saved you some time by skipping the details.",
        "You can call memory_save(topic='x', content='y') for that.",
        "Once I've saved it, you will see it.",
    ],
)
def test_no_claim_no_guard(agent: RecollectAgent, llm: ScriptedLlm, answer: str) -> None:
    """What is asked, denied, supposed or explained claims nothing, and is left alone."""
    llm.say(answer)
    assert names(agent, "What about it?") == ([], answer)


def test_a_file_that_was_saved_is_no_memory(agent: RecollectAgent, llm: ScriptedLlm) -> None:
    """Where another tool was called, a plain claim is its own; a claim about memory still needs a save."""
    llm.say(call("get_system_info"), "I've saved the report.")
    assert names(agent, "Write the report.")[0] == []
    llm.say(call("get_system_info"), "Saved to memory.", "I take that back.")
    assert names(agent, "And?")[0] == ["claimed save"]


def test_the_rescue_can_be_switched_off(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """With `agent.rescue` off the answer stands as it is."""
    with remembering(fresh("sqlite", tmp_path), llm, clock, agent={"rescue": False}) as rc:
        llm.say("I've saved that to memory.")
        assert names(RecollectAgent(rc.space("ana", session="s")), "Keep it.")[0] == []


def test_claims_are_read_in_seven_languages() -> None:
    """Every language that has a file tells a claim; a reader that knows none hears none."""
    said = {
        "en": "I've saved that to memory.",
        "de": "Das ist nun in meinem Gedächtnis gespeichert.",
        "es": "Lo he guardado en la memoria: guardado en la memoria.",
        "fr": "C'est enregistré dans ma mémoire.",
        "it": "Fatto, salvato in memoria.",
        "nl": "Het is nu in mijn geheugen opgeslagen.",
        "pt": "Pronto, guardado na memória.",
    }
    assert {code: open_reader("words").claims_saved(text) for code, text in said.items()} == dict.fromkeys(
        said, "memory"
    )
    assert open_reader("none").claims_saved(said["en"]) == ""


def test_written_calls_are_whole_and_alone() -> None:
    """Only tools that are there, with values and on a line of their own, are taken for calls; each once."""
    known = {"memory_save"}
    call_ = 'memory_save(topic="a", content="b (c) \\"d\\"")'
    assert spoken_calls(call_, known) == [("memory_save", {"topic": "a", "content": 'b (c) "d"'})]
    assert len(spoken_calls(f"{call_}\n- `{call_}`", known)) == 1
    for no_call in ("memory_save(topic, content)", "memory_save()", "memory_save('a', 'b')", f"Use {call_} then.",
                    'other(topic="a")', '{"name": "memory_save"}', "memory_save(topic=", "x" * 30_000):  # fmt: skip
        assert spoken_calls(no_call, known) == []
    assert spoken_calls(call_, ()) == []


# The second trimmer


def test_002_41_a_request_that_is_too_long_loses_its_middle() -> None:
    """Over the mark and with more than three groups the first and the last two stay, the middle is told in a line."""
    calls = ({"id": "c", "function": {"name": "look"}},)
    talk = [Message("0", "user", "Begin.")]
    for number in range(1, 9, 2):
        talk += [Message(str(number), "assistant", "", calls), Message(str(number + 1), "tool", "word " * 100)]

    def count(some: object) -> int:
        return len(str(some))

    cut = trimmed(talk, 10, count)
    assert [one.id for one in cut] == ["0", "", "5", "6", "7", "8"]
    lines = str(cut[1].content).splitlines()
    assert lines[0] == HEAD
    assert lines[1].startswith("- called look: word word")
    assert len(lines[1]) < 130
    assert trimmed(talk, 10**9, count) == talk
    assert trimmed(talk[:5], 10, count) == talk[:5]


def test_002_41_the_question_outlives_the_trimming(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> None:
    """In a long turn the user's question, memory before it and whole groups stay; what was said is kept whole."""
    with remembering(fresh("sqlite", tmp_path), llm, clock, agent={"trim_tokens": 3000}) as rc:
        space = rc.space("ana", session="s")
        for number in range(60):
            space.remember(f"Report {number} of the northern office is about {'trains ' * 20}.", topic="reports")
        calls = [call("memory_recall", topic="reports", limit=20 + number) for number in range(8)]
        llm.say(*calls, "They are about trains.")
        flags, text = names(RecollectAgent(space), "What are the reports about?")
        assert text == "They are about trains."
        assert "trimmed" in flags
        last = seen(llm.requests[-1])
        assert ("user", "What are the reports about?") in last
        assert HEAD in str(last)
        asked = [one["id"] for turn_ in llm.requests[-1].body["messages"] for one in turn_.get("tool_calls", ())]
        answers = [one["tool_call_id"] for one in llm.requests[-1].body["messages"] if one["role"] == "tool"]
        assert asked == answers
        assert len([one for one in space.messages() if one["role"] == "tool"]) == 8
