"""What differs in a small word, a letter, a sign or the order of words is news, however it comes; so is an addition."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")
NEWS = [
    ("The pill must be taken before meals.", "The pill must be taken after meals."),
    ("The meeting is at 5 pm.", "The meeting is at 5 am."),
    ("The server in zone 1 is up.", "The server in zone 1 is down."),
    ("Only Ana may enter the lab.", "Ana may only enter the lab."),
    ("Ana paid in January.", "Ana was paid in January."),
    ("The cellar is at 5 degrees.", "The cellar is at -5 degrees."),
    ("The old driver is written in C.", "The old driver is written in C++."),
    ("The way in is door B.", "The way in is door A."),
    ("Tom is taller than Kim.", "Kim is taller than Tom."),
    ("The dog chased the cat around the yard.", "The cat chased the dog around the yard."),
]
PROMPT = "Always answer in the language the user writes in."
ROOM = "The meeting room is Blue Heron on the third floor."


@pytest.fixture(params=["none", "minilm"])
def file(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Recollect]:
    """Give a memory in a file, by words and by meaning."""
    with Recollect(tmp_path / "memory.db", embedder=request.param, clock=clock) as opened:
        yield opened


def chat(rc: Recollect, space: Space, *said: str) -> None:
    """Say something and be answered, one after the other."""
    for text in said:
        space.observe("user", text)
        space.observe("assistant", "ok")
        rc.run_jobs()


def kept(space: Space) -> set[str]:
    """Give the facts that stand."""
    return {one.content for one in space.list(kinds=["fact"], limit=100)}


@pytest.mark.parametrize(("old", "new"), NEWS)
def test_the_newer_is_not_lost(file: Recollect, old: str, new: str) -> None:
    """Saved one after the other, in either order, the second is no duplicate of the first."""
    for at, (first, second) in enumerate(((old, new), (new, old))):
        space = file.space(f"ana{at}")
        space.remember(first)
        assert space.remember(second).outcome in ("stored", "superseded")
        assert second in kept(space)


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("my blood type is B", "my blood type is A", "The user's blood type is A."),
        ("the meeting is at 5 pm", "the meeting is at 5 am", "The meeting is at 5 am."),
        ("the server is up", "the server is down", "The server is down."),
        ("Tom is taller than Kim", "Kim is taller than Tom", "Kim is taller than Tom."),
    ],
)
def test_what_is_asked_for_is_kept(file: Recollect, old: str, new: str, fact: str) -> None:
    """A wish to have something remembered is no echo of the one before it."""
    ana = file.space("ana", "helper", "s1")
    chat(file, ana, f"Remember that {old}.", f"Remember that {new}.")
    assert ana.end().numbers["rejected"] == 0
    assert fact in kept(ana)


@pytest.mark.parametrize(("old", "new"), NEWS)
def test_a_model_brings_news(tmp_path: Path, clock: FixedClock, old: str, new: str) -> None:
    """What the user says and a model proposes in his words is learnt beside what an earlier session left."""
    with ScriptedLlm() as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
        url = tmp_path / "memory.db"
        with Recollect(url, embedder="none", llm="openai:small", models=chosen, clock=clock) as rc:
            for session, said in (("s1", old), ("s2", new)):
                ana = rc.space("ana", "helper", session)
                for text in (said, "So.", "Yes.", "Fine."):
                    ana.observe("user", text)
                    clock.advance(minutes=1)
                server.say({"facts": [{"content": said, "quote": said, "turn": 1}], "summary": ""})
                assert ana.end().numbers["rejected"] == 0
            assert new in kept(ana)


@pytest.mark.parametrize("before", ["tool", "system", "block"])
def test_a_wish_is_kept_whoever_said_it_before(file: Recollect, before: str) -> None:
    """What a tool, a prompt or a boot file said is learnt when the user asks for it, not when he only says it back."""
    ana = file.space("ana", "helper", "s1")
    if before == "block":
        ana.remember(ROOM, kind="block")
    else:
        ana.observe(before, ROOM)
    chat(file, ana, ROOM)
    ana.end()
    assert kept(ana) == set()
    chat(file, ana, f"Please remember that t{ROOM[1:]}")
    assert kept(ana) == {ROOM}
    chat(file, ana, f"Remember that t{ROOM[1:]}")
    assert kept(ana) == {ROOM}


@pytest.mark.parametrize("back", [PROMPT, PROMPT.upper(), f"As you know: {PROMPT}", PROMPT.replace(" the user", " he")])
def test_a_prompt_said_back_is_no_wish(file: Recollect, back: str) -> None:
    """An order to the assistant that stands in its prompt stays unlearnt; an order of the user's own is learnt."""
    ana = file.space("ana", "helper", "s1")
    ana.observe("system", f"You are a helpful assistant. {PROMPT}")
    chat(file, ana, back)
    ana.end()
    assert kept(ana) == set()
    chat(file, ana, "Always answer in short sentences.")
    assert kept(ana) == {"The user wants the assistant to always answer in short sentences."}


@pytest.mark.parametrize("first", ["", "Remember that "])
@pytest.mark.parametrize("then", ["", "Remember that "])
def test_an_addition_is_kept(file: Recollect, first: str, then: str) -> None:
    """What says all of an important fact and more is not its duplicate; where it may not stand for both, both stand."""
    ana = file.space("ana", "helper", "s1")
    chat(file, ana, f"{first}I'm allergic to penicillin.", f"{then}I'm allergic to penicillin and aspirin.")
    ana.end()
    assert "The user is allergic to penicillin and aspirin." in kept(ana)


def test_an_addition_to_what_is_firm_stands_beside_it(file: Recollect) -> None:
    """A pinned fact is neither merged nor does it swallow what is more than it says; the same again is known."""
    ana = file.space("ana")
    old, more = "Ana is allergic to penicillin.", "Ana is allergic to penicillin and aspirin."
    ana.pin(ana.remember(old).id)
    assert ana.remember(more).outcome == "stored"
    assert ana.remember(more).outcome == "duplicate"
    assert kept(ana) == {old, more}
    assert ana.remember("Ana is indeed allergic to penicillin.").outcome == "duplicate"
