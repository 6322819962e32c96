"""Whether an answer claims that something was saved: an agent may say so only where a tool was called for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from recollect.language.lexicon import Lexicon, one_of
from recollect.language.sentences import plain, sentences
from recollect.language.values import Claim
from recollect.text.terms import split

LONGEST = 20_000
_GROUPS: tuple[tuple[str, Claim], ...] = (("saved_in_memory", "memory"), ("saved", "saved"))


@cache
def _claims(known: tuple[Lexicon, ...], group: str) -> re.Pattern[str]:
    phrases = sorted({phrase for one in known for phrase in one.phrases(group)}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{one_of(phrases)})(?!\w)", re.IGNORECASE)


def claims_saved(text: str, known: Sequence[Lexicon]) -> Claim:
    """Say what an answer claims: a save in memory, a save of some sort, or none.

    What is asked, denied before it is said, or only supposed is no claim.
    """
    every = tuple(known)
    told = list(sentences(plain(text[:LONGEST]), every)) if every else []
    for group, claim in _GROUPS:
        if any(_claimed(one, _claims(every, group), every) for one in told):
            return claim
    return ""


def _claimed(sentence: str, pattern: re.Pattern[str], known: tuple[Lexicon, ...]) -> bool:
    found = pattern.search(sentence)
    if found is None or sentence.rstrip().endswith(("?", "？")):
        return False
    before = split(sentence[: found.start()])
    unsure = set(before[-1:])
    return not any(
        set(before) & one.words("negations") or unsure & (one.words("hedges") | one.words("doubts")) for one in known
    )
