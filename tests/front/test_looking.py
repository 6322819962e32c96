"""Thinking, hearing of changes, and reading again for names: the verbs that look at memory as a whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from recollect import InvalidInput, Notice, Recollect, Space, Tools, Unavailable
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that says what it is told to."""
    with ScriptedLlm() as scripted:
        yield scripted


def opened(url: str, server: ScriptedLlm, clock: FixedClock) -> Recollect:
    """Open a memory with a model."""
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    return Recollect(url, embedder="none", llm="openai:small", models=chosen, clock=clock)


def test_an_answer_names_its_sources(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """002.39: sentences with [n], what is not known last, nothing without a source, fewer than 150 words."""
    server.say(
        {
            "sentences": [
                {"text": "The ferry leaves at nine.", "sources": [1]},
                {"text": "It costs three euros.", "sources": [7]},
                {"text": "word " * 200, "sources": [1]},
            ],
            "unknown": "What it costs.",
        }
    )
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        ana.remember("The ferry to Almada leaves at nine.")
        made = ana.think("When does the ferry leave, and what does it cost?")
        assert (made.answer, made.unknown) == ("The ferry leaves at nine. [1]", "What it costs.")
        assert len(made.hits) == 1
        server.say({"sentences": [{"text": "At nine.", "sources": [1]}], "unknown": ""})
        told = Tools(ana, "openlegion").dispatch("memory_think", {"query": "When does the ferry leave?"}).text
    assert told == "At nine. [1]\nNot in memory: nothing that was asked for."


def test_without_a_model_the_evidence_is_the_answer(ana: Space) -> None:
    """002.39: nobody to ask is no failure, and nothing found says so."""
    ana.remember("The ferry to Almada leaves at nine.")
    made = ana.think("ferry?")
    assert (made.answer, made.problem, len(made.hits)) == ("", "no model is set", 1)
    assert ana.think("zebra").unknown == "Nothing in memory is about this."
    with pytest.raises(InvalidInput):
        ana.think(" ")


def test_changes_are_heard_of(rc: Recollect) -> None:
    """001.62: a subscriber hears of every change once and in order, and of sessions completed."""
    heard: list[Notice] = []
    done = threading.Event()

    def told(notice: Notice) -> None:
        heard.append(notice)
        if {"change", "session_completed"} <= {one.name for one in heard} and "/ben" in {one.owner for one in heard}:
            done.set()

    ana = rc.space("ana", session="s1")
    ana.remember("Before anybody listened.")
    with rc.subscribe(told):
        kept = ana.remember("Ana likes tea.")
        rc.space("ben").remember("Ben likes coffee.")
        ana.observe("user", "I live in Lisbon.")
        ana.end()
        assert done.wait(PATIENCE)
    mine = [one for one in heard if one.owner == ana.owner]
    assert mine[0].entry.memory_id == kept.id
    assert [one.entry.rev for one in mine] == sorted(one.entry.rev for one in mine)
    assert {one.owner for one in heard} == {"/ana", "/ben"}
    assert [one.session for one in heard if one.name == "session_completed"][0] == "s1"  # noqa: RUF015


def test_one_space_is_followed_from_a_revision(ana: Space, rc: Recollect) -> None:
    """A subscriber may begin where it stopped; one that fails does not deafen itself."""
    ana.remember("Ana likes tea.")
    rev = ana.stats().rev
    ana.remember("Ana likes coffee.")
    heard: list[Any] = []
    twice = threading.Event()

    def told(notice: Notice) -> None:
        heard.append(notice.entry.rev)
        if len(heard) > 1:
            twice.set()
        raise RuntimeError("a fault of the listener")

    with ana.subscribe(told, since=rev):
        rc.space("ben").remember("Ben likes coffee.")
        ana.remember("Ana has a cat.")
        assert twice.wait(PATIENCE)
    assert heard[0] == rev + 1


def test_names_are_read_again_one_by_one(ana: Space) -> None:
    """001.11: whether anybody can, which wait, and one read again; without anybody it is said what to install."""
    kept = ana.remember("We met Joanna in Lisbon.")
    assert ana.accurate_ner_available() is False
    assert isinstance(ana.get_memories_for_enrichment(5), list)
    with pytest.raises(Unavailable, match="pip install"):
        ana.enrich_memory_entities(kept.id)


def test_names_are_found_by_a_model(database: str, server: ScriptedLlm, clock: FixedClock, monkeypatch: Any) -> None:
    """001.11: with a model at hand a memory is read again at once, and its names are known."""
    monkeypatch.setenv("RECOLLECT_ENTITIES__ACCURATE", "llm")
    server.say({"things": [{"memory": 1, "text": "Joanna", "type": "person", "canonical": None}]})
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        kept = ana.remember("we met Joanna there.")
        assert ana.accurate_ner_available()
        assert ana.enrich_memory_entities(kept.id) >= 1
        assert ana.entity("Joanna") is not None
