"""What was told is not forgotten unless somebody asked for that: a year in default settings, and what presets do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect import ConfigError, InvalidInput, Recollect
from recollect.testing import FixedClock

PROTECTED: tuple[dict[str, Any], ...] = (
    {"topic": "health"},
    {"topic": "Family"},
    {"attributes": {"class": "identity"}},
    {"attributes": {"class": "wish"}},
)


def test_a_year_of_a_life(tmp_path: Path, clock: FixedClock) -> None:
    """After a year of daily jobs everything that was saved is there, and the last context names what matters most."""
    with Recollect(tmp_path / "m.db", clock=clock) as rc:
        ana = rc.space("ana")
        ana.remember("Ana's son Ben is allergic to peanuts.", topic="health")
        ana.remember("Ana is married to Carl.", topic="family")
        ana.remember("Lisbon", key="city")
        told = {one.content for one in ana.list()}
        for day in range(365):
            today = rc.space("ana", session=f"day{day}")
            today.observe("user", f"Day {day} was long.")
            if day % 3 == 0:
                told.add(f"Ana noted {day * 7919} on a slip.")
                today.remember(f"Ana noted {day * 7919} on a slip.", importance=2 + day % 5)
            if day % 30 == 0:
                today.remember(f"Project {day}", key="project")
            clock.advance(days=1)
            rc.run_jobs()
        there = {one.content for one in ana.list(limit=1000)}
        assert told <= there
        assert ana.stats().states == {"active": len(told) + 365 + 1, "superseded": 12}
        last = str(rc.space("ana", session="last").context())
        assert [word in last for word in ("allergic to peanuts", "married to Carl", "city: Lisbon")] == [True] * 3
        assert [hit.memory.content for hit in ana.recall("What did Ana note first? slip 0")][:1] == [
            "Ana noted 0 on a slip."
        ]
        assert sum(ana.forgetting(weeks=1000).weeks) == 0


@pytest.mark.parametrize("preset", ["lasting", "fading", "expiring", "fading+expiring"])
def test_what_is_protected_stays_in_every_preset(tmp_path: Path, clock: FixedClock, preset: str) -> None:
    """Health, identity, family and wishes neither age nor go, however little weight they were given; others may."""
    with Recollect(tmp_path / "m.db", clock=clock, retention={"preset": preset}) as rc:
        ana = rc.space("ana")
        kept = [ana.remember(f"Ana keeps thing {n}.", importance=2, **about).id for n, about in enumerate(PROTECTED)]
        plain = ana.remember("Ana had toast on Monday morning.", importance=2).id
        for _ in range(100):
            clock.advance(days=1)
            rc.run_jobs()
        assert {(ana.get(one).state, ana.get(one).tier) for one in kept} == {("active", "short")}
        if preset == "lasting":
            assert (ana.get(plain).state, ana.get(plain).tier) == ("active", "long")
        else:
            assert plain not in {one.id for one in ana.list(limit=100)}
        again = ana.remember("Ana keeps thing 0.")
        assert (again.outcome, again.id) == ("duplicate", kept[0])


def test_forgetting_shows_what_each_preset_would_do(tmp_path: Path, clock: FixedClock) -> None:
    """By default nothing goes; the same look tells how many would under each preset, and by which job."""
    with Recollect(tmp_path / "m.db", clock=clock) as rc:
        ana = rc.space("ana")
        fact = ana.remember("Ana had toast.").id
        event = ana.remember("Ana went swimming.", kind="event").id
        ana.remember("Ana is allergic to nuts.", topic="health")
        found = ana.forgetting()
        assert (found.fates, found.preset) == ((), "lasting")
        assert dict(found.presets) == {"lasting": 0, "fading": 1, "expiring": 2}
        assert [(one.id, one.job) for one in ana.forgetting(preset="fading").fates] == [(fact, "forget")]
        expiring = ana.forgetting(preset="expiring")
        assert {(one.id, one.job) for one in expiring.fates} == {(fact, "ttl"), (event, "ttl")}
        assert ana.forgetting(memory_id=fact).fates[0].kept == "the preset lasting lets time take nothing away"
        with pytest.raises(InvalidInput, match="use one of lasting, fading, expiring"):
            ana.forgetting(preset="gone")
    with pytest.raises(ConfigError, match=r"retention\.preset is 'gone'"):
        Recollect(tmp_path / "m.db", retention={"preset": "gone"})
    program = [sys.executable, "-c", "from recollect.serve.cli import main; main()", "forgetting", "-u", "ana"]
    told = subprocess.run([*program, "--db", str(tmp_path / "m.db")], capture_output=True, text=True, check=True)
    assert [word in told.stdout for word in ("lasting", "fading", "expiring", "→")] == [True] * 4
    asked = [*program, "--db", str(tmp_path / "m.db"), "--preset", "fading", "--weeks", "900", "--json"]
    read = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
    assert (read["preset"], [one["job"] for one in read["fates"]]) == ("fading", ["forget"])


def test_a_preset_chosen_later_holds_for_what_is_there(tmp_path: Path, clock: FixedClock) -> None:
    """Who changes the preset need not do more: the jobs it wakes look at everybody."""
    with Recollect(tmp_path / "m.db", clock=clock) as rc:
        one = rc.space("ana").remember("Ana had toast.").id
        clock.advance(days=90)
        rc.run_jobs()
        assert rc.space("ana").get(one).state == "active"
    with Recollect(tmp_path / "m.db", clock=clock, retention={"preset": "fading"}) as rc:
        rc.run_jobs()
        clock.advance(days=1)
        rc.run_jobs()
        assert rc.space("ana").get(one).state == "deleted"
        assert rc.space("ana").restore(one).outcome == "stored"


def test_what_is_forgotten_is_not_told_again(tmp_path: Path, clock: FixedClock) -> None:
    """A summary that lists what was learnt goes with a fact that is forgotten, so that no prompt shows it again."""
    with Recollect(tmp_path / "memory.db", clock=clock, embedder="recollect-1") as rc:
        talk = rc.space("fay", session="s1")
        for text in ("I'm allergic to penicillin.", "Just so you know.", "ok", "Bye then."):
            talk.observe("user", text)
        talk.end()
        fay = rc.space("fay", session="s2")
        (fact,) = fay.list(kinds=["fact"])
        assert any("penicillin" in one.content for one in fay.list(kinds=["summary"]))
        fay.forget(fact.id)
        clock.advance(days=1)
        rc.run_jobs()
        assert fay.list(kinds=["fact", "summary"]) == []
