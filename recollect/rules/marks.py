"""Marks: what can be told of a text at a glance, and helps to rank it later."""

from __future__ import annotations

import re

ASKS, TIMED, PERSONAL, PERSON, NUMBERED, CHANGED = 1, 2, 4, 8, 16, 32
"""It ends with a question; names a time; somebody speaks of himself; a person says it, not a machine; it holds a
number; it tells of a change."""

MACHINES = frozenset(("assistant", "system", "tool", "function", "developer"))
HEAD, NEAR, TAIL = 4000, 600, 200
_QUESTIONS = ("?", "？", "؟", '?"', "?)")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekend|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|morning|january|february|march|april|may|june|july|august|september|october|november|december|\d{4}|\d+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_CHANGE = re.compile(
    r"\b(?:now|new|newly|recently|lately|chang(?:ed?|ing)|mov(?:ed?|ing)|switch(?:ed)?|no longer|any ?more|instead"
    r"|updat(?:ed?|ing)|increased?|raised?|extended|reduced|reached|improved|grown|dropped|replaced|renewed|upgraded"
    r"|these days|from now on|as of"
    r"|rescheduled|postponed|pushed|after all|correction|finally|started|stopped|became|become|down to|up to)\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our)\b", re.IGNORECASE)


def marked(text: str, role: str) -> int:
    """Give the marks of a text as one number; only its beginning and its end are looked at."""
    head = text[:HEAD]
    asks = text[-TAIL:].partition(" [photo")[0].rstrip().endswith(_QUESTIONS)
    return (
        ASKS * asks
        + TIMED * bool(_TIME.search(head))
        + PERSONAL * bool(_SELF.search(head))
        + PERSON * (role not in MACHINES)
        + NUMBERED * bool(_NUMBER.search(head))
        + CHANGED * bool(_CHANGE.search(text[:NEAR]))
    )
