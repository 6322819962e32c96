"""The server dies under load: everybody gets an answer, and when it is back nothing is lost or doubled."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import sleep
from typing import Any

import pytest

from recollect import Receipt, Recollect, RecollectError, Unavailable
from recollect.testing.servers import MariaDb, Postgres, Server
from tests.patience import PATIENCE, until

THREADS = 5
CUT = {
    "postgresql": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect'",
    "mariadb": "SELECT CONCAT('KILL ', id) FROM information_schema.processlist WHERE id <> CONNECTION_ID()",
}


@pytest.fixture(scope="module", params=["postgresql", "mariadb"])
def house(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Give a server that keeps what it has promised, whatever happens to it."""
    made: Server = Postgres(durable=True) if request.param == "postgresql" else MariaDb(durable=True)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def rc(house: Server) -> Iterator[Recollect]:
    """Give an empty memory on that server."""
    house.empty()
    with Recollect(house.url) as opened:
        yield opened


def fact(request: str) -> str:
    """Give a text that is like no other."""
    digest = hashlib.sha256(request.encode()).hexdigest()
    return f"{request} " + " ".join(digest[at : at + 6] for at in range(0, 36, 6))


@dataclass
class Story:
    """What the callers were told."""

    told: dict[str, Any] = field(default_factory=dict)
    strange: list[BaseException] = field(default_factory=list)
    over: bool = False

    def call(self, name: str, verb: Callable[[], Any]) -> None:
        """Make one call and note its one answer."""
        try:
            self.told[name] = verb()
        except RecollectError as error:
            self.told[name] = error
        except BaseException as error:  # noqa: BLE001
            self.strange.append(error)

    @property
    def receipts(self) -> dict[str, Receipt]:
        """The calls that were carried out."""
        return {name: one for name, one in list(self.told.items()) if isinstance(one, Receipt)}

    @property
    def errors(self) -> list[RecollectError]:
        """The errors of the calls that were not, or that cannot tell."""
        return [one for one in list(self.told.values()) if isinstance(one, RecollectError)]


def callers(rc: Recollect, story: Story, label: str) -> list[threading.Thread]:
    """Start threads that remember one thing after the other, and one that recalls, until the story is over."""

    def write(number: int) -> None:
        space = rc.space("shared" if number % 2 else f"user {number}")
        turn = 0
        while not story.over:
            name = f"{space.owner} {label} {number} {turn}"
            story.call(name, lambda name=name: space.remember(fact(name), request_id=name))  # type: ignore[misc]
            if isinstance(story.told.get(name), RecollectError):
                sleep(0.02)
            turn += 1

    def read() -> None:
        while not story.over:
            story.call(f"reading {label}", lambda: rc.space("shared").recall(label))
            sleep(0.01)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(THREADS)]
    threads.append(threading.Thread(target=read))
    for thread in threads:
        thread.start()
    return threads


def live_through(house: Server, rc: Recollect, label: str) -> Story:
    """Kill the server while everybody is calling; give what they were told, with the server back."""
    story = Story()
    threads = callers(rc, story, label)
    assert until(lambda: len(story.receipts) > 4 * THREADS)
    house.kill()
    assert until(lambda: len(story.errors) > 2 * THREADS)
    story.over = True
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "somebody was left waiting"
    with pytest.raises(Unavailable):
        rc.space("shared").recall("anything")
    with pytest.raises(Unavailable):
        rc.space("shared").remember("Nobody hears this.")
    house.start()
    return story


def test_the_server_is_killed(house: Server, rc: Recollect) -> None:
    """Two crashes under load: one answer each, then the same handle goes on, and retries store once."""
    kept: dict[str, Receipt] = {}
    for label in ("first", "second"):
        story = live_through(house, rc, label)
        assert story.strange == []
        assert {type(error) for error in story.errors} == {Unavailable}
        assert len(story.receipts) > THREADS
        for name in sorted(name for name in story.told if not name.startswith("reading")):
            space = rc.space(name.partition(" first")[0].partition(" second")[0].removeprefix("/").replace("%20", " "))
            again = space.remember(fact(name), request_id=name)
            assert again == story.receipts.get(name, again)
            kept[name] = again
    assert {receipt.outcome for receipt in kept.values()} == {"stored"}
    stored = [memory for _, user in rc.owners() for memory in rc.space(user).list(limit=1000)]
    assert sorted(memory.id for memory in stored) == sorted(receipt.id for receipt in kept.values())
    assert sorted(memory.content for memory in stored) == sorted(fact(name) for name in kept)
    for _, user in rc.owners():
        revs = {entry.rev for entry in rc.space(user).journal(limit=10_000)}
        assert revs == set(range(1, rc.space(user).stats().rev + 1))
    assert [finding for finding in rc.doctor() if not finding.ok] == []


def cut(house: Server) -> None:
    """Let the server hang up on every connection, as a proxy or an idle timeout would."""
    if isinstance(house, Postgres):
        house.run(CUT["postgresql"])
    else:
        for (statement,) in house.run(CUT["mariadb"] + " AND user = 'root'"):
            house.run(statement)


def test_connections_are_cut(house: Server, rc: Recollect) -> None:
    """A connection that died while nobody used it is made anew, and nobody notices."""
    ana = rc.space("ana")
    for turn in range(3):
        kept = ana.remember(fact(f"turn {turn}"))
        assert kept.outcome == "stored"
        assert [hit.memory.id for hit in ana.recall(f"turn {turn}", limit=1)] == [kept.id]
        cut(house)
    assert ana.remember(fact("after")).rev == 4
    assert len(ana.list()) == 4
    assert all(finding.ok for finding in rc.doctor())


def test_a_view_whose_connection_is_cut(house: Server, rc: Recollect) -> None:
    """A look that is cut in the middle raises a typed error, and the next look works."""
    ana = rc.space("ana")
    kept = ana.remember(fact("one")).id

    def look() -> None:
        with rc._runtime.store.view() as view:
            assert view.get(ana.owner, [kept])
            cut(house)
            view.get(ana.owner, [kept])

    with pytest.raises(Unavailable):
        look()
    assert ana.get(kept).id == kept


def test_closing_without_a_server(house: Server) -> None:
    """A handle whose server is gone closes without an error."""
    rc = Recollect(house.url)
    rc.space("ana").remember(fact("closing"))
    rc.space("ana").recall("closing")
    house.kill()
    rc.close()
    house.start()
    with Recollect(house.url) as again:
        assert again.space("ana").recall("closing")
