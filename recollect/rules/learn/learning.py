"""Learning while the conversation goes on: which messages are worth a look, and how often things are noted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.language.english.clauses import sentences_of
from recollect.language.english.corrections import corrects
from recollect.language.english.not_meant import revoked, takes_back
from recollect.language.english.yesno import may_answer
from recollect.text.patterns import pattern
from recollect.text.roles import is_machine

LOOKED_AT = 1000
"""How many characters of a message are looked at on its way in."""
LONG = 200
"""From how many characters on a message counts as long."""

_SIGNS = (
    "rememb", "forget", "in mind", "note", "call me", "always", "never", "from now on", "going forward", "future",
    "procedure", "steps", "how to", "remind me", "calls me", "go by", "ever ",
)  # fmt: skip
"""One of these is in every request to remember; to look for them takes a few microseconds."""
_ASKING = pattern(
    r"rememb|forget|remind me\b|\bcalls me\b|\bi go by\b|\b(?:don['’]?t|do not) ever\b|(?:keep|bear) in mind"
    r"|\bcall me\b|from now on|going forward|in (?:the )?future\b"
    r"|\b(?:make a|take) note\b|\bnote(?: down| this| that| the following)?\s*(?::|that\b|i\b|my\b|[-–—])"
    r"|(?:^|[.!?:;,\n]\s*)(?:(?:please|also|and|ok|okay|so),?\s+){0,3}(?:always|never)\s"
    r"|\b(?:procedure|steps|how to)\b[^\n]{0,80}:",
)
_BACK = (
    "not", "actually", "i mean", "i said", "ignore", "scratch", "regard", "strike", "delete", "erase", "kidding",
    "joking", "messing", "jk", "made that up", "that back", "call", "really",
)  # fmt: skip
"""One of these is in whatever takes words back or puts them right and does not say “forget”."""
_TELLING = ("i'm ", "i am ", "my ", "i've ", "i have ", "i live", "i work", "i moved", "i like", "i prefer")


@dataclass(frozen=True, slots=True)
class LearningPolicy:
    """What is learnt from a message before its conversation is over, by a job behind it."""

    mode: Literal["off", "explicit", "all"] = "explicit"
    """`explicit` saves what the user asks to be remembered, `all` also what long or confident messages tell."""
    candidates_per_turn: int = 5
    """With `all`: how many statements of one message are considered."""
    writes_per_turn: int = 3
    """How many memories one message may give at once."""
    per_session: int = 30
    """How many memories may be learnt this way in one session."""
    per_day: int = 100
    """How many memories of one user may be learnt this way in a day."""
    event_turns: int = 3
    """How many messages of the user lie between two notes of what happened, at least."""
    event_minutes: float = 10.0
    """How many minutes lie between two notes of what happened, at least."""
    events_per_day: int = 5
    """How many notes of what happened a day may have."""
    event_same: float = 0.90
    """From which similarity on such a note is one that was made already."""
    event_hours: float = 48.0
    """For how many hours that holds."""


def retracts(content: str) -> bool:
    """Tell whether a message takes something back or puts it right."""
    return any(takes_back(said) or revoked(said) or corrects(said) for said in sentences_of(content))


def worth_a_look(role: str, content: str, policy: LearningPolicy) -> bool:
    """Tell whether something may be learnt from a message: a glance on its way in, the rules look closely later."""
    if is_machine(role):
        return False
    low = content[:LOOKED_AT].lower()
    if len(content) <= LONG and may_answer(content):
        return True  # it may be the user's word on something that waits for it
    if policy.mode == "off":
        return False
    if any(map(low.__contains__, _SIGNS)) and _ASKING.search(low):
        return True
    if len(content) <= LONG and any(map(low.__contains__, _BACK)) and retracts(content):
        return True  # it may be about what was learnt of the message before
    return policy.mode == "all" and (len(content) >= LONG or any(map(low.__contains__, _TELLING)))
