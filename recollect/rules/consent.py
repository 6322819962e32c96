"""Consent: what concerns who somebody is changes only with his word. Pure state logic; nothing is stored here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from recollect.model.candidate import Candidate
from recollect.rules.evidence import names_in
from recollect.rules.similarity import words
from recollect.rules.stopwords import STOP_WORDS

Answer = Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class ConsentPolicy:
    """Which slots are guarded, and how a proposal becomes true."""

    guarded: tuple[str, ...] = ("preferred_name", "pronouns", "city", "language")
    """Slots that change only when the user said so himself or accepted a proposal."""
    days: int = 7
    """How long a proposal waits for an answer."""
    turns: int = 2
    """How many distinct turns must agree before another slot is filled."""
    sure: float = 0.9
    """The confidence from which one turn is enough for another slot."""
    quarantine_days: int = 30
    """How long a claim without evidence is kept apart before it goes."""


@dataclass(frozen=True, slots=True)
class Proposal:
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
    proposals: Sequence[Proposal],
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


_YES = re.compile(
    r"^(?:oh\s|well\s|hm+\s|ok(?:ay)?\s)?(?:yes|yeah|yep|yup|sure|correct|exactly|right|ok|okay|absolutely"
    r"|definitely|of course|please do"
    r"|go ahead|do it|that's (?:right|correct|fine|true)|sounds good|yes please|fine by me)\b(?P<rest>.*)$"
)
_NO = re.compile(
    r"^(?:oh\s|well\s|hm+\s)?(?:no|nope|nah|please don't|don't|do not|rather not|i'd rather not|leave it|keep it"
    r"|never|wrong|incorrect"
    r"|that's (?:wrong|not right|not correct|incorrect))\b(?P<rest>.*)$"
)
_NO_OTHER = re.compile(r"^\s*(?:problem|worries|idea|doubt|way|need|more|one|longer|matter|clue|rush|wonder|kidding)\b")
_FILLING = frozenset(
    "please thanks thank you that's that is it do so right correct fine indeed sure i am i'm want would like love to "
    "be called call me the a my name use go ahead good great exactly yes very much prefer now on from live in speak "
    "absolutely course of and".split()
)
_KEEPING = frozenset(
    "thanks thank you please keep leave it as is stay stays with the old one my name call me don't change that do not "
    "want it's still just rather i i'd prefer fine same like this was before to called be wrong right".split()
)
_COMMON = STOP_WORDS["english"]
_TURNING = re.compile(r"\b(?:but|wait|actually|except|unless|not yet|later|maybe|depends|if|no|nope)\b")
_LONGEST = 200


def answers(text: str, pending: str) -> Answer | None:
    """Read the user's yes or no to a pending value in his next message; None when it may mean something else."""
    said = " ".join(text[: _LONGEST + 1].lower().replace("’", "'").split())
    if not said or len(text) > _LONGEST or said.rstrip("\"') ").endswith("?"):
        return None
    first, _, later = re.sub(r"[!.;:–—]+", "|", said).partition("|")
    first = " ".join(first.replace(",", " ").split())
    value = {word for word in words(pending) if word not in ("the", "user", "user's")}
    called = re.match(r"(?:please |just |you can )*call me (.+)$", first)
    if called:
        return "yes" if set(words(called[1])) - {"please", "from", "now", "on"} <= value else None
    yes = _YES.match(first)
    if yes:
        rest = set(words(yes["rest"])) if yes["rest"].strip() else set()
        turns = _TURNING.search(yes["rest"]) or _TURNING.search(later)
        return "yes" if rest - value <= _FILLING and not turns else None
    no = _NO.match(first)
    if no and not _NO_OTHER.match(no["rest"]):
        rest = set(words(no["rest"])) if no["rest"].strip() else set()
        # "no, keep Ana" names the old value; "no, call me Bo" with Bo pending contradicts itself.
        return "no" if len(rest - _KEEPING) <= 2 and not _fresh(rest, value) else None
    return None


def _fresh(rest: set[str], value: set[str]) -> bool:
    """Tell whether a refusal names the very value it seems to refuse."""
    return bool(rest & value - _KEEPING - _FILLING) and not rest & {"don't", "not", "keep", "leave", "stay"}


def names_it(text: str, pending: str) -> bool:
    """Tell whether a text names the pending value: every name in it, or where there is none, one of its words."""
    said = {word.removesuffix("'s") for word in words(text)}
    subject, *rest = pending.removeprefix("The ").split() or [""]
    value = " ".join(rest) if rest else subject
    named = {word for name in names_in("… " + value) for word in words(name)}
    if named:
        return named <= said
    return bool({word for word in words(value) if word not in _FILLING and word not in _COMMON} & said)
