"""Topics that are known, facts as they are said to a person, and insights that speak for a field of the profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import Recollect, Space
from recollect.rules.learn.topics import settled_topic
from recollect.serve.cli import whole
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.patience import PATIENCE

SAID = ("I moved to Porto in May.", "My boat is called Otter.", "I never eat fish.", "Good night.")


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[..., tuple[Recollect, ScriptedLlm]]]:
    """Give what opens a memory whose model is a script."""
    made: list[Any] = []

    def open_it(script: Callable[[Asked], Saying]) -> tuple[Recollect, ScriptedLlm]:
        model = ScriptedLlm(script)
        chosen: dict[str, Any] = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
        rc = Recollect(tmp_path / "m.db", clock=clock, llm="openai:small", models=chosen, embedder="none")
        made.extend((rc, model))
        return rc, model

    yield open_it
    for one in made:
        one.close()


def talk(space: Space) -> None:
    """Say a few things and close the conversation."""
    for text in SAID:
        space.observe("user", text, actor="Ana")
    space.end()


def facts(*more: dict[str, Any]) -> Callable[[Asked], Saying]:
    """Give a model that reads these facts out of any conversation."""
    return lambda asked: {"facts": list(more), "summary": "Ana told of herself."}


BOAT = {"content": "Ana's boat is called Otter.", "quote": "My boat is called Otter.", "turn": 2}


def test_000_76_a_model_is_shown_known_topics_and_held_to_them(opened: Callable[..., Any]) -> None:
    """It reads the topics there are; one that is nearly a known one, in any order of words, is filed under that."""
    rc, model = opened(facts({**BOAT, "topic": "boats and sailing"}))
    ana = rc.space("ana", session="s1")
    ana.remember("Ana sails on Sundays.", topic="Sailing and boats")
    ana.remember("Ana repairs sails.", topic="Sailing and boats")
    ana.remember("Ana cooks.", topic="kitchen 2")
    talk(ana)
    assert '<data name="topics">\nSailing and boats, kitchen 2\n</data>' in model.requests[0].user
    made = next(one for one in ana.list() if one.content == BOAT["content"])
    assert made.topic == "Sailing and boats"


@pytest.mark.parametrize(
    ("topic", "known", "expected"),
    [
        ("Sailng", ["sailing", "work"], "sailing"),
        ("home repairs", ["repairs home"], "repairs home"),
        ("kitchen 3", ["kitchen 2"], "kitchen 3"),
        ("work", ["walking the dog"], "work"),
        ("", ["work"], ""),
        ("work", [], "work"),
        ("Küche", ["küche"], "küche"),
        ("料理", ["料理"], "料理"),
    ],
)
def test_000_76_when_two_topics_are_one(topic: str, known: list[str], expected: str) -> None:
    """From 0.75 on they are, unless their numbers differ."""
    assert settled_topic(topic, known) == expected


def test_000_76_what_a_user_files_himself_stays(opened: Callable[..., Any]) -> None:
    """An explicit topic is kept as it was given."""
    rc, _ = opened(facts())
    ana = rc.space("ana")
    ana.remember("Ana sails.", topic="sailing")
    assert ana.get(ana.remember("Ana rows.", topic="sailng").id).topic == "sailng"


def test_003_61_a_fact_as_it_is_said_to_the_person(opened: Callable[..., Any], tmp_path: Path) -> None:
    """It is kept beside the fact and shown where the person is asked; one that says something else is left out."""
    rc, _ = opened(
        facts(
            {**BOAT, "display": "Your boat is called Otter."},
            {
                "content": "Ana moved to Porto in May.",
                "quote": "I moved to Porto in May.",
                "turn": 1,
                "display": "You moved to Lisbon in May.",
            },
            {
                "content": "Ana never eats fish.",
                "quote": "I never eat fish.",
                "turn": 3,
                "display": "You eat fish.",
            },
            {"content": "Ana", "quote": "My boat", "turn": 2, "slot": "preferred_name", "value": "Ana"},
        )
    )
    ana = rc.space("ana", session="s1")
    talk(ana)
    shown = {one.content: one.attributes.get("display") for one in ana.list() if not one.attributes.get("note")}
    assert shown[BOAT["content"]] == "Your boat is called Otter."
    assert shown["Ana moved to Porto in May."] is None
    assert shown["Ana never eats fish."] is None
    with Recollect(tmp_path / "now.db", embedder="none") as now:
        attributes = {"display": "You live in Porto."}
        waits = now.space("ana").remember("Porto", source="session", attributes=attributes, key="city")
        assert waits.outcome == "queued"
    told = CliRunner().invoke(whole(), ["inbox", "--db", str(tmp_path / "now.db"), "--user", "ana"])
    assert "You live in Porto." in told.stdout


def insight(slot: str, value: str, confidence: float) -> Callable[[Asked], Saying]:
    """Give a model that infers one thing, and reads a tone out of conversations."""

    def answer(asked: Asked) -> Saying:
        if "insights" in asked.system:
            one = {"summary": "Ana seems to like short answers.", "sources": [1], "confidence": confidence}
            return {"insights": [{**one, "fills": f"{slot}: {value}"}]}
        quote = {"content": "Ana likes short answers.", "quote": "I never eat fish.", "turn": 3}
        return {"facts": [{**quote, "slot": "tone", "value": "short", "confidence": 0.8}], "summary": "x"}

    return answer


@pytest.mark.parametrize(
    ("slot", "value", "confidence", "waiting"),
    [
        ("tone", "short", 0.95, 1),
        ("tone", "short", 0.8, 0),
        ("city", "Porto", 0.99, 0),
        ("shoe size", "41", 0.99, 0),
        ("", "", 0.99, 0),
    ],
)
def test_003_47_a_sure_insight_is_one_signal(
    opened: Callable[..., Any], clock: FixedClock, slot: str, value: str, confidence: float, waiting: int
) -> None:
    """Alone it only proposes, below the line it is none, and of who somebody is nothing is inferred."""
    rc, _ = opened(insight(slot, value, confidence))
    ana = rc.space("ana", session="s1")
    ana.remember("Ana keeps bees.")
    ana.observe("user", "Shorter, please.", actor="Ana")
    report = rc.run_jobs(["infer"])[0]
    assert report.status == "ok", report.text
    found = [one.memory for one in ana.inbox()]
    assert [(one.key, one.content) for one in found] == [(slot, value)] * waiting
    assert ("one signal" in report.text) == bool(waiting)
    assert ana.list(key="tone") == []
    if waiting:
        assert found[0].confidence < 0.9


def test_003_47_with_a_turn_that_agrees_the_field_is_filled(opened: Callable[..., Any], clock: FixedClock) -> None:
    """Two signals from different places are enough: the insight, and what was said."""
    rc, _ = opened(insight("tone", "short", 0.95))
    ana = rc.space("ana", session="s1")
    ana.remember("Ana keeps bees.")
    ana.observe("user", "Shorter, please.", actor="Ana")
    rc.run_jobs(["infer"])
    assert len(ana.inbox()) == 1
    clock.advance(hours=1)
    heard = ana.remember("short", key="tone", source="session", confidence=0.8, attributes={"turn": "ep_1"})
    assert heard.outcome == "stored", heard
    assert [one.content for one in ana.list(key="tone")] == ["short"]
    assert ana.inbox() == []


def sailing(rc: Recollect) -> Space:
    """File facts under topics that are nearly one, and under one that is not."""
    ana = rc.space("ana")
    told = (("sailing boats", 3), ("Boats, sailing", 2), ("sailing boat", 1), ("kitchen 2", 1), ("kitchen 3", 1))
    for row, (topic, many) in enumerate(told, 1):
        for number in range(many):
            assert ana.remember(f"Entry {row * 100 + number * 11} of the log is done.", topic=topic).outcome == "stored"
    return ana


def topics(space: Space) -> dict[str, int]:
    """Count the facts of each topic."""
    return dict(sorted(Counter(one.topic for one in space.list(kinds=["fact"])).items()))


BEFORE = {"Boats, sailing": 2, "kitchen 2": 1, "kitchen 3": 1, "sailing boat": 1, "sailing boats": 3}
AFTER = {"kitchen 2": 1, "kitchen 3": 1, "sailing boats": 6}


@pytest.fixture
def anywhere(database: str, clock: FixedClock) -> Iterator[Recollect]:
    """Give a memory on each engine, with a model that has nothing to say."""
    with ScriptedLlm(lambda asked: {"verdicts": []}) as model:
        chosen: dict[str, Any] = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
        with Recollect(database, clock=clock, llm="openai:small", models=chosen, embedder="none") as rc:
            yield rc


def test_000_76_topics_that_are_nearly_one_are_asked_about(anywhere: Recollect, clock: FixedClock) -> None:
    """At night they come into the inbox, once; accepted they are filed as one, and that can be taken back."""
    ana = sailing(anywhere)
    report = anywhere.run_jobs(["merge"])[0]
    assert report.numbers["topics"] == 1, report.text
    (asked,) = ana.inbox()
    assert asked.memory.content == "Boats, sailing, sailing boat → sailing boats"
    assert "file 3 memories under 'sailing boats'" in asked.reason
    assert anywhere.run_jobs(["merge"])[0].numbers["topics"] == 0
    assert [hit.memory.topic for hit in ana.recall("→", limit=50)].count("") == 0
    texts = sorted(one.content for one in ana.list(kinds=["fact"]))
    done = ana.inbox.accept(asked.memory.id)
    assert (done.op, done.count, topics(ana)) == ("accepted", 3, AFTER)
    assert sorted(one.content for one in ana.list(kinds=["fact"])) == texts
    assert ana.inbox() == []
    ana.take_back(done.rev)
    assert topics(ana) == BEFORE
    assert [one.memory.id for one in ana.inbox()] == [asked.memory.id]


def test_000_76_a_question_about_topics_rejected_or_amended(anywhere: Recollect, clock: FixedClock) -> None:
    """Rejected it changes nothing and is not asked again; amended, the owner's own word stands for them."""
    ana = sailing(anywhere)
    run = anywhere.run_jobs(["merge"])[0].run
    ana.jobs.undo(run)
    assert ana.inbox() == []
    anywhere.run_jobs(["merge"])
    ana.inbox.reject(ana.inbox()[0].memory.id)
    assert topics(ana) == BEFORE
    clock.advance(days=1)
    assert anywhere.run_jobs(["merge"])[0].numbers["topics"] == 0
    ana.remember("The galley is painted.", topic="sailing  boatz")
    anywhere.run_jobs(["merge"])
    ana.inbox.amend(ana.inbox()[0].memory.id, "on the water")
    assert topics(ana) == {"kitchen 2": 1, "kitchen 3": 1, "on the water": 7}
