"""Who said what: everybody's words stay his own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.rules.learn.notes import shown
from recollect.testing.judge import PlainJudge
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")


def facts(space: Space) -> list[str]:
    """Give the facts that stand."""
    return sorted(one.content for one in space.list(kinds=["fact"], limit=50))


@pytest.fixture
def talks(rc: Recollect) -> Recollect:
    """Give a memory with a judge that needs no model."""
    rc._runtime.own_judge = PlainJudge()
    return rc


def said(space: Space) -> list[str]:
    """Give the notes as people read them, without the day."""
    return sorted(re.sub(r", [^:]*:", ":", shown(one), count=1) for one in space.list(kinds=["fact"], limit=50))


def test_several_people_stay_apart(talks: Recollect) -> None:
    """In a talk of several people each says his own, and the same words of two are two notes."""
    team = talks.space("team", session="1")
    for actor, text in (("Ana", "I live in Lisbon."), ("Bob", "I live in Berlin."), ("Bob", "I live in Lisbon.")):
        team.observe("user", text, actor=actor)
    team.end()
    assert said(team) == ["Ana: “I live in Lisbon.”", "Bob: “I live in Berlin.”", "Bob: “I live in Lisbon.”"]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(("user", "actor"), [("ana", "Ana"), ("ana", ""), ("ana.silva", "Ana Silva"), ("u7", "Ana")])
def test_a_guest_changes_nothing_of_the_owner(talks: Recollect, user: str, actor: str, order: int) -> None:
    """What somebody else says of himself is his, is believed less, and takes the place of nothing the owner told."""
    talk = [(actor, "I live in Lisbon."), ("Bob", "I live in Berlin. Call me Root.")]
    for at, (who, text) in enumerate(talk[::order]):
        space = talks.space(user, session=f"s{at}")
        space.observe("user", text, actor=who)
        space.end()
    found = {one.content: (one.actor, one.trust) for one in space.list(kinds=["fact"]) if not one.key}
    assert found["I live in Berlin."][0] == "Bob"
    assert "Berlin" in str(said(space))
    if order == 1:
        assert found["I live in Lisbon."][1] == 1.0
        assert found["I live in Berlin."][1] < 1.0
        assert space.list(kinds=["fact"], key="preferred_name") == []


def test_a_model_tells_nothing_of_a_guest_as_the_users(tmp_path: Path) -> None:
    """What somebody else said of himself is his, also where a model calls him the user."""
    told = [
        ("The user lives in Lisbon.", "I live in Lisbon.", 1),
        ("The user lives in Berlin.", "I live in Berlin.", 2),
    ]
    proposed = [{"content": content, "quote": quote, "turn": turn} for content, quote, turn in told]
    with ScriptedLlm(lambda asked: {"facts": proposed, "summary": ""}) as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
        with Recollect(tmp_path / "m.db", embedder="none", llm="openai:small", models=chosen) as opened:
            space = opened.space("ana", session="1")
            for actor, said in (("", "I live in Lisbon."), ("Bob", "I live in Berlin."), ("", "Hm."), ("", "Bye.")):
                space.observe("user", said, actor=actor)
            space.end()
            assert facts(space) == ["Bob lives in Berlin.", "The user lives in Lisbon."]
