"""Marks: what can be told of a text at a glance, and helps to rank it later."""

from __future__ import annotations

import re

ASKS, TIMED, PERSONAL = 1, 2, 4
"""It ends with a question; it names a time; somebody speaks of himself."""

HEAD, TAIL = 4000, 200
_QUESTIONS = ("?", "？", "؟", '?"', "?)")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekend|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|morning|january|february|march|april|may|june|july|august|september|october|november|december|\d{4}|\d+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our)\b", re.IGNORECASE)


def marked(text: str) -> int:
    """Give the marks of a text as one number; only its beginning and its end are looked at."""
    head = text[:HEAD]
    asks = text[-TAIL:].partition(" [photo")[0].rstrip().endswith(_QUESTIONS)
    return ASKS * asks + TIMED * bool(_TIME.search(head)) + PERSONAL * bool(_SELF.search(head))
