"""What a message may be, at a glance: every message is looked at so on its way in, and hardly one is worth more."""

from __future__ import annotations

from recollect.language.english.clauses import sentences_of
from recollect.language.english.corrections import corrects
from recollect.language.english.not_meant import revoked, takes_back
from recollect.language.english.yesno import may_answer
from recollect.language.values import Glance
from recollect.text.patterns import pattern

LOOKED_AT = 1000
"""How many characters of a message are looked at on its way in."""
SHORT = 200
"""Up to how many characters a message may be an answer, or take something back."""

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


def glance(text: str) -> Glance:
    """Say what a message may be; of several, what is looked for first."""
    low = text[:LOOKED_AT].lower()
    if len(text) <= SHORT and may_answer(text):
        return "answer"
    if any(map(low.__contains__, _SIGNS)) and _ASKING.search(low):
        return "request"
    if len(text) <= SHORT and any(map(low.__contains__, _BACK)) and _retracts(text):
        return "retraction"
    return "statement" if any(map(low.__contains__, _TELLING)) else ""


def _retracts(content: str) -> bool:
    """Tell whether a message takes something back or puts it right."""
    return any(takes_back(said) or revoked(said) or corrects(said) for said in sentences_of(content))
