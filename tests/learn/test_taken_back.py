"""Words taken back or put right at once: what the message before left is forgotten or corrected, whenever jobs run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")

LOCKER = "Remember that my locker code is 4417."
BOSS = "Remember that my boss is Tom."


def facts(space: Space, state: str = "active") -> list[str]:
    """Give the facts in a state."""
    return sorted(one.content for one in space.list(kinds=["fact"], limit=50, states=[state]))


def chat(rc: Recollect, *said: str, jobs: bool = True, actors: tuple[str, ...] = ()) -> tuple[Space, str]:
    """Talk, let jobs run after each message or only at the end, and give what the last run told of learning."""
    space = rc.space("u1", session="s")
    told = [""]
    for at, text in enumerate(said):
        space.observe("user", text, actor=actors[at] if actors else "")
        space.observe("assistant", "ok")
        told += [one.text for one in rc.run_jobs() if one.job == "learn"] if jobs else []
    told += [one.text for one in rc.run_jobs() if one.job == "learn"]
    space.end()
    return space, told[-1]


def opened(tmp_path: Path, **more: Any) -> Recollect:
    """Open a memory without an embedder."""
    tmp_path.mkdir(exist_ok=True)
    return Recollect(tmp_path / "m.db", embedder="none", clock=FixedClock(), **more)


@pytest.mark.parametrize("jobs", [True, False])
@pytest.mark.parametrize(
    ("said", "back"),
    [
        (LOCKER, "Forget what I just said."),
        (LOCKER, "Forget that."),
        (LOCKER, "Just kidding."),
        (LOCKER, "Never mind, scratch that, please."),
        (LOCKER, "Forget I said that."),
        (LOCKER + " Thanks!", "Forget what I just said."),
        (BOSS, "forget that my boss is Tom"),
        ("Call me Bob.", "Forget what I just said."),
        ("Call me Bob.", "don't call me Bob"),
    ],
)
def test_what_is_taken_back_is_forgotten(tmp_path: Path, said: str, back: str, jobs: bool) -> None:
    """Nothing of it stands, whether the job had stored it already or both messages were there before it ran."""
    with opened(tmp_path) as rc:
        space, told = chat(rc, said, back, jobs=jobs)
        assert facts(space) == []
        assert len(facts(space, "deleted")) == jobs
        assert ("1 forgotten: the speaker took it back." in told) is jobs


def test_what_is_forgotten_can_be_restored(tmp_path: Path) -> None:
    """It is out of sight as with forget: its line is in the history, and restore brings it back."""
    with opened(tmp_path) as rc:
        space, _ = chat(rc, LOCKER, "Forget that.")
        (gone,) = space.list(kinds=["fact"], states=["deleted"])
        assert [one.op for one in space.history(gone.id)][-1] == "taken back"
        space.restore(gone.id)
        assert facts(space) == ["The user's locker code is 4417."]


@pytest.mark.parametrize(
    ("said", "right", "content"),
    [
        (BOSS, "oh wait, not Tom, Tim", "The user's boss is Tim."),
        ("Remember that I'm flying on May 18th.", "sorry, I meant the 19th", "The user is flying on May 19th."),
        ("Remember that my shoe size is 41.", "I said 41, it's actually 42", "The user's shoe size is 42."),
    ],
)
@pytest.mark.parametrize("jobs", [True, False])
def test_what_is_put_right_says_what_was_meant(tmp_path: Path, said: str, right: str, content: str, jobs: bool) -> None:
    """A documented correction takes the place of what was asked for, however early that was stored."""
    with opened(tmp_path) as rc:
        space, told = chat(rc, said, right, jobs=jobs)
        assert facts(space) == [content]
        assert "1 put right in the speaker's words." in told


def test_end_alone_puts_right_what_was_asked_for(tmp_path: Path) -> None:
    """Without the job, the session's end reads the same."""
    with opened(tmp_path) as rc:
        space = rc.space("u1", session="s")
        for text in (BOSS, "oh wait, not Tom, Tim", "My cat is called Miau.", "forget that my cat is called Miau"):
            space.observe("user", text)
        space.end()
        rc.run_jobs()
        assert facts(space) == ["The user's boss is Tim."]


@pytest.mark.parametrize(
    "text",
    [
        "Why did you forget what I just said?",
        "You always forget what I just said.",
        "Don't forget that my boss is Tom.",
        "Forget what I told you yesterday about Ann.",
        "Don't call me tomorrow.",
        "Not bad, thanks.",
        "Forget that my boss is Ann.",
    ],
)
def test_what_only_sounds_like_it_takes_nothing_back(tmp_path: Path, text: str) -> None:
    """Complaints, reminders and what is about something else leave what was stored."""
    with opened(tmp_path) as rc:
        space, _ = chat(rc, BOSS, text)
        assert facts(space) == ["The user's boss is Tom."]


def test_only_the_message_before_by_the_same_speaker(tmp_path: Path) -> None:
    """Nobody takes back for another, what was confirmed stands, and what lies further back does too."""
    with opened(tmp_path) as rc:
        space, _ = chat(rc, BOSS, "Just kidding.", actors=("Ana", "Bob"))
        assert facts(space) == ["Ana's boss is Tom."]
    with opened(tmp_path / "two") as rc:
        space, _ = chat(rc, BOSS, "What a day.", "Forget that.")
        assert facts(space) == ["The user's boss is Tom."]
    with opened(tmp_path / "three") as rc:
        space, _ = chat(rc, BOSS)
        space.confirm(space.list(kinds=["fact"])[0].id)
        space.observe("user", "Just kidding.")
        rc.run_jobs()
        assert facts(space) == ["The user's boss is Tom."]


def test_what_stood_before_stands_again(tmp_path: Path) -> None:
    """A joke that took the place of a value gives it back, in a slot too."""
    with opened(tmp_path) as rc:
        space, _ = chat(rc, "Remember that my boss is Ann.", BOSS, "Just kidding.")
        assert facts(space) == ["The user's boss is Ann."]
    with opened(tmp_path / "two") as rc:
        space, _ = chat(rc, "Call me Ann.", "Call me Bob.", "Just kidding.")
        assert facts(space) == ["The user prefers to be called Ann."]


def test_all_takes_back_what_waits_too(tmp_path: Path) -> None:
    """What was told in passing and learnt at once goes as well, with the proposal it left."""
    with opened(tmp_path, learning={"mode": "all"}) as rc:
        space, _ = chat(rc, "I live in Lisbon.", "Forget what I just said.")
        assert (facts(space), space.inbox()) == ([], [])
        other, _ = chat(rc, "I live in Boston.", "oh wait, not Boston, Denver")
        assert facts(other) == ["The user lives in Denver."]


@pytest.mark.parametrize("jobs", [True, False])
def test_a_model_keeps_nothing_that_was_taken_back(tmp_path: Path, jobs: bool) -> None:
    """What a model reads in words that were taken back is refused, whatever was stored before."""
    fact = {"content": "The user's locker code is 4417.", "quote": "my locker code is 4417", "turn": 1}
    with ScriptedLlm(lambda asked: {"facts": [fact], "summary": ""}) as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
        with opened(tmp_path, llm="openai:small", models=chosen) as rc:
            space, _ = chat(rc, LOCKER, "Forget what I just said.", jobs=jobs)
            assert facts(space) == []
