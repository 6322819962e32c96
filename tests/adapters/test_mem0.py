"""mem0's interface on this memory: every method, its shapes, its errors, and what raises there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.adapters.mem0 import AsyncMemory, Memory
from recollect.adapters.mem0_shapes import ValidationError
from recollect.testing import FixedClock
from recollect.testing.judge import PlainJudge

ANA = {"user_id": "ana"}


@pytest.fixture
def memory(database: str, clock: FixedClock) -> Iterator[Memory]:
    """Give mem0's memory on one of ours, with a judge that keeps what people say of themselves."""
    with Recollect(database, clock=clock) as rc:
        rc._runtime.own_judge = PlainJudge()
        yield Memory(rc)


def raw(memory: Memory, text: str, **more: Any) -> str:
    """Keep one text as it is, and give its id."""
    added = memory.add(text, infer=False, **{**ANA, **more})["results"]
    return str(added[0]["id"])


def texts(answer: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Give what the memories of an answer say."""
    return [one["memory"] for one in answer["results"]]


def test_adding_as_it_is(memory: Memory) -> None:
    """Each message but the system's is a memory, with its role and who said it."""
    said = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Ana plays the viola.", "name": "Ana"},
        {"role": "assistant", "content": "Ana should practise daily."},
        {"role": "user"},
    ]
    results = memory.add(said, user_id="ana", infer=False)["results"]
    assert [(one["memory"], one["event"], one["actor_id"], one["role"]) for one in results] == [
        ("Ana plays the viola.", "ADD", "Ana", "user"),
        ("Ana should practise daily.", "ADD", None, "assistant"),
    ]
    again = memory.add("Ana plays the viola.", user_id="ana", infer=False)["results"][0]
    assert (again["event"], again["id"]) == ("NONE", results[0]["id"])


def test_adding_what_a_conversation_tells(memory: Memory) -> None:
    """With infer, what people tell becomes memories, in a run and outside; small talk does not."""
    said = [{"role": "user", "content": "I live in Lisbon."}, {"role": "assistant", "content": "How nice!"}]
    results = memory.add(said, user_id="ana", run_id="r1", metadata={"mood": "calm"})["results"]
    assert [(one["memory"], one["event"]) for one in results] == [("I live in Lisbon.", "ADD")]
    item = memory.get(results[0]["id"])
    assert item is not None
    assert (item["user_id"], item["run_id"], item["metadata"]) == ("ana", "r1", {"mood": "calm"})
    assert memory.add("What time is it?", user_id="ana")["results"] == []


def test_one_memory(memory: Memory, clock: FixedClock) -> None:
    """An item has mem0's fields; nobody's id gives None."""
    id = raw(memory, "Ana plays the viola.", agent_id="helper", metadata={"topic": "music", "user_id": "eve"})
    item = memory.get(id)
    assert item is not None
    assert set(item) == {"id", "memory", "hash", "metadata", "score", "created_at", "updated_at", "user_id",
                         "agent_id", "role"}  # fmt: skip
    assert (item["metadata"], item["user_id"]) == ({"topic": "music"}, "ana")
    assert datetime.fromisoformat(item["created_at"]) == clock()
    assert memory.get("nobody") is None
    assert memory.get("fact_0@ana") is None


def test_all_of_them(memory: Memory) -> None:
    """Lists are narrowed by ids and metadata; ids beside the filters, and no ids at all, are refused as there."""
    raw(memory, "Ana plays the viola.", agent_id="helper", metadata={"level": 3})
    raw(memory, "Ana has a cat.", run_id="r1", metadata={"level": 5})
    raw(memory, "Bob rows.", user_id="bob", agent_id="helper")
    assert set(texts(memory.get_all(filters=ANA))) == {"Ana plays the viola.", "Ana has a cat."}
    assert texts(memory.get_all(filters={**ANA, "run_id": "r1"})) == ["Ana has a cat."]
    assert set(texts(memory.get_all(filters={"agent_id": "helper"}))) == {"Ana plays the viola.", "Bob rows."}
    assert len(memory.get_all(filters=ANA, top_k=1)["results"]) == 1
    assert memory.get_all(filters=ANA, top_k=0)["results"] == []
    for wanted, found in (
        ({"level": {"gt": 3}}, ["Ana has a cat."]),
        ({"level": 3}, ["Ana plays the viola."]),
        ({"OR": [{"level": 3}, {"level": {"in": [9]}}]}, ["Ana plays the viola."]),
        ({"NOT": [{"level": 3}]}, ["Ana has a cat."]),
        ({"AND": [{"level": {"gte": 3}}, {"level": {"lt": 5}}]}, ["Ana plays the viola."]),
        ({"level": "*"}, None),
    ):
        got = texts(memory.get_all(filters={**ANA, **wanted}))
        assert got == found if found else len(got) == 2
    refused: list[dict[str, Any]] = [
        {"filters": {}}, {"filters": {"level": 1}}, {"user_id": "ana"}, {"filters": ANA, "top_k": -1},
        {"filters": {**ANA, "level": {"near": 3}}}, {"filters": {"user_id": " "}},
        {"filters": {**ANA, "OR": []}}, {"filters": ANA, "top_k": "9"},
    ]  # fmt: skip
    for wrong in refused:
        with pytest.raises(ValueError):
            memory.get_all(**wrong)


def test_searching(memory: Memory) -> None:
    """The best comes first with a score from 0 to 1; a threshold cuts, explain tells why."""
    raw(memory, "Ana plays the viola in an orchestra.")
    raw(memory, "Ana has a cat.")
    raw(memory, "Bob plays the viola.", user_id="bob")
    found = memory.search("who plays the viola?", filters=ANA, explain=True)["results"]
    assert found[0]["memory"] == "Ana plays the viola in an orchestra."
    assert all(0.0 <= one["score"] <= 1.0 for one in found)
    assert found[0]["score_details"]["words"] > 0
    assert not any("Bob" in one["memory"] for one in found)
    assert memory.search("viola", filters=ANA, threshold=1.0)["results"] == []
    assert memory.search("viola", filters=ANA, top_k=0)["results"] == []
    for wrong in ({"query": " "}, {"query": "a", "threshold": 2}, {"query": "a", "user_id": "ana"}):
        with pytest.raises(ValueError):
            memory.search(**{"filters": ANA, **wrong})  # type: ignore[arg-type]


def test_times_that_raise_there(memory: Memory, clock: FixedClock) -> None:
    """A timestamp is when it was so, and a reference date looks back: both raise in mem0."""
    then = datetime(2024, 5, 1, tzinfo=UTC)
    id = raw(memory, "Ana lives in Porto.", timestamp=then)
    item = memory.get(id)
    assert item is not None
    assert datetime.fromisoformat(item["created_at"]) == then
    assert raw(memory, "Ana had a dog.", timestamp=1_700_000_000)
    memory.update(id, "Ana lives in Lisbon.")
    clock.advance(days=1)
    assert texts(memory.search("lives in", filters=ANA))[0] == "Ana lives in Lisbon."
    past = memory.search("lives in", filters=ANA, reference_date="2024-06-01")
    assert texts(past)[0] == "Ana lives in Porto."
    assert memory.project.update(decay=True) == {"message": "Project updated successfully!"}
    assert memory._memory.settings.retention.preset == "fading"
    with pytest.raises(ValueError, match="decay"):
        memory.project.update(custom_instructions="Be brief.")


def test_expiring(memory: Memory, clock: FixedClock) -> None:
    """A memory is hidden after its last day, and shown when asked for; the date can be taken away."""
    last = clock().date()
    id = raw(memory, "Ana has a ticket.", expiration_date=last)
    assert texts(memory.get_all(filters=ANA)) == ["Ana has a ticket."]
    clock.advance(days=1)
    assert memory.get_all(filters=ANA)["results"] == []
    assert memory.search("ticket", filters=ANA)["results"] == []
    assert texts(memory.get_all(filters=ANA, show_expired=True)) == ["Ana has a ticket."]
    memory.update(id, expiration_date=None)
    assert texts(memory.search("ticket", filters=ANA)) == ["Ana has a ticket."]
    for wrong in ("tomorrow", 7):
        with pytest.raises(ValueError, match="expiration_date"):
            memory.add("x", user_id="ana", expiration_date=wrong)
    assert date.fromisoformat("2026-01-05") == last


def test_changing_and_its_history(memory: Memory, clock: FixedClock) -> None:
    """A memory keeps its id through changes; its history has each, oldest first, and that it is gone."""
    id = raw(memory, "Ana lives in Porto.", metadata={"a": 1})
    clock.advance(hours=1)
    assert memory.update(id, "Ana lives in Lisbon.") == {"message": "Memory updated successfully!"}
    clock.advance(hours=1)
    memory.update(id, metadata={"b": 2, "user_id": "eve"})
    memory.update(id, data="Ana lives in Faro.")
    item = memory.get(id)
    assert item is not None
    assert (item["id"], item["memory"], item["metadata"]) == (id, "Ana lives in Faro.", {"a": 1, "b": 2})
    assert item["updated_at"] is not None
    assert [one["id"] for one in memory.get_all(filters=ANA)["results"]] == [id]
    assert memory.delete(id) == {"message": "Memory deleted successfully!"}
    rows = memory.history(id)
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in rows] == [
        ("ADD", None, "Ana lives in Porto."),
        ("UPDATE", "Ana lives in Porto.", "Ana lives in Lisbon."),
        ("UPDATE", "Ana lives in Lisbon.", "Ana lives in Faro."),
        ("DELETE", "Ana lives in Faro.", None),
    ]
    assert rows[-1]["is_deleted"]
    assert set(rows[0]) == {"id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at",
                            "is_deleted", "actor_id", "role"}  # fmt: skip
    assert memory.get(id) is None
    assert memory.history("nobody") == []
    with pytest.raises(ValueError, match="not found"):
        memory.delete(id)
    with pytest.raises(ValueError, match="not found"):
        memory.update(id, "x")
    with pytest.raises(ValueError, match="At least one"):
        memory.update(id)


def test_deleting_all_and_resetting(memory: Memory) -> None:
    """All of one run, of one user, of everybody; without a name it is refused."""
    raw(memory, "Ana rows.", run_id="r1")
    raw(memory, "Ana sails.")
    raw(memory, "Bob swims.", user_id="bob")
    memory.delete_all(user_id="ana", run_id="r1")
    assert texts(memory.get_all(filters=ANA)) == ["Ana sails."]
    memory.delete_all(user_id="ana")
    assert memory.get_all(filters=ANA)["results"] == []
    assert texts(memory.get_all(filters={"user_id": "bob"})) == ["Bob swims."]
    with pytest.raises(ValueError, match="reset"):
        memory.delete_all()
    memory.reset()
    assert memory.get_all(filters={"user_id": "bob"})["results"] == []


def test_procedures_and_bad_input(memory: Memory) -> None:
    """What an agent did is kept as a procedure; what mem0 refuses is refused with its codes."""
    done = memory.add(
        [{"role": "user", "content": "Open the valve."}, {"role": "assistant", "content": "Opened."}],
        agent_id="fitter",
        memory_type="procedural_memory",
    )["results"][0]
    assert (done["event"], done["memory"]) == ("ADD", "user: Open the valve.\nassistant: Opened.")
    item = memory.get(done["id"])
    assert item is not None
    assert (item["agent_id"], item["metadata"]) == ("fitter", {"memory_type": "procedural_memory"})
    refused: list[tuple[str, Any, dict[str, Any]]] = [
        ("VALIDATION_001", "x", {}),
        ("VALIDATION_002", "x", {"user_id": "ana", "memory_type": "semantic"}),
        ("VALIDATION_003", 7, {"user_id": "ana"}),
    ]
    for code, said, given in refused:
        with pytest.raises(ValidationError) as caught:
            memory.add(said, **given)
        assert caught.value.error_code == code
    with pytest.raises(ValueError, match="whitespace"):
        memory.add("x", user_id="a b")
    with pytest.raises(NotImplementedError):
        memory.chat("hello")


def test_awaited(tmp_path: Path) -> None:
    """AsyncMemory is the same; a configuration of mem0 opens it, and what has no part here is told."""

    async def walk() -> None:
        config = {"recollect": {"url": f"sqlite:///{tmp_path}/async.db"}, "vector_store": {"provider": "qdrant"}}
        async with AsyncMemory.from_config(config) as memory:
            id = (await memory.add("Ana rows.", user_id="ana", infer=False))["results"][0]["id"]
            await memory.update(id, "Ana sails.")
            assert texts(await memory.search("sails", filters=ANA)) == ["Ana sails."]
            assert len(await memory.history(id)) == 2
            await memory.delete(id)
            assert await memory.get(id) is None

    asyncio.run(walk())
