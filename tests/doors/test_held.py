"""An agent that is held to categories learns of nothing else, by whatever door it comes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import httpx
import pytest

from recollect import InvalidInput, NotFound, Recollect, Space, connect
from recollect.testing import FixedClock
from tests.doors.serving import serving

SECRET = "rare blood"


@pytest.fixture
def held(database: str, clock: FixedClock) -> Iterator[Recollect]:
    """Give a memory in which the planner may see project information alone."""
    lists = [{"agent": "planner", "categories": ["project_info"]}]
    with Recollect(database, clock=clock, categories={"allowlists": lists}) as memory:
        yield memory


def filled(memory: Recollect) -> tuple[Space, str, str]:
    """Give the planner's space, what it may see and what it may not."""
    ana = memory.space("ana")
    seen = ana.remember("The harbour opens in May.", category="project_info")
    hidden = ana.remember(f"Ana has {SECRET}.", category="personal_info")
    ana.correct(hidden.id, f"Ana has very {SECRET}.")
    return memory.space("ana", agent="planner"), seen.id, ana.recall("blood")[0].memory.id


def test_nothing_tells_an_agent_of_what_it_may_not_see(held: Recollect) -> None:
    """Journal, news, links, history and inbox hold to the list; an export, which holds all, is refused."""
    planner, seen, hidden = filled(held)
    told = [planner.journal(), planner.news(0), planner.history(seen), planner.inbox(), planner.links(seen)]
    assert hidden not in repr(told)
    assert SECRET not in repr(told)
    assert [one.memory_id for one in planner.journal()] == [seen]
    assert planner.links(hidden) == []
    assert held.space("ana").links(hidden) != []
    for verb in (planner.get, planner.history, planner.forget, planner.pin, planner.confirm, planner.restore):
        with pytest.raises(NotFound, match="there is no memory"):
            verb(hidden)
    with pytest.raises(NotFound, match="there is no memory"):
        planner.update(hidden, importance=3)
    with pytest.raises(InvalidInput, match="export without it"):
        planner.export(io.StringIO())


def test_a_journal_is_read_on_past_what_is_hidden(held: Recollect) -> None:
    """Many lines an agent may not see do not keep it from the next it may, nor are they looked at twice."""
    ana, planner = held.space("ana"), held.space("ana", agent="planner")
    ana.remember_many([{"content": f"Secret {one}.", "category": "personal_info"} for one in range(600)])
    ana.remember("Another secret.", category="personal_info")
    follower = planner.follow(0)
    assert follower.news() == []
    seen = ana.remember("The harbour opens in May.", category="project_info")
    assert [one.memory_id for one in follower.news()] == [seen.id]
    assert [one.memory_id for one in planner.journal(limit=1)] == [seen.id]
    whole = held.space("ana").follow(0)
    assert len(whole.news()) >= 600  # a revision is never cut


def test_a_key_for_an_agent_is_held_over_http(held: Recollect) -> None:
    """The stream, the journal and the export of a key whose agent is held to a list."""
    _, seen, hidden = filled(held)
    _, key = held.keys.create("planner", user="ana", agent="planner")
    with serving(held) as url, connect(url, key) as remote:
        told = remote.space().follow(since=0)
        assert next(told)["memory_id"] == seen
        told.close()
        answers = [httpx.get(f"{url}/v1/spaces/me/{path}", headers={"X-API-Key": key}) for path in PATHS]
    assert [one.status_code for one in answers] == [200, 200, 200, 422]
    assert hidden not in json.dumps([one.text for one in answers])


PATHS = ("changes", "changes/news?since=0", "proposals", "export")
