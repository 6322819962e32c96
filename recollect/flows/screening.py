"""Screening what extraction proposes, before the gate: how it is written, what it repeats, what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.candidate import Candidate
from recollect.model.kinds import KINDS
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.rules.echo import Echo
from recollect.rules.grounds import unfounded
from recollect.rules.secrets import redacted
from recollect.rules.trust import instructing
from recollect.rules.writing import mended, tidy, violations
from recollect.runtime import Runtime
from recollect.store.base import View

ECHO = "it repeats what came out of memory, a prompt or a tool"


def screened(
    runtime: Runtime,
    view: View,
    scope: Scope,
    candidates: Sequence[Candidate],
    turns: Sequence[Turn],
    echo: Echo,
) -> list[Draft | Receipt]:
    """Give for each candidate the draft the gate shall judge, or the receipt that says why there is none."""
    return [_one(runtime, candidate, turns, echo) for candidate in candidates]


def _one(runtime: Runtime, candidate: Candidate, turns: Sequence[Turn], echo: Echo) -> Draft | Receipt:
    policy, writing = KINDS[candidate.kind].policy, runtime.settings.writing
    text = candidate.content if policy == "procedure" else mended(tidy(candidate.content, policy), writing)[0]
    if violations(text, policy, writing):
        return Receipt(outcome="rejected", reason="it is not written as a memory is")
    if instructing(candidate.quote) or instructing(text) or redacted(text)[1] or "[redacted: " in text:
        return Receipt(outcome="rejected", reason="it gives orders to a model, or holds a secret")
    if echo.repeats(candidate.quote or text) or echo.repeats(text):
        return Receipt(outcome="rejected", reason=ECHO)
    if not candidate.explicit and unfounded(candidate, turns, [turn.actor for turn in turns if turn.actor]):
        return Receipt(outcome="quarantined", reason="the conversation does not bear it out")
    return Draft(
        content=text,
        kind=candidate.kind,
        topic=candidate.topic,
        category=candidate.category,
        key=candidate.key,
        private=False,
        tags=(),
        importance=candidate.importance,
        confidence=candidate.confidence,
        pinned=False,
        source="session",
        actor="",
        event_time=candidate.event_time,
        valid_until=None,
        attributes={"quote": candidate.quote, "turn": candidate.turn},
    )
