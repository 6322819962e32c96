"""The clients of two public benchmarks, called as their harnesses call them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recollect import Closed, InvalidInput, Recollect
from recollect.adapters.agent_memory_benchmark import RecollectMemoryProvider
from recollect.adapters.omnimemeval import TENANT, RecollectClient


@dataclass
class Paper:
    """A document with the fields AMB gives it."""

    id: str
    content: str
    user_id: str | None = None
    messages: list[dict[str, Any]] | None = None
    timestamp: str | None = None
    context: str | None = None


def said(*texts: str, time: str = "2024-05-01T10:00:00+00:00") -> list[dict[str, Any]]:
    """Give messages as OmniMemEval writes them."""
    return [{"role": "user", "name": "Ana", "content": f"Ana: {text}", "chat_time": time} for text in texts]


def test_omnimemeval_adds_and_searches(rc: Recollect) -> None:
    """Sessions are kept once, found as text with their day, apart by user, and erased."""
    client = RecollectClient(rc)
    assert client.search("viola", "u1", 20) == ""
    messages = [*said("I play the viola.", "Its name is Greta."), {"role": "user", "content": " "}]
    client.add(messages, "u1")
    client.add(messages, "u1")
    client.add(said("I bought strings.", time="2024-06-01T10:00:00+00:00"), "u1", session_key="s2")
    client.add([], "u1")
    space = rc.space("u1", tenant=TENANT)
    assert space.stats().kinds["episode"] == 3
    assert sorted(one.id for one in space.sessions()) == ["2024-05-01T10:00:00+00:00", "s2"]
    lines = client.search("Who plays the viola?", "u1", 5).splitlines()
    assert any(line.startswith("[2024-05-01T10:00") and line.endswith("Ana: I play the viola.") for line in lines)
    assert len(client.search("viola Greta", "u1", 1).splitlines()) == 1
    assert client.search("viola", "u2", 20) == ""
    client.delete("u1")
    assert client.search("viola", "u1", 20) == ""
    with pytest.raises(InvalidInput, match="user"):
        client.add(said("x"), "")
    with pytest.raises(InvalidInput, match="not a time"):
        client.add(said("x", time="soon"), "u1")


def test_amb_ingests_and_retrieves(rc: Recollect, tmp_path: Path) -> None:
    """Messages, messages written as JSON and plain text are kept once, found by user, and gone after a reset."""
    provider = RecollectMemoryProvider(rc)
    provider.initialize()
    provider.prepare(tmp_path, unit_ids={"a"}, reset=True)
    talk = [{"role": "user", "content": "I play the viola."}, {"role": "assistant", "content": ""}]
    papers = [
        Paper("d1", "", "a", talk, "2024-05-01T10:00:00+00:00"),
        Paper("d2", json.dumps([{"role": "user", "content": "I keep bees in Łódź."}]), "a"),
        Paper("d3", "[Turn 1] User: A kiln.\n\n" + "word " * 500 + "\n\nThe budget is 450 euros.", "a"),
        Paper("d4", "Nobody in particular owns a telescope."),
    ]
    asyncio.run(provider.async_ingest(papers))
    provider.ingest(papers)
    documents, raw = provider.retrieve("Who plays the viola?", k=3, user_id="a", query_timestamp="2024-06-01")
    assert (documents[0].content, documents[0].user_id) == ("I play the viola.", "a")
    assert str(documents[0].timestamp).startswith("2024-05-01")
    assert raw is not None
    assert raw["hits"][0]["id"] == documents[0].id
    assert "bees" in asyncio.run(provider.async_retrieve("bees", user_id="a"))[0][0].content
    assert "450" in provider.retrieve_by_steps([1], "budget", user_id="a")[0][0].content
    assert provider.retrieve("telescope", user_id="a")[0] == []
    assert len(provider.retrieve("telescope")[0]) == 1
    assert rc.space("a", tenant="amb").stats().kinds["episode"] == 5
    with pytest.raises(NotImplementedError, match="rag"):
        provider.direct_answer("x")
    provider.prepare(tmp_path, reset=False)
    assert provider.retrieve("viola", user_id="a")[0]
    provider.prepare(tmp_path, reset=True)
    assert provider.retrieve("viola", user_id="a")[0] == []
    provider.cleanup()
    assert rc.space("a").stats().kinds == {}


def test_amb_in_a_folder_of_its_own(tmp_path: Path) -> None:
    """Without a memory it opens one in the folder it is given, goes on there, and closes it."""
    provider = RecollectMemoryProvider()
    with pytest.raises(Closed, match="prepare"):
        provider.retrieve("x")
    provider.prepare(tmp_path / "store" / "all")
    provider.ingest([Paper("d1", "I play the viola.", "a")])
    provider.cleanup()
    provider.cleanup()
    again = RecollectMemoryProvider()
    again.prepare(tmp_path / "store" / "all", reset=False)
    assert again.retrieve("viola", user_id="a")[0][0].content == "I play the viola."
    again.cleanup()
