"""The message window: tokens, compaction by whole groups, and nothing lost that was said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import InvalidInput, NotFound, Recollect, Space
from recollect.flows.window.messages import SUMMARY_HEAD
from recollect.rules.window.compaction import WindowPolicy, chunks, due, warning
from recollect.rules.window.counting import IMAGE, WINDOWS, ModelWindow, learnt, message_tokens, request_tokens, window
from recollect.rules.window.grouping import Message, groups
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.engines import fresh


def call(id: str, name: str = "search") -> dict[str, Any]:
    """Give a tool call as OpenAI's models make it."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}


def test_002_1_tokens_by_model() -> None:
    """OpenAI's are counted exactly without a network, Anthropic's by 3.5 characters, others by 4."""
    from recollect.flows.window.tokens import counter

    text = "The quick brown fox jumps over the lazy dog."
    assert counter("openai/gpt-4o")(text) == 10
    assert counter("openai/gpt-4")(text) == 10
    assert counter("anthropic/claude-sonnet-4-6")("x" * 35) == 10
    assert counter("mistral/large")("x" * 40) == 10
    assert counter("openai/gpt-4o")("<|endoftext|>") > 1
    message = {"role": "user", "content": text}
    exact = counter("openai/gpt-4o")
    assert message_tokens(message, "openai/gpt-4o", exact) == 4 + exact("user") + 10
    assert message_tokens(message, "anthropic/x", None) == int(len(json.dumps(message)) / 3.5)
    assert message_tokens(message, "other/x", None) == int(len(json.dumps(message)) / 4)
    assert request_tokens([], "other/x") == 0


def test_002_2_the_windows_of_twelve_models() -> None:
    """Twelve models are known, the rest is guessed, and what was set wins."""
    assert sum(name.startswith(("openai/", "anthropic/")) for name in WINDOWS) == 12
    assert (window("openai/gpt-4.1-mini"), window("anthropic:claude-opus-4-6")) == (1_047_576, 200_000)
    assert (window("who/knows"), window("openai/gpt-4o", most=5000)) == (128_000, 5000)


def test_000_16_a_model_may_read_less_than_it_could() -> None:
    """How much each model reads can be set by model."""
    own = (ModelWindow("grok/fast", 5000), ModelWindow("openai/gpt-4o", 100_000))
    assert (window("grok/fast", own), window("openai/gpt-4o", own), window("x/y", own)) == (5000, 100_000, 128_000)


def test_004_18_a_window_of_256k() -> None:
    """The model of the last seed reads 256,000 tokens."""
    assert window("moonshot/kimi-k2") == 256_000


def test_002_42_images_schemas_and_a_factor_that_never_falls() -> None:
    """An image is a constant, tools count, and an overflow raises the estimates, up to a limit."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 100_000}}
    with_image = {"role": "user", "content": [{"type": "text", "text": "look"}, picture]}
    bare = {"role": "user", "content": [{"type": "text", "text": "look"}]}
    assert message_tokens(with_image, "x/y", None) == message_tokens(bare, "x/y", None) + IMAGE
    tools = [{"name": "search", "parameters": {"type": "object"}}]
    assert request_tokens([], "x/y", tools=tools) == len(json.dumps(tools)) // 3
    assert learnt(1.0, 1000, 1500) == 1.5
    assert learnt(1.5, 1000, 500) == 1.5
    assert learnt(5.0, 1000, 5000) == 6.0


def test_a_real_overflow_is_learnt_for_good(rc: Recollect, ana: Space) -> None:
    """The factor belongs to the owner and the model, and outlives the session."""
    ana.messages.append("user", "Hello there, " * 40)
    before = ana.messages.tokens("x/y")
    assert ana.messages.overflowed("x/y", 300, 200) == 1.5
    later = rc.space("ana", "helper", "s1")
    assert later.messages.tokens("x/y") == int(before * 1.5)
    assert later.messages.tokens("z/y") == before


def test_002_3_the_warning() -> None:
    """From 80 % on the system prompt says how full the window is, with thousands parted."""
    policy = WindowPolicy()
    assert warning(79_999, 100_000, policy) == ""
    text = warning(80_000, 100_000, policy)
    assert "80%" in text
    assert "80,000/100,000" in text
    assert "memory_save" in text


def test_002_4_to_6_and_004_40_the_marks() -> None:
    """60 % flushes once, 70 % summarises; the other preset has one mark, held between 0.5 and 0.95."""
    policy = WindowPolicy()
    assert [due(share, policy, flushed=False) for share in (0.59, 0.6, 0.69, 0.7, 0.95)] == [
        "", "flush", "flush", "summarise", "summarise",
    ]  # fmt: skip
    assert due(0.65, policy, flushed=True) == ""
    letta = WindowPolicy(preset="letta")
    assert [due(share, letta, flushed=False) for share in (0.8, 0.81)] == ["", "summarise"]
    low, high = WindowPolicy(preset="letta", threshold=0.1), WindowPolicy(preset="letta", threshold=1.0)
    assert [due(share, low, flushed=False) for share in (0.5, 0.51)] == ["", "summarise"]
    assert [due(share, high, flushed=False) for share in (0.95, 0.96)] == ["", "summarise"]


def test_002_10_a_call_is_never_parted_from_its_results() -> None:
    """A group is an assistant that calls with all results behind it; an orphan is alone."""
    talk = [
        Message("0", "tool", "orphan", answers="x"),
        Message("1", "user", "q"),
        Message("2", "assistant", "", (call("a"), call("b"))),
        Message("3", "tool", "1", answers="a"),
        Message("4", "tool", "2", answers="b"),
        Message("5", "assistant", "done"),
        Message("6", "tool", "orphan", answers="z"),
    ]
    assert [[one.id for one in group] for group in groups(talk)] == [["0"], ["1"], ["2", "3", "4"], ["5"], ["6"]]


def talk(ana: Space, turns: int, words: int = 40) -> list[str]:
    """Say so many turns of so many words, and give their ids."""
    ids: list[str] = []
    for number in range(turns):
        role = "user" if number % 2 == 0 else "assistant"
        ids.append(ana.messages.append(role, f"Turn {number} is about kiwi{number} " + "and more words " * words).id)
    return ids


def test_004_2_and_10_and_24_only_chosen_messages_are_in_sight(ana: Space, rc: Recollect) -> None:
    """All of a session are seen until some are chosen; the others stay stored and are found."""
    ids = talk(ana, 6, 2)
    assert ana.messages.ids() == ids
    ana.messages.set_ids(ids[2:])
    assert ana.messages.ids() == ids[2:]
    assert [one["content"][:6] for one in ana.messages()] == [f"Turn {number}" for number in range(2, 6)]
    more = ana.messages.append("user", "One more").id
    assert ana.messages.ids() == [*ids[2:], more]
    assert ana.messages.search("kiwi0").messages[0].memory.id == ids[0]
    with pytest.raises(NotFound, match="no message"):
        ana.messages.set_ids(["ep_unknown"])
    with pytest.raises(InvalidInput, match="belongs to a session"):
        rc.space("ana").messages.ids()


def test_002_5_summary_and_the_last_four_groups(ana: Space) -> None:
    """At 70 % the old part becomes a summary, as a user's message with its heading, and four groups stay."""
    ids = talk(ana, 20)
    full = ana.messages.tokens()
    done = ana.messages.compact(max_tokens=int(full / 0.72))
    assert (done.step, done.before) == ("summarise", full)
    assert done.after < full
    assert ana.messages.ids() == [done.summary, *ids[-3:]]  # four, but the first of them is a user's
    assert set(done.dropped) == set(ids[:-3])
    first, second = ana.messages()[:2]
    assert first["role"] == "user"
    assert first["content"].startswith(SUMMARY_HEAD)
    assert second["role"] == "assistant"
    assert ana.get(done.summary).kind == "summary"
    assert "without a model" in first["content"]
    assert done.notes


def test_002_4_the_flush_happens_once(ana: Space) -> None:
    """Between 60 and 70 % facts are kept and no message leaves; a second time nothing happens."""
    ana.messages.append("user", "I am Ana. My son Tom is allergic to peanuts. " + "So it is. " * 60, actor="Ana")
    talk(ana, 9)
    window = int(ana.messages.tokens() / 0.65)
    before = ana.messages.ids()
    done = ana.messages.compact(max_tokens=window)
    assert done.step == "flush"
    assert done.learnt
    assert ana.messages.ids() == before
    assert ana.messages.compact(max_tokens=window).step == ""


def test_002_7_and_9_write_then_compact_loses_nothing(ana: Space) -> None:
    """What was said of importance is a memory before its message leaves, and every message is found."""
    fact = ana.messages.append("user", "Please remember that my locker number is 4711.", actor="Ana").id
    ids = talk(ana, 14)
    done = ana.messages.compact(force=True)
    assert fact in done.dropped
    assert any("4711" in one.content for one in ana.list(kinds=["fact"]))
    for number, id in enumerate(ids[:-4]):
        assert id in [hit.memory.id for hit in ana.messages.search(f"kiwi{number}").messages]


def test_002_6_without_a_summary_the_first_and_the_last_stay(rc: Recollect, ana: Space, monkeypatch: Any) -> None:
    """Where no summary can be made, the first group and the last four stay, and nothing stored is lost."""
    ids = talk(ana, 20)
    monkeypatch.setattr("recollect.flows.window.compact._summary", lambda *_: None)
    done = ana.messages.compact(force=True)
    assert done.step == "prune"
    assert ana.messages.ids() == [ids[0], *ids[-4:]]
    roles = [one["role"] for one in ana.messages()]
    assert all(one != two for one, two in pairwise(roles))
    assert ana.messages.search("kiwi7").messages


def test_what_is_said_while_a_summary_is_made_stays_in_sight(ana: Space, monkeypatch: Any) -> None:
    """A message that comes meanwhile stands behind the others; a window somebody else chose is left as it is."""
    from recollect.flows.window import compact

    late: list[str] = []
    ids, made = talk(ana, 20), compact._summary

    def slowly(*given: Any) -> Any:
        late.append(ana.messages.append("user", f"Meanwhile {len(late)}").id)
        return made(*given)

    monkeypatch.setattr(compact, "_summary", slowly)
    done = ana.messages.compact(force=True)
    assert ana.messages.ids() == [done.summary, *ids[-3:], late[0]]
    assert done.kept == 5
    more = talk(ana, 8)
    again = ana.messages.compact(force=True)
    assert ana.messages.ids() == [again.summary, *more[-3:], late[1]]
    talk(ana, 8)

    def chosen(*given: Any) -> Any:
        ana.messages.set_ids(ids[:2])
        return made(*given)

    monkeypatch.setattr(compact, "_summary", chosen)
    left = ana.messages.compact(force=True)
    assert (left.step, ana.messages.ids()) == ("", ids[:2])
    assert "changed it meanwhile" in left.notes[-1]


def test_a_repeated_request_brings_nothing_back_into_the_window(ana: Space) -> None:
    """A message that was compacted away stays away when its request is sent again."""
    first = ana.messages.append("user", "The very first words.", request_id="r1").id
    talk(ana, 20)
    ana.messages.compact(force=True)
    seen = ana.messages.ids()
    assert first not in seen
    assert ana.messages.append("user", "The very first words.", request_id="r1").id == first
    assert ana.messages.ids() == seen


def test_004_15_the_other_preset_keeps_half_and_twenty(ana: Space) -> None:
    """Past 80 % half of the messages, at least twenty, stay; needs_compaction says when."""
    ids = talk(ana, 50, 4)
    assert ana.messages.needs_compaction(81, max_tokens=100) is True
    done = ana.messages.compact(preset="letta", max_tokens=int(ana.messages.tokens() / 0.85))
    assert done.step == "summarise"
    assert ana.messages.ids()[1:] == ids[-25:]


def test_004_23_needs_compaction(rc: Recollect, ana: Space) -> None:
    """The mark of the preset decides, for a number of tokens or for the window as it is."""
    assert ana.messages.needs_compaction(69_999, max_tokens=100_000) is False
    assert ana.messages.needs_compaction(70_000, max_tokens=100_000) is True
    talk(ana, 4)
    assert ana.messages.needs_compaction(max_tokens=100) is True
    assert ana.messages.needs_compaction() is False


@pytest.fixture
def model(tmp_path: Path, clock: FixedClock, forgetful: None) -> Iterator[tuple[Recollect, ScriptedLlm]]:
    """Give a memory whose models are scripted, over real HTTP."""
    with ScriptedLlm(lambda asked: "{}") as server:
        settings = {"base_url": server.url, "retries": 0}
        with Recollect(fresh("sqlite", tmp_path), clock=clock, llm="openai:script", models=settings) as rc:
            yield rc, server


def resumed(overview: str, state: str = "Half is done.", next: str = "Do the rest.") -> str:
    """Give an answer to the question for a summary."""
    return json.dumps({"overview": overview, "state": state, "next": next})


def test_004_17_a_summary_has_overview_state_and_next(model: tuple[Recollect, ScriptedLlm]) -> None:
    """A model's summary has its three parts, at most a hundred words, and the next one is told the one before."""
    rc, server = model
    ana = rc.space("ana", "helper", "s1")
    talk(ana, 12)
    server._script = lambda asked: resumed("The report on kiwis.") if "sum up a conversation" in asked.system else "{}"
    done = ana.messages.compact(force=True, max_tokens=500_000)
    assert ana.get(done.summary).content == "Overview: The report on kiwis.\nState: Half is done.\nNext: Do the rest."
    assert any("reads 128,000 tokens, the window has 500,000" in note for note in done.notes)
    talk(ana, 12)
    server._script = lambda asked: resumed("kiwi " * 300) if "sum up a conversation" in asked.system else "{}"
    again = ana.messages.compact(force=True)
    asked = [one for one in server.requests if "sum up a conversation" in one.system][-1]
    assert "The report on kiwis." in asked.user
    assert len(ana.get(again.summary).content.split()) <= 101
    assert ana.get(again.summary).attributes["previous"] == done.summary
    assert ana.get(again.summary).attributes["covers"] > ana.get(done.summary).attributes["covers"]


def test_a_model_that_fails_costs_nothing(model: tuple[Recollect, ScriptedLlm]) -> None:
    """Without an answer the summary is extracted and says so."""
    rc, server = model
    ana = rc.space("ana", "helper", "s1")
    ids = talk(ana, 12)
    server._script = lambda asked: "no JSON at all"
    done = ana.messages.compact(force=True)
    assert done.step == "summarise"
    assert "Extracted without a model" in ana.get(done.summary).content
    assert any("gave no summary" in note for note in done.notes)
    assert len(ana.messages.search("kiwi1").messages) >= 1
    assert ids


def test_a_long_history_is_read_in_chunks() -> None:
    """Chunks end between messages; of very many the first and the newest seven are read."""
    lines = [f"{number} " + "x" * 9000 for number in range(40)]
    found = chunks(lines)
    assert len(found) == 8
    assert found[0].startswith("0 ")
    assert found[-1].rstrip().startswith(("38 ", "39 "))
    assert all(len(one) <= 20_001 for one in found)


def test_004_11_conversation_search(ana: Space, clock: FixedClock) -> None:
    """Messages and summaries are told apart, five of each; days include both ends; the time is there."""
    for number in range(8):
        ana.messages.append("user", f"The kiwi number {number} is green.")
        clock.advance(days=1)
    ana.messages.compact(force=True)
    found = ana.messages.search("kiwi")
    assert len(found.messages) == 5
    assert len(found.summaries) == 1
    day = found.messages[0].memory.event_time.date()
    only = ana.messages.search("kiwi", start=day, end=day).messages
    assert [hit.memory.event_time.date() for hit in only] == [day]
    assert ana.messages.search("xylophone").messages == ()


def test_004_38_searches_and_tools_do_not_find_themselves(ana: Space) -> None:
    """Results of tools and messages that call a search are left out, unless their role is asked for."""
    ana.messages.append("user", "Where is the kiwi?")
    ana.messages.append("assistant", "Looking for the kiwi.", tool_calls=[call("a", "conversation_search")])
    ana.messages.append("tool", "kiwi kiwi kiwi", tool_call_id="a")
    ana.messages.append("assistant", "The kiwi is in the box.")
    assert {hit.memory.content for hit in ana.messages.search("kiwi").messages} == {
        "Where is the kiwi?",
        "The kiwi is in the box.",
    }
    assert len(ana.messages.search("kiwi", roles=["tool"]).messages) == 1


def test_004_36_the_prompt_is_rebuilt_only_when_a_block_changes(ana: Space) -> None:
    """Metadata and counts change nothing; a block that changed is put in its place, also when one is gone."""
    ana.blocks.append("human", "Name: Ana")
    ana.blocks.create("zoo", "lions")
    system = f"Be kind.\n\n{ana.blocks.compile()}\n\n<memory_metadata>\n- 3 messages\n</memory_metadata>"
    ana.messages.append("user", "Hello")
    assert ana.messages.rebuilt(system) is system or ana.messages.rebuilt(system) == system
    ana.blocks.delete("zoo")
    new = ana.messages.rebuilt(system)
    assert "lions" not in new
    assert new.startswith("Be kind.\n\n<memory_blocks>")
    assert new.endswith("</memory_metadata>")
    assert ana.messages.rebuilt("Be kind.") == f"Be kind.\n\n{ana.blocks.compile()}"


def openai_problem(messages: list[dict[str, Any]]) -> str:
    """Hold messages against OpenAI's public rules: known roles, every call answered at once, no answer alone."""
    waiting: list[str] = []
    for one in messages:
        if one["role"] == "tool":
            if one.get("tool_call_id") not in waiting:
                return f"a result without its call: {one}"
            waiting.remove(one["tool_call_id"])
            continue
        if waiting:
            return f"{waiting} were not answered before {one}"
        if one["role"] not in ("system", "user", "assistant", "developer"):
            return f"an unknown role: {one}"
        waiting = [call["id"] for call in one.get("tool_calls", [])]
        if one["role"] != "assistant" and not one["content"]:
            return f"an empty message: {one}"
    return f"{waiting} were never answered" if waiting else ""


def anthropic_problem(messages: list[dict[str, Any]]) -> str:
    """Hold messages against Anthropic's public rules: a user first, taking turns, results right behind their calls."""
    turns: list[tuple[str, list[str]]] = []
    for one in messages:
        if one["role"] in ("system", "developer"):
            if turns:
                return "a system message in the middle"
            continue
        if one["role"] == "tool":
            if turns and turns[-1][0] == "results":
                turns[-1][1].append(one["tool_call_id"])
            else:
                turns.append(("results", [one["tool_call_id"]]))
            continue
        turns.append((one["role"], [call["id"] for call in one.get("tool_calls", [])]))
        if not one["content"] and not one.get("tool_calls"):
            return f"an empty message: {one}"
    if turns and turns[0][0] != "user":
        return f"it begins with {turns[0][0]}"
    for (before, calls), (after, results) in pairwise(turns):
        if before == after:
            return f"{before} speaks twice in a row"
        if before == "assistant" and sorted(calls) != (sorted(results) if after == "results" else []):
            return f"calls {calls}, results {results}"
    return "a call at the end" if turns and turns[-1][0] == "assistant" and turns[-1][1] else ""


history = st.lists(
    st.sampled_from(["user", "user", "assistant", "assistant", "calls", "parallel", "orphan", "unanswered", "image",
                     "empty", "system", "compact", "fact"]),
    min_size=1, max_size=28,
)  # fmt: skip


@pytest.mark.parametrize("preset", ["openlegion", "letta"])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=history, last=st.integers(1, 3))
def test_whatever_was_said_the_window_is_acceptable(
    tmp_path_factory: pytest.TempPathFactory, preset: str, steps: list[str], last: int
) -> None:
    """Whatever the history and however often it was compacted, both providers would take it, every message that left
    is found, and every planted fact is in memory or summary."""
    with Recollect(fresh("sqlite", tmp_path_factory.mktemp("w")), clock=FixedClock(), window={"least": 4}) as rc:
        ana = rc.space("ana", "helper", "s1")
        told: dict[str, str] = {}
        planted: list[str] = []
        for number, step in enumerate([*steps, *["compact"] * last]):
            play(ana, step, number, told, planted, preset)
            made = ana.messages()
            assert openai_problem(made) == ""
            assert anthropic_problem(made) == ""
        seen = set(ana.messages.ids())
        for id, word in told.items():
            if id not in seen:
                roles = [ana.get(id).role] if ana.get(id).role == "tool" else []
                assert id in [hit.memory.id for hit in ana.messages.search(word, limit=20, roles=roles).messages]
        known = " ".join(one.content for one in ana.list(kinds=["fact", "summary"], limit=500))
        shown = " ".join(str(one["content"]) for one in ana.messages())
        assert all(word in known or word in shown for word in planted)


def play(ana: Space, step: str, number: int, told: dict[str, str], planted: list[str], preset: str) -> None:
    """Carry out one step of a history."""
    word, add = f"zebra{number}x", ana.messages.append
    if step in ("user", "assistant", "system"):
        told[add(step, f"Here {word} is told.").id] = word
    elif step in ("calls", "parallel", "unanswered"):
        many = 2 if step == "parallel" else 1
        calls = [call(f"c{number}_{at}") for at in range(many)]
        told[add("assistant", f"Calling for {word}.", tool_calls=calls).id] = word
        for one in calls if step != "unanswered" else []:
            told[add("tool", f"Result {word} of {one['id']}.", tool_call_id=one["id"]).id] = word
    elif step == "orphan":
        told[add("tool", f"Orphan {word} here.", tool_call_id="nobody").id] = word
    elif step == "image":
        image = {"type": "image_url", "image_url": {"url": "data:x"}}
        told[add("user", [{"type": "text", "text": f"See {word}."}, image]).id] = word
    elif step == "empty":
        add("assistant" if number % 2 else "user", "")
    elif step == "fact":
        planted.append(f"{4000 + number}")
        add("user", f"Please remember that my locker number is {4000 + number}.", actor="Ana")
    else:
        ana.messages.compact(force=True, preset=preset)
