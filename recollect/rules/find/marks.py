"""Marks: what can be told of a text at a glance, and helps to rank it later."""

from __future__ import annotations

import re

from recollect.text.arrays import Flags, Ints, Reals, np
from recollect.text.patterns import pattern
from recollect.text.roles import is_machine

ASKS, TIMED, PERSONAL, PERSON, NUMBERED, CHANGED = 1, 2, 4, 8, 16, 32
"""It ends with a question; names a time; somebody speaks of himself; a person says it, not a machine; it holds a
number; it tells of a change."""

FACETS = {"person": PERSON, "asks": ASKS, "personal": PERSONAL, "timed": TIMED, "numbered": NUMBERED}
"""The marks that tell something of a raw message."""
LONG = 60
"""From how many words on a message counts as long."""

HEAD, NEAR, TAIL = 4000, 600, 200
_QUESTIONS = ("?", "？", "؟", '?"', "?)")
_WORD, _DIGIT = pattern(r"\w+"), pattern(r"\d")
_TIMES = frozenset(
    "yesterday today tonight tomorrow last next ago week weeks weekend month months year years monday tuesday "
    "wednesday thursday friday saturday sunday morning january february march april may june july august "
    "september october november december".split()
)
_NTH = pattern(r"\d+(?:st|nd|rd|th)")
_CHANGES = frozenset(
    "now new newly recently lately change changed changing move moved moving switch switched anymore instead update "
    "updated updating increase increased raise raised extended reduced reached improved grown dropped replaced "
    "renewed upgraded rescheduled postponed pushed correction finally started stopped became become".split()
)
_CHANGE = pattern(r"\b(?:no longer|any more|these days|as of|after all|down to|up to)\b", re.IGNORECASE)
_CHANGE_BEGINS = frozenset("no any these as after down up".split())
_SELF = frozenset("i my me we our".split())


def marked(text: str, role: str) -> int:
    """Give the marks of a text as one number; only its beginning and its end are looked at."""
    asks = text[-TAIL:].partition(" [photo")[0].rstrip().endswith(_QUESTIONS)
    words = _words(text[:HEAD])
    first = words if len(text) <= NEAR else _words(text[:NEAR])
    numbers = [word for word in words if _DIGIT.search(word)] if _DIGIT.search(text[:HEAD]) else []
    timed = not _TIMES.isdisjoint(words) or any(map(_dated, numbers))
    changed = not _CHANGES.isdisjoint(first) or (
        not _CHANGE_BEGINS.isdisjoint(first) and bool(_CHANGE.search(text[:NEAR]))
    )
    return (
        ASKS * asks
        + TIMED * timed
        + PERSONAL * (not _SELF.isdisjoint(words))
        + PERSON * (not is_machine(role))
        + NUMBERED * bool(numbers)
        + CHANGED * changed
    )


def _words(text: str) -> set[str]:
    # A Turkish capital would leave a lone dot behind, and with it a word of one letter.
    return set(_WORD.findall(text.replace("İ", "i").lower()))


def _dated(word: str) -> bool:
    """Tell whether a word is a year, or the number of a day."""
    return (len(word) == 4 and word.isdecimal()) or _NTH.fullmatch(word) is not None


def facets(marks: Ints, lengths: Ints, said: Flags) -> Reals:
    """Give how long texts are beyond what is ordinary, and their marks: a row a text, a column for each of `FACETS`.

    How a text is worded tells something of a message; what is kept was worded to be kept, so its marks are unknown.
    """
    bits = np.array(list(FACETS.values()))
    out = np.empty((len(marks), 1 + len(bits)), dtype=np.float32)
    out[:, 0] = np.log(np.maximum(lengths, LONG) / LONG)
    out[:, 1:] = (marks[:, None] & bits) > 0
    out[~said, 1:] = np.nan
    return out
