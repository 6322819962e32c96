"""Properties: whatever several people do in whatever order, the walls stand and the books balance."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from recollect import Recollect, RecollectError, Space
from recollect.testing import FixedClock
from recollect.testing.contract import HOSTILE
from tests.engines import fresh

WORDS = ("tea", "Lisbon", "@bob", "#green", "coffee", "not", "7", "绿茶", "Ana", "🎉", "morning", "the")
VERBS = (
    "observe", "observe", "remember", "remember", "remember", "slot", "many", "correct", "correct", "confirm", "pin",
    "rate", "forget", "restore", "merge", "recall", "context", "erase", "erase session", "erase entity", "wipe", "age",
    "retry", "expire",
)  # fmt: skip
CALM = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(CALM, max_examples=5, phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""On a server a story takes as long as ten in a file, and cutting a failing one down much longer."""

texts = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30),
)
steps = st.tuples(st.integers(0, 2), st.sampled_from(VERBS), texts, st.integers(0, 30), st.integers(0, 30))
people = st.lists(st.sampled_from(HOSTILE), min_size=3, max_size=3, unique=True)

Story = list[tuple[int, str, str, int, int]]
NEIGHBOURS: tuple[list[str], Story] = (
    ["ana", "Ana", "ana "],
    [
        (0, "remember", "tea", 0, 0),
        (0, "correct", "coffee", 0, 0),
        (1, "observe", "@bob", 0, 0),
        (2, "slot", "tea", 0, 0),
    ],
)


def mark(person: int) -> str:
    """Give the word that only this person's texts hold."""
    return ("zyxquark", "wvublimp", "tsrfjord")[person]


class House:
    """A database with three people in it, and what each of them was given."""

    def __init__(self, url: str, names: list[str]) -> None:
        self.clock = FixedClock()
        self.rc = Recollect(url, clock=self.clock)
        self.names = names
        self.given: list[list[str]] = [[], [], []]

    def space(self, person: int) -> Space:
        """Speak for a person, in a session that bears the person's mark."""
        return self.rc.space(self.names[person], agent=f"a{mark(person)}", session=f"s{mark(person)}")

    def step(self, person: int, verb: str, text: str, one: int, two: int) -> None:
        """Carry out one step; a typed refusal is an answer too."""
        self.clock.advance(hours=one)
        known = self.given[person] or ["fact_none"]
        first, second = known[one % len(known)], known[two % len(known)]
        try:
            done = self._do(self.space(person), verb, f"{mark(person)} {text}", first, second, (person, two))
        except RecollectError:
            return
        for receipt in done if isinstance(done, list) else [done]:
            if getattr(receipt, "id", "") and receipt.id not in self.given[person]:
                self.given[person].append(receipt.id)

    def _do(self, space: Space, verb: str, text: str, first: str, second: str, extra: tuple[int, int]) -> Any:
        person, number = extra
        word = mark(person)
        calls: dict[str, Any] = {
            "observe": lambda: space.observe("user", text, actor=word, attributes={"a": text}),
            "remember": lambda: space.remember(text, topic=text[:20], tags=[word], importance=number % 10 + 1),
            "slot": lambda: space.remember(text, key=f"k{number % 2}", private=number % 3 == 0),
            "many": lambda: space.remember_many([{"content": text}, {"content": ""}, {"content": f"{text} too"}]),
            "correct": lambda: space.correct(first, text),
            "confirm": lambda: space.confirm(first),
            "pin": lambda: space.pin(first, number % 2 == 0),
            "rate": lambda: space.rate(first, number % 10 + 1),
            "forget": lambda: space.forget(first),
            "restore": lambda: space.restore(first),
            "merge": lambda: space.merge([first, second]),
            "recall": lambda: space.recall(text) and None,
            "context": lambda: space.context(text, budget_tokens=number * 20 + 1) and None,
            "erase": lambda: space.erase(first) if number % 3 == 0 else None,
            "erase session": lambda: space.erase(session=f"s{word}") if number % 9 == 0 else None,
            "erase entity": lambda: space.erase(entity="bob") if number % 5 == 0 else None,
            "wipe": lambda: space.erase(everything=True) if number % 13 == 0 else None,
            "age": lambda: self.rc.run_jobs() and None,
            "retry": lambda: space.remember(text, request_id=f"r{number % 3}"),
            "expire": lambda: space.remember(text, valid_until=self.clock.moment.replace(year=2027)),
        }
        return calls[verb]()


def walls_stand(house: House) -> None:
    """No look of one person gives anything that bears another's mark."""
    for person in range(3):
        space = house.space(person)
        others = [mark(other) for other in range(3) if other != person]
        query = " ".join(mark(n) for n in range(3)) + " tea Lisbon bob"
        strangers = [one for other in range(3) if other != person for one in house.given[other]]
        seen: list[Any] = [
            space.recall(query, limit=1000, kinds=[]),
            space.recall("", limit=1000, kinds=[], states=[]),
            space.list(limit=1000, kinds=[], states=[]),
            str(space.context(query, budget_tokens=100_000)),
            space.journal(limit=10_000),
            space.sessions(),
            space.jobs(),
            [space.entity(name, limit=1000) for name in ("bob", "Lisbon", "green", *others)],
            [space.links(one) for one in [*house.given[person], *strangers]],
            space.stats(),
            exported(house.rc, space),
        ]
        whole = repr(seen)
        assert not [word for word in others if word in whole]
        assert not [one for one in strangers if one in whole]
        for one in strangers:
            try:
                raise AssertionError(f"{space.get(one)} is a stranger's")
            except RecollectError:
                continue


def gone_stays_gone(house: House) -> None:
    """What is not active is in no look of today."""
    for person in range(3):
        space = house.space(person)
        everything = space.list(limit=1000, kinds=[], states=[])
        gone = {memory.id for memory in everything if memory.state != "active"}
        shown = {hit.memory.id for hit in space.recall(f"{mark(person)} tea", limit=1000, kinds=[])}
        shown |= {memory.id for memory in space.list(limit=1000, kinds=[])}
        shown |= set(space.context(mark(person), budget_tokens=100_000).ids)
        assert not shown & gone
        then = {hit.memory.id for hit in space.recall(mark(person), limit=1000, kinds=[], as_of=house.clock.moment)}
        assert not then & {memory.id for memory in everything if memory.state in ("deleted", "merged")}
        slots = [
            (memory.agent, memory.kind, memory.key) for memory in everything if memory.key and memory.state == "active"
        ]
        assert len(slots) == len(set(slots))


def exported(rc: Recollect, space: Space | None = None) -> str:
    """Export everything, or one person's memory."""
    out = io.StringIO()
    (space or rc).export(out)
    return out.getvalue()


def live(engine: str, names: list[str], story: Story) -> None:
    """Let three people live through a story on an engine, and look whether the house still stands."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(fresh(engine, Path(folder)), names)
        with house.rc as rc:
            for step in story:
                house.step(*step)
            walls_stand(house)
            gone_stays_gone(house)
            assert [finding for finding in rc.doctor() if not finding.ok] == []
            before = exported(rc)
        copy = Path(folder, "export.jsonl")
        copy.write_text(before, "utf-8", newline="\n")
        with Recollect(f"sqlite:///{folder}/copy.db", clock=house.clock) as rc:
            rc.import_file(copy)
            assert exported(rc) == before
            assert [finding for finding in rc.doctor() if not finding.ok] == []


@CALM
@given(people, st.lists(steps, min_size=1, max_size=30))
@example(*NEIGHBOURS)
def test_any_sequence(names: list[str], story: Story) -> None:
    """After any story the walls stand, the gone stay gone, the doctor is content, and an export restores it all."""
    live("sqlite", names, story)
    assert names


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
@FEW
@given(names=people, story=st.lists(steps, min_size=8, max_size=25))
@example(names=NEIGHBOURS[0], story=NEIGHBOURS[1])
def test_any_sequence_on_a_server(engine: str, names: list[str], story: Story) -> None:
    """On a server too the walls stand after any story, and its export restores it all in a file."""
    live(engine, names, story)
    assert names


def test_hostile_names_are_different_people(rc: Recollect) -> None:
    """Names that differ in a space, a case or an accent are different people, and erasing one spares the rest."""
    for number, name in enumerate(HOSTILE):
        assert rc.space(name).remember(f"Secret number {number} likes tea.").outcome == "stored"
    for number, name in enumerate(HOSTILE):
        space = rc.space(name)
        assert [hit.memory.content for hit in space.recall("tea")] == [f"Secret number {number} likes tea."]
        assert (space.stats().total, space.stats().rev) == (1, 1)
    rc.space("ana ").erase(everything=True)
    assert {user for _, user in rc.owners()} == set(HOSTILE) - {"ana "}
    assert rc.space("ana").recall("tea")
    assert all(finding.ok for finding in rc.doctor())


@CALM
@given(texts, texts)
def test_what_is_said_is_found(text: str, query: str) -> None:
    """Any text comes back as it was, is found by itself when it has words, and no query raises."""
    with tempfile.TemporaryDirectory() as folder, Recollect(f"sqlite:///{folder}/memory.db") as rc:
        ana = rc.space("ana")
        if not text.strip():
            return
        said = ana.observe("user", f"{text} keyword").id
        assert ana.get(said).content == f"{text} keyword"
        assert [hit.memory.id for hit in ana.recall(f"keyword {text}", kinds="episode")] == [said]
        assert len(ana.recall(query, kinds="episode")) <= 1
