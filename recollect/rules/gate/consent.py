"""Consent: what concerns who somebody is changes only with his word. Pure state logic; nothing is stored here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from recollect.model.candidate import Candidate
from recollect.model.values import dataclass
from recollect.text.normal import words


@dataclass(frozen=True, slots=True)
class ConsentPolicy:
    """Which slots are guarded, and how a proposal becomes true."""

    guarded: tuple[str, ...] = ("preferred_name", "pronouns", "city", "language")
    """Slots that change only when the user said so himself or accepted a proposal."""
    listed: tuple[str, ...] = ("goals",)
    """Slots that hold several values: what is learnt is added to what stands there."""
    days: int = 7
    """How long a proposal waits for an answer."""
    turns: int = 2
    """How many distinct turns must agree before another slot is filled."""
    sure: float = 0.9
    """The confidence from which one turn is enough for another slot."""
    quarantine_days: int = 30
    """How long a claim without evidence is kept apart before it goes."""


@dataclass(frozen=True, slots=True)
class OpenProposal:
    """A value that waits for an answer."""

    key: str
    value: str
    turns: tuple[str, ...]
    """The turns it was heard in."""
    expires: datetime


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a candidate for a slot."""

    name: Literal["apply", "propose", "replace", "agree", "nothing"]
    """Filled at once; proposed; proposed in the place of an older proposal; counted for the one there is; left."""
    reason: str
    count: int = 0
    """In how many distinct turns the value was heard, this one included."""


def decide(
    candidate: Candidate,
    current: str,
    proposals: Sequence[OpenProposal],
    now: datetime,
    policy: ConsentPolicy,
    *,
    himself: bool = False,
) -> Decision:
    """Decide what becomes of a candidate, given the value the slot has (or none) and the proposals there are.

    `himself` says that the user asked for it in so many words, which is consent.
    """
    if not candidate.key:
        return Decision("apply", "it fills no slot")
    if current and words(current) == words(candidate.content):
        return Decision("nothing", "the slot says so already")
    if himself:
        return Decision("apply", "the user said so himself")
    waiting = [one for one in proposals if one.key == candidate.key and one.expires > now]
    same = next((one for one in waiting if words(one.value) == words(candidate.content)), None)
    heard = {*(same.turns if same else ()), candidate.turn}
    if candidate.key not in policy.guarded:
        if candidate.confidence >= policy.sure:
            return Decision("apply", "it is sure enough", len(heard))
        if len(heard) >= policy.turns:
            return Decision("apply", f"{len(heard)} turns agree", len(heard))
    if same:
        again = candidate.turn in same.turns
        return Decision("nothing" if again else "agree", "it is proposed already", len(heard))
    if waiting:
        return Decision("replace", "a newer value takes the place of the older proposal", 1)
    return Decision("propose", "it waits for the user's consent", 1)
