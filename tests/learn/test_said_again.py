"""A message is read more than once, and others are read late: what the user did meanwhile stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.model.change import Reach, Write
from recollect.testing import FixedClock
from recollect.testing.judge import PlainJudge


@pytest.fixture
def file(tmp_path: Path, clock: FixedClock) -> Iterator[Recollect]:
    """Give a memory in a file, without an embedder."""
    with Recollect(tmp_path / "memory.db", embedder="none", clock=clock) as opened:
        opened._runtime.own_judge = PlainJudge()
        yield opened


def known(space: Space, *states: str) -> list[tuple[str, str]]:
    """Give the key and the text of every fact in these states."""
    found = space.list(kinds=["fact"], states=list(states or ("active",)), limit=100)
    return sorted((one.key, one.content) for one in found)


def say(space: Space, clock: FixedClock, *texts: str, role: str = "user", actor: str = "Ana") -> None:
    """Say something, a minute apart."""
    for text in texts:
        space.observe(role, text, actor=actor)
        clock.advance(minutes=1)


def test_the_later_name_stands_when_both_are_read_again(rc: Recollect, clock: FixedClock) -> None:
    """Two names were asked for one after the other, and taken down at once: ending the session keeps the later."""
    ana = rc.space("ana", "helper", "s1")
    for text in ("Call me Max from now on.", "Call me Bo from now on."):
        say(ana, clock, text)
        rc.run_jobs()
    say(ana, clock, "What is the weather?", "Thanks.")
    assert ana.end().changed == 0
    assert [one.content.rpartition(" ")[2] for one in ana.list(key="preferred_name")] == ["Bo"]


def test_an_older_session_read_later_does_not_rename_anybody(file: Recollect, clock: FixedClock) -> None:
    """What was said first is kept as what was so before, also when its session ends last."""
    one, two = file.space("ana", "helper", "s1"), file.space("ana", "helper", "s2")
    say(one, clock, "Call me Max from now on.")
    clock.advance(days=1)
    say(two, clock, "Call me Bo from now on.")
    two.end()
    one.end()
    assert known(two) == [("preferred_name", "Bo")]
    assert known(two, "superseded") == [("preferred_name", "Max")]


def test_of_two_names_on_one_page_the_later_stands(file: Recollect, clock: FixedClock) -> None:
    """Nothing is refused because a page names a slot twice; a batch of one's own still may not."""
    ana = file.space("ana", "helper", "s1")
    say(ana, clock, "Call me Max from now on.", "Call me Bo from now on.")
    assert ana.end().numbers["rejected"] == 0
    assert known(ana) == [("preferred_name", "Bo")]
    twice = [{"content": f"Ana prefers to be called {name}.", "key": "preferred_name"} for name in ("Al", "Bee")]
    assert [one.outcome for one in ana.remember_many(twice)] == ["superseded", "rejected"]


def test_what_was_forgotten_stays_forgotten(rc: Recollect, clock: FixedClock) -> None:
    """A fact taken down at once and forgotten since is a duplicate when its message is read again."""
    ana = rc.space("ana", "helper", "s1")
    say(ana, clock, "Remember that I have a dog called Rex.")
    rc.run_jobs()
    (fact,) = ana.list(kinds=["fact"])
    ana.forget(fact.id)
    told = ana.end()
    assert (told.changed, told.numbers["duplicates"], known(ana)) == (0, 1, [])


def test_what_was_corrected_stays_corrected(file: Recollect, clock: FixedClock) -> None:
    """The old text does not come back from the message it was read out of."""
    ana = file.space("ana", "helper", "s1")
    say(ana, clock, "Remember that I drive a Fiat.")
    file.run_jobs()
    ana.correct(ana.list(kinds=["fact"])[0].id, "Ana drives a Volvo.")
    ana.end()
    assert known(ana) == [("", "Ana drives a Volvo.")]
    assert known(ana, "superseded") == [("", "I drive a Fiat.")]  # and its story is told once


def test_a_page_can_be_read_again(file: Recollect, clock: FixedClock) -> None:
    """With the watermark put back, the same page gives memories with ids of their own; nothing clashes."""
    ana = file.space("ana", "helper", "s1")
    say(ana, clock, "I have a dog called Rex.", "Fine.", "Good.", "Bye.")
    ana.end()
    (first,) = ana.list(kinds=["summary"])
    back = Write(owner="/ana", at=clock(), node="test", changes=(Reach("s1", 0),))
    ana._runtime.store.commit(back)
    assert ana.end().numbers["duplicates"] == 1
    (second,) = ana.list(kinds=["summary"])
    assert (second.id != first.id, second.attributes["messages"]) == (True, 4)


def test_roles_of_machines_are_known_however_they_are_written(file: Recollect, clock: FixedClock) -> None:
    """An assistant speaks for nobody, whatever it is called."""
    for at, role in enumerate(("Assistant", " ASSISTANT ", "ai", "model", "Bot")):
        ana = file.space("ana", "helper", f"s{at}")
        say(
            ana,
            clock,
            "I live in Berlin.",
            "Remember that I like tea.",
            "Call me Max from now on.",
            role=role,
            actor="",
        )
        file.run_jobs()
        ana.end()
        assert (known(ana), ana.inbox()) == ([], []), role
