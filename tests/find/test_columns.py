"""The shelf in memory says what the database says, whoever wrote, whenever one looks."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from recollect import Recollect, RecollectError
from recollect.flows.find.recall import Wish, find, find_in
from recollect.model.filter import Filter
from recollect.model.kinds import STATES
from recollect.model.owner import owner_key
from recollect.store.base import Store
from recollect.store.engines.sqlite import SqliteStore
from recollect.testing import FixedClock
from recollect.testing.contract import commit, everything, make, put
from recollect.testing.contract.stock import matched
from tests.engines import fresh

CALM = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(CALM, max_examples=4, phases=[Phase.explicit, Phase.reuse, Phase.generate])
VERBS = (
    "observe", "observe", "observe", "remember", "remember", "slot", "correct", "forget", "restore", "pin", "rate",
    "merge", "erase", "erase session", "wipe", "age", "talk",
)  # fmt: skip
TEXTS = ("tea in Lisbon", "Bob drinks green tea", "the meeting is at 7", "Ana moved to Porto", "!!!")
PEOPLE, ACTORS = ("ana", "bob"), ("", "Ana", "Bob")
QUERIES = ("green tea", "what did Bob say", "where does Ana live now", "Porto meeting")

steps = st.tuples(
    st.integers(0, 1), st.sampled_from(PEOPLE), st.sampled_from(VERBS), st.integers(0, 30), st.integers(0, 2)
)
Story = list[tuple[int, str, str, int, int]]


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    """Give some fields of a filter, in any company."""
    moment = FixedClock().moment + timedelta(minutes=draw(st.integers(0, 30)))
    fields: dict[str, Any] = {
        "kinds": ("episode",) if draw(st.booleans()) else ("fact", "event"),
        "states": draw(st.sampled_from([(), ("active",), ("superseded", "deleted"), STATES])),
        "sessions": draw(st.sampled_from([("s0",), ("s1", "s2"), ("nowhere",)])),
        "exclude_session": draw(st.sampled_from(["s0", "nowhere"])),
        "actor": draw(st.sampled_from(["Bob", "nobody"])),
        "event_after": moment,
        "event_before": moment,
        "created_after": moment,
        "pinned": draw(st.booleans()),
        "importance_min": 6,
        "tags": ("even",),
        "agent": draw(st.sampled_from(["", "helper"])),
        "topic": "odd",
    }
    return {name: fields[name] for name in draw(st.sets(st.sampled_from(sorted(fields)), max_size=3))}


class Pair:
    """Two processes' worth of Recollect on one database, and what they wrote."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self.url, self.stack, self.clock = url, stack, FixedClock()
        self.both = [self.another(), self.another()]
        self.given: dict[str, list[str]] = {person: [] for person in PEOPLE}

    def another(self) -> Recollect:
        """Open the database once more."""
        return self.stack.enter_context(Recollect(self.url, clock=self.clock))

    def step(self, which: int, person: str, verb: str, number: int) -> None:
        """Let one of the two do something; a typed refusal is an answer too."""
        self.clock.advance(minutes=1)  # an owner begun anew within one moment would pass for the old one
        known = self.given[person] or ["fact_none"]
        one, other = known[number % len(known)], known[number * 7 % len(known)]
        space = self.both[which].space(person, agent="helper", session=f"s{number % 3}")
        text = f"{TEXTS[number % len(TEXTS)]} {number}"
        actor, details = ACTORS[number % 3], {"topic": "odd"} if number % 2 else {"tags": ["even"]}
        calls: dict[str, Any] = {
            "observe": lambda: [space.observe("user", text, actor=actor)],
            "talk": lambda: [space.observe("user", f"{text} {n}", actor=actor) for n in range(number)],
            "remember": lambda: [space.remember(text, importance=number % 10 + 1, actor=actor, **details)],
            "slot": lambda: [space.remember(text, key=f"k{number % 2}")],
            "correct": lambda: [space.correct(one, f"{text} instead")],
            "forget": lambda: [space.forget(one)],
            "restore": lambda: [space.restore(one)],
            "pin": lambda: [space.pin(one, number % 2 == 0)],
            "rate": lambda: [space.rate(one, number % 10 + 1)],
            "merge": lambda: [space.merge([one, other])],
            "erase": lambda: [space.erase(one)],
            "erase session": lambda: [space.erase(session=f"s{number % 3}")],
            "wipe": lambda: [space.erase(everything=True)],
            "age": lambda: self.both[which].run_jobs() and [],
        }
        try:
            self.given[person] += [receipt.id for receipt in calls[verb]() if receipt.id]
        except RecollectError:
            return


def agree(store: Store, filters: list[Filter]) -> None:
    """Hold what the shelf lets through against what the database gives for the same filters, and lists beside it."""
    with store.view() as rows:  # which never looks at the shelf
        pages = [rows.page(where, "oldest", 10_000) for where in filters]
    with store.view() as view:
        for where, page in zip(filters, pages, strict=True):
            allowed, numbers = view.allowed(where), view.numbers(where.owner, [memory.id for memory in page])
            assert [doc for doc, passed in enumerate(allowed.tolist()) if passed] == sorted(numbers.values())
            assert view.page(where, "oldest", 10_000) == page


def answers(rc: Recollect, person: str) -> list[Any]:
    """Ask the same questions, without counting it as a use."""
    where = Filter(owner=owner_key(person), now=rc._runtime.now(), kinds=())
    found = [
        find(rc._runtime, query, replace(where, kinds=("episode",) if by == "session" else ()), Wish(by=by))
        for query in QUERIES
        for by in ("memory", "session")
    ]
    return [[(hit.memory.id, hit.folded, round(hit.score, 6)) for hit in hits] for hits in found]


def live(engine: str, story: Story, filters: list[dict[str, Any]]) -> None:
    """Let two write in turns, and look from either side after every step."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        pair = Pair(fresh(engine, Path(folder)), stack)
        for which, person, verb, number, looking in story:
            pair.step(which, person, verb, number)
            for rc in pair.both[looking:]:  # both, the second, or neither
                mine = Filter(owner=owner_key(person), now=pair.clock.moment)
                agree(rc._runtime.store, [replace(mine, **fields) for fields in filters])
        late = pair.another()
        for person in PEOPLE:
            wanted = answers(late, person)
            assert [answers(rc, person) for rc in pair.both] == [wanted, wanted]


some_filters = st.lists(conditions(), min_size=2, max_size=5)
ERASED: Story = [
    (0, "ana", "talk", 30, 0),
    (0, "ana", "talk", 28, 0),
    (1, "ana", "talk", 5, 0),
    (0, "ana", "remember", 7, 0),
    (0, "ana", "correct", 63, 0),
    (0, "ana", "erase session", 2, 0),
    (1, "ana", "talk", 4, 1),
]
ANEW: Story = [*ERASED, (1, "ana", "wipe", 0, 2), (0, "ana", "talk", 20, 0), (1, "ana", "erase", 3, 0)]
PLAIN: list[dict[str, Any]] = [{}, {"states": ()}, {"kinds": ("episode",)}]


@CALM
@given(st.lists(steps, min_size=4, max_size=25), some_filters)
@example(ERASED, PLAIN)
@example(ANEW, PLAIN)
def test_the_shelf_follows_the_database(story: Story, filters: list[dict[str, Any]]) -> None:
    """After any steps of two writers, every filter lets the same through from memory and from the rows."""
    live("sqlite", story, filters)
    assert filters


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
@FEW
@given(story=st.lists(steps, min_size=4, max_size=15), filters=some_filters)
@example(story=ANEW, filters=PLAIN)
def test_the_shelf_follows_a_server(engine: str, story: Story, filters: list[dict[str, Any]]) -> None:
    """On a server too the shelf follows, and one who comes late gets the same answers."""
    live(engine, story, filters)
    assert filters


def test_a_great_erasure(database: str, clock: FixedClock) -> None:
    """Who comes back after more was erased than it reads line by line still lets nothing of it through."""
    with Recollect(database, clock=clock) as rc, Recollect(database, clock=clock) as reader:
        for session, many in (("gone", 150), ("kept", 40)):
            space = rc.space("ana", session=session)
            space.remember_many([{"content": f"Fact number {n} of {session}."} for n in range(many)])
        assert reader.space("ana").recall("fact", limit=1000)
        rc.space("ana").erase(session="gone")
        where = Filter(owner=owner_key("ana"), now=clock.moment)
        agree(reader._runtime.store, [where])
        with reader._runtime.store.view() as view:
            assert view.allowed(where).sum() == 40


def test_who_looks_late_hides_nothing(tmp_path: Path) -> None:
    """Postings read by a look that is older than the shelf are not kept as if they were all there are."""
    store: Store = SqliteStore(f"sqlite:///{tmp_path}/memory.db")
    commit(store, *(put(make(f"fact_{n}", f"tea {n}")) for n in range(600)))
    with store.view() as old:
        assert old.counters(everything().owner).docs == 600
        commit(store, put(make("fact_new", "tea at last")))
        with store.view() as newer:
            assert newer.allowed(everything()).sum() == 601
        old.postings(everything().owner, ["tea"])
    with store.view() as now:
        assert len(matched(now, everything(), ["tea"])) == 601
    store.close()


def test_a_look_from_before_an_erasure(tmp_path: Path) -> None:
    """A view that began before the last message was erased meets a shelf that never knew it: neither fails."""
    with Recollect(f"{tmp_path}/memory.db", embedder="none") as rc:
        for text in ("the blue bicycle is old", "a green bicycle stands there", "my bicycle was stolen"):
            last = rc.space("ana").observe("user", text).id
    with Recollect(f"{tmp_path}/memory.db", embedder="none") as rc:
        ana, runtime = rc.space("ana"), rc._runtime
        where = Filter(owner=ana.owner, now=runtime.now(), kinds=("episode",))
        with runtime.store.view() as early:
            assert early.counters(ana.owner).docs == 3
            ana.erase(last)
            with runtime.store.view() as late:
                assert len(find_in(runtime, late, "stolen bicycle", where, Wish())) == 2
            assert len(find_in(runtime, early, "stolen bicycle", where, Wish())) == 2
        assert len(ana.recall("stolen bicycle", kinds=["episode"])) == 2


def test_what_was_erased_makes_no_word_common(tmp_path: Path) -> None:
    """Who has looked before an erasure ranks afterwards as who opens the memory anew: erased messages hold no words."""
    with Recollect(f"{tmp_path}/memory.db", embedder="none") as rc:
        ana = rc.space("ana", session="s1")
        gone = [ana.observe("user", f"the bicycle number {n} is old").id for n in range(40)][:35]
        for n in range(10):
            ana.observe("user", f"a garden has tree {n}")
        ana.observe("user", "the bicycle in the garden")
        ana.recall("bicycle garden", kinds=["episode"])
        for one in gone:
            ana.erase(one)
        warm = [(hit.memory.id, hit.score) for hit in ana.recall("bicycle garden", kinds=["episode"])]
    with Recollect(f"{tmp_path}/memory.db", embedder="none") as rc:
        ana = rc.space("ana", session="s1")
        assert [(hit.memory.id, hit.score) for hit in ana.recall("bicycle garden", kinds=["episode"])] == warm
