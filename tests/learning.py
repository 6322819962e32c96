"""What extraction proposes, walked through screening and the gate in one commit, as consolidation does it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect import Receipt, Space
from recollect.flows.find.meaning import Vectors
from recollect.flows.keep.remember import judged
from recollect.flows.learn.screen import screened
from recollect.language.english.echo import Echo
from recollect.model.candidate import Candidate
from recollect.model.change import Write
from recollect.model.turn import Turn
from recollect.store.base import View


def said(content: str, at: datetime, number: int = 1, role: str = "user") -> Turn:
    """Make a turn of a text."""
    return Turn(f"t{number}", role, "", content, at)


def learn(
    space: Space, candidates: Sequence[Candidate], turns: Sequence[Turn], known: Iterable[str] = ()
) -> tuple[Receipt, ...]:
    """Give candidates to the gate; a receipt for each."""
    runtime, scope = space._runtime, space._scope
    echo, vectors = Echo(known), Vectors(runtime)

    def plan(view: View) -> Write | Receipt:
        drafts = screened(runtime, view, scope, candidates, turns, echo, "consolidate@1")
        verdicts = judged(runtime, view, scope, drafts, "", vectors)
        return Write(
            owner=scope.owner,
            at=runtime.now(),
            node="consolidate",
            changes=tuple(change for verdict in verdicts for change in verdict.changes),
            expect=tuple(one for verdict in verdicts for one in verdict.expect),
            receipt=Receipt(outcome="stored", op="batch", parts=tuple(verdict.receipt for verdict in verdicts)),
        )

    return runtime.store.decide(scope.owner, plan, runtime.now()).parts
