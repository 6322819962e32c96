"""Consent, in any order: no guarded field changes but by an accepted proposal or the user's own words."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Conflict, Recollect, Space
from recollect.flows.keep.inbox import answered
from recollect.flows.people.identity import identity_of
from recollect.model.candidate import Candidate
from recollect.model.change import Write
from recollect.model.turn import Turn
from recollect.testing import FixedClock
from tests.learning import learn

PLACES = ("Porto", "Faro", "Braga")
DECIDING = ("accepted", "rejected", "amended", "expired", "replaced")
people = count()

Step = tuple[str, str]
steps = st.lists(
    st.one_of(
        st.tuples(st.just("hear"), st.sampled_from(PLACES)),
        st.tuples(st.just("invent"), st.sampled_from(PLACES)),
        st.tuples(st.just("say"), st.sampled_from(PLACES)),
        st.tuples(st.just("ask"), st.sampled_from((*PLACES, "a taxi"))),
        st.tuples(st.just("answer"), st.sampled_from(("Yes, please.", "No, leave it.", "Hm.", "Yes, Porto.", "Yes?"))),
        st.tuples(st.just("inbox"), st.sampled_from(("accept", "reject", "amend"))),
        st.tuples(st.just("wait"), st.sampled_from(("1", "6", "31"))),
        st.tuples(st.just("free"), st.sampled_from(PLACES)),
        st.tuples(st.just("errand"), st.sampled_from(PLACES)),
        st.tuples(st.just("stranger"), st.sampled_from(PLACES)),
        st.tuples(st.just("resolve"), st.sampled_from(PLACES)),
    ),
    max_size=14,
)


@pytest.fixture(scope="module")
def house() -> Iterator[tuple[Recollect, FixedClock]]:
    """Give one memory for all examples; each speaks for a user of its own."""
    clock = FixedClock()
    with tempfile.TemporaryDirectory() as folder, Recollect(Path(folder) / "memory.db", clock=clock) as opened:
        yield opened, clock


@dataclass
class Life:
    """One user, step by step, with what may have changed the guarded slot."""

    rc: Recollect
    space: Space
    clock: FixedClock
    turn: int = 0
    decided: int = 0

    def city(self) -> str:
        """Give what the slot says."""
        return next((memory.content for memory in self.space.list(key="city")), "")

    def offer(self, place: str, quote: str, key: str = "city") -> None:
        """Let extraction propose a home town, as sure as can be."""
        self.turn += 1
        turn = Turn(f"t{self.turn}", "user", "", quote, self.clock())
        learn(
            self.space,
            [Candidate(content=f"Ana lives in {place}.", key=key, turn=turn.id, quote=quote, confidence=1.0)],
            [turn],
        )

    def answers(self, text: str) -> bool:
        """Say something, carry out what it decides, and tell whether that was a yes."""
        runtime, scope = self.space._runtime, self.space._scope
        turn = Turn(self.space.observe("user", text).id, "user", "", text, self.clock())
        with runtime.store.view() as view:
            verdict = answered(runtime, view, scope, turn, identity_of(view, scope.owner, runtime.reader))
        if verdict is None:
            return False
        self.decided += 1
        runtime.store.commit(
            Write(owner=scope.owner, at=runtime.now(), node="learn", changes=verdict.changes, expect=verdict.expect)
        )
        return verdict.receipt.op == "accepted"

    def decide(self, word: str) -> bool:
        """Answer the newest in the inbox, and tell whether that lets it in."""
        waiting = self.space.inbox()
        if not waiting:
            return False
        self.decided += 1
        verbs: dict[str, Any] = {"accept": self.space.inbox.accept, "reject": self.space.inbox.reject}
        if word == "amend":
            self.space.inbox.amend(waiting[0].memory.id, "Ana lives in Braga, uphill.")
        else:
            verbs[word](waiting[0].memory.id)
        with pytest.raises(Conflict):
            self.space.inbox.accept(waiting[0].memory.id)
        return word != "reject"

    def stranger(self, place: str) -> None:
        """Let somebody else speak: he answers nothing and fills nothing, whatever he says."""
        runtime, scope = self.space._runtime, self.space._scope
        self.turn += 1
        turn = Turn(f"b{self.turn}", "user", "Bob", f"Yes, I live in {place}.", self.clock())
        with runtime.store.view() as view:
            assert answered(runtime, view, scope, turn, identity_of(view, scope.owner, runtime.reader)) is None
        candidate = Candidate(
            content=f"Bob lives in {place}.", key="city", turn=turn.id, quote=f"I live in {place}", explicit=True
        )
        learn(self.space, [candidate], [turn])

    def resolve(self, place: str) -> None:
        """Let an agent hold a new fact against the slot."""
        self.space.observe("user", "Hm.")
        saved = self.space.save_facts_batch([{"content": f"Ana lives in {place}."}]).saved
        for old in self.space.list(key="city"):
            for new in saved:
                if new.id != old.id and self.space.get(new.id).state == "active":
                    assert self.space.resolve_conflict(new.id, old.id, "moved").outcome in ("queued", "rejected")

    def take(self, step: Step) -> bool:
        """Take one step, and tell whether it is one that may change the slot."""
        name, what = step
        if name == "hear":
            self.offer(what, f"I live in {what}.")
        elif name == "invent":
            self.offer(what, "It rained all day.")
        elif name == "free":
            self.offer(what, f"I live in {what}.", key="")
        elif name == "say":
            self.space.remember(f"Ana lives in {what}.", key="city")
            return True
        elif name == "ask":
            self.space.observe("assistant", f"Shall I take note of {what}?")
        elif name == "answer":
            return self.answers(what)
        elif name == "errand":
            self.space.observe("assistant", f"Shall I book a hotel in {what}?")
            self.clock.advance(seconds=1)
            assert not self.answers("Yes, please.")
        elif name == "stranger":
            self.stranger(what)
        elif name == "resolve":
            self.resolve(what)
        elif name == "inbox":
            return self.decide(what)
        else:
            self.clock.advance(days=int(what))
            self.rc.run_jobs()
        return False


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_no_guarded_field_changes_without_consent(house: tuple[Recollect, FixedClock], taken: list[Step]) -> None:
    """After every step the slot says what it said, unless the user spoke or a proposal was accepted; at most one
    proposal waits; and the journal holds each decision."""
    rc, clock = house
    life = Life(rc, rc.space("ana", tenant=f"t{next(people)}", session="s"), clock)
    for step in taken:
        clock.advance(minutes=1)
        before = life.city()
        may = life.take(step)
        assert may or life.city() == before, step
        proposed = [one for one in life.space.inbox() if one.memory.state == "proposed" and one.memory.key]
        assert len(proposed) <= 1
    journal = life.space.journal(limit=10_000)
    made = {entry.memory_id for entry in journal if entry.op == "created"}
    made -= {entry.memory_id for entry in journal if entry.op == "purged"}
    waits = {one.memory.id for one in life.space.inbox()}
    for memory_id in made:
        memory = life.space.get(memory_id)
        decisions = [entry.op for entry in journal if entry.memory_id == memory_id and entry.op in DECIDING]
        if "gate" in memory.attributes:
            assert len(decisions) == (memory_id not in waits), (memory, decisions)
        else:
            assert decisions == []
    answers = [entry.op for entry in journal if entry.node in ("consent", "learn") and entry.op in DECIDING[:3]]
    assert len(answers) == life.decided
