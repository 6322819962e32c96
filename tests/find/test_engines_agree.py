"""One memory on three engines: the same question has the same answer on each, to the last digit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock
from tests.corpus import PEOPLE, PLACES, THINGS, fill, queries
from tests.engines import apart

ORDERS = ("recent", "oldest", "importance", "updated", "event", "used")


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Space]]:
    """Give the space of one user on each engine, filled on the first and copied to the others."""
    folder: Path = tmp_path_factory.mktemp("agree")
    clock = FixedClock()
    with ExitStack() as stack:
        first, *others = (
            stack.enter_context(Recollect(apart(engine, folder), clock=clock))
            for engine in ("sqlite", "postgresql", "mariadb")
        )
        fill(first, clock)
        first.space("ana").recall("tea")  # some have been used
        for other in others:
            first.copy_to(other)
        yield [rc.space("ana", agent="helper", session="s0") for rc in (first, *others)]


def alike(spaces: list[Space], look: Callable[[Space], Any]) -> Any:
    """Look on every engine, hold the answers together, and give one."""
    for space in spaces:  # what was used so far is written now, not a moment later on one of them
        space._runtime.store.flush()
    first, *others = (look(space) for space in spaces)
    for other in others:
        assert other == first
    return first


def test_recall(spaces: list[Space]) -> None:
    """Two hundred questions give the same memories in the same order with the same scores and reasons."""
    found = 0
    asked = queries()
    assert len(asked) >= 200
    for query, conditions in asked:

        def answer(space: Space, query: str = query, conditions: Any = conditions) -> Any:
            hits = space.recall(query, limit=20, **conditions)
            return [(query, hit.memory.id, hit.score, hit.why) for hit in hits]

        found += bool(alike(spaces, answer))
    assert found > 90


@pytest.mark.parametrize("order", ORDERS)
def test_lists(spaces: list[Space], order: str) -> None:
    """Every order lists the same memories, whole and page by page."""
    assert len(alike(spaces, lambda space: space.list(order=order, limit=1000, kinds=[], states=[]))) > 250
    pages = alike(spaces, lambda space: [space.list(order=order, limit=7, offset=7 * n) for n in range(6)])
    assert all(pages)


def test_entities(spaces: list[Space]) -> None:
    """Every name leads to the same entity with the same aliases and memories."""
    names = [*PEOPLE, *PLACES, *THINGS, "tag1", "nobody"]
    known = alike(spaces, lambda space: [space.entity(name) for name in names])
    assert sum(one is not None for one in known) > 5


def test_context(spaces: list[Space]) -> None:
    """The context for a prompt is the same text, whatever the budget."""
    for prompt in ("What about tea in Lisbon?", "绿茶", "José Köln", "Straßenbahn", ""):
        for budget in (50, 400, 4000):
            alike(spaces, lambda space, p=prompt, b=budget: str(space.context(p, budget_tokens=b)))  # type: ignore[misc]
    assert "tea" in str(spaces[2].context("tea"))


def test_the_rest(spaces: list[Space]) -> None:
    """Counts, sessions, journal, links and histories are the same."""
    for look in (Space.stats, Space.sessions, lambda space: space.journal(limit=10_000)):
        assert alike(spaces, look)
    ids = [memory.id for memory in spaces[0].list(limit=40, states=[])]
    assert any(alike(spaces, lambda space: [(space.links(one), space.history(one)) for one in ids]))
