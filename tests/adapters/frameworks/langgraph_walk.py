"""LangGraph on this memory: its own conformance suite, a store beside LangGraph's, and a graph that goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt

from recollect import Recollect
from recollect.adapters.langgraph_saver import RecollectSaver
from recollect.adapters.langgraph_store import RecollectStore


def test_conformance(rc: Recollect) -> None:
    """All eight capabilities of LangGraph's suite are there and pass."""
    users = iter(range(1000))

    @checkpointer_test("recollect")
    async def saver() -> AsyncIterator[RecollectSaver]:
        yield RecollectSaver(rc.space(f"user{next(users)}"))

    report = asyncio.run(validate(saver))
    results = {name: (one.tests_passed, one.tests_failed, one.failures) for name, one in report.results.items()}
    print(results)
    assert len(results) == 8
    assert all(one.detected and one.passed for one in report.results.values()), results


class State(TypedDict, total=False):
    """What the graph carries."""

    name: str
    answer: str


def graph(rc: Recollect) -> Any:
    """Give a graph that asks and goes on when it is answered."""
    builder = StateGraph(State)
    builder.add_node("ask", lambda state: {"name": interrupt("Who are you?")})
    builder.add_node("greet", lambda state: {"answer": f"Hello {state['name']}."})
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "greet")
    builder.add_edge("greet", END)
    return builder.compile(checkpointer=RecollectSaver(rc.space("ana")))


def test_a_graph_goes_on_after_a_restart(database: str) -> None:
    """A graph that was interrupted goes on in another process's memory, and its history is whole."""
    url, config = database, {"configurable": {"thread_id": "t1"}}
    with Recollect(url, embedder="none") as first:
        assert "__interrupt__" in graph(first).invoke({}, config)
    with Recollect(url, embedder="none") as second:
        made = graph(second)
        assert made.invoke(Command(resume="Ana"), config)["answer"] == "Hello Ana."
        assert len(list(made.get_state_history(config))) >= 3


@pytest.fixture(params=["langgraph", "recollect"])
def store(request: pytest.FixtureRequest, rc: Recollect) -> Any:
    """Give LangGraph's own store, and ours."""
    return InMemoryStore() if request.param == "langgraph" else RecollectStore(rc.space("ana"))


def test_items(store: Any) -> None:
    """An item is put, read, changed and taken away; its birthday stays."""
    store.put(("users", "ana"), "likes", {"text": "tea", "n": 1})
    born = store.get(("users", "ana"), "likes")
    store.put(("users", "ana"), "likes", {"text": "coffee", "n": 2})
    item = store.get(("users", "ana"), "likes")
    assert (item.value, item.key, item.namespace) == ({"text": "coffee", "n": 2}, "likes", ("users", "ana"))
    assert item.updated_at >= born.updated_at
    assert item.created_at == born.created_at or isinstance(store, InMemoryStore)  # which forgets it
    store.put(("users", "ana"), "likes", {"text": "coffee", "n": 3})
    assert store.get(("users", "ana"), "likes").value["n"] == 3
    store.delete(("users", "ana"), "likes")
    assert store.get(("users", "ana"), "likes") is None
    assert store.get(("users",), "nobody") is None


def test_searching_by_namespace_and_filter(store: Any) -> None:
    """A prefix of a namespace, comparisons and pages narrow a search down."""
    for number in range(6):
        store.put(("a", "b" if number % 2 else "c"), f"k{number}", {"n": number, "odd": bool(number % 2)})
    store.put(("z",), "other", {"n": 3})
    assert {one.key for one in store.search(("a",), limit=10)} == {f"k{number}" for number in range(6)}
    assert {one.key for one in store.search(("a", "b"))} == {"k1", "k3", "k5"}
    assert {one.key for one in store.search(("a",), filter={"odd": False})} == {"k0", "k2", "k4"}
    assert {one.key for one in store.search(("a",), filter={"n": {"$gte": 4}})} == {"k4", "k5"}
    pages = [store.search(("a",), limit=4), store.search(("a",), limit=4, offset=4)]
    assert [len(page) for page in pages] == [4, 2]
    assert not {one.key for one in pages[0]} & {one.key for one in pages[1]}


def test_namespaces(store: Any) -> None:
    """Namespaces are listed by prefix, suffix, wildcard and depth."""
    for path in (("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)):
        store.put(path, "k", {"v": 1})
    assert set(store.list_namespaces(prefix=("a",))) == {("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c")}
    assert set(store.list_namespaces(suffix=("c",))) == {("a", "b", "c"), ("a", "x", "c")}
    assert set(store.list_namespaces(prefix=("a", "*", "c"))) == {("a", "b", "c"), ("a", "x", "c")}
    assert set(store.list_namespaces(max_depth=2)) == {("a", "b"), ("a", "x"), ("z",)}
    assert len(store.list_namespaces(limit=2)) == 2


def test_awaited(store: Any) -> None:
    """The same, awaited."""

    async def walk() -> None:
        await store.aput(("a",), "k", {"v": 1})
        assert (await store.aget(("a",), "k")).value == {"v": 1}
        assert [one.key for one in await store.asearch(("a",))] == ["k"]
        await store.adelete(("a",), "k")
        assert await store.aget(("a",), "k") is None

    asyncio.run(walk())


def test_found_by_what_it_says(rc: Recollect) -> None:
    """What was put is found by a question, only by what was to be indexed, and only by its owner."""
    mine, other = RecollectStore(rc.space("ana")), RecollectStore(rc.space("bob"))
    mine.put(("m",), "1", {"text": "Ana plays the viola.", "secret": "harbour"}, index=["text"])
    mine.put(("m",), "2", {"text": "Ana has a cat."})
    mine.put(("m",), "3", {"text": "a viola too"}, index=False)
    assert [one.key for one in mine.search(("m",), query="who plays the viola?")] == ["1"]
    assert mine.search(("m",), query="harbour") == []
    assert other.search(("m",), query="viola") == []
