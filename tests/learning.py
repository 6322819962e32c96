"""What extraction proposes, walked through screening and the gate in one commit, as consolidation does it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect import Receipt, Space
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import judged
from recollect.flows.learn.extract import Extracted
from recollect.flows.learn.pages import Talk
from recollect.flows.learn.screen import screened
from recollect.flows.people.identity import identity_of
from recollect.model.candidate import Candidate
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
    vectors = Vectors(runtime)

    def plan(view: View) -> Resolution:
        talk = Talk(identity_of(view, scope.owner, runtime.reader), tuple(turns), tuple(known))
        read = Extracted(tuple(candidates), version="consolidate@1")
        drafts = [one.result for one in screened(runtime, view, scope, read, talk)]
        return Resolution(Receipt(outcome="stored", op="batch"), judged(runtime, view, scope, drafts, "", vectors))

    return commit(runtime, Origin(scope, "consolidate", ""), plan).parts
