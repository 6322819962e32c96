"""The words by which names and dates are found in English, and those by which a fact tells what somebody is called."""

from __future__ import annotations

import re
from functools import cache

from recollect.language.values import Cues
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words

NAMING = "name called named"
"""Words by which facts that tell a name are found."""
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = (
    (
        pattern(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})\.?(?:,?\s+(\d{{4}}))?\b", re.IGNORECASE),
        "dmy",
    ),
    (
        pattern(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE),
        "mdy",
    ),
    (pattern(rf"\b({_MONTH})\.?,?\s+(\d{{4}})\b", re.IGNORECASE), "my"),
)
_PARTICLES = frozenset("de da do dos del van von der den bin al".split())
_OTHERS = frozenset(_MONTHS) | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday i i'm i've i'll i'd ok okay hi hello hey thanks thank "
    "yes no please sorry oh well yeah sure great maybe also remember note todo today tomorrow yesterday english".split()
)
_VERBS = frozenset(
    "is was has had will can does did lives likes loves prefers works wants needs uses moved said says asked thinks "
    "hates plays runs owns speaks knows goes went bought started joined left met visited plans".split()
)
_ARTICLES = ("the", "a", "an", "my", "our", "his", "her", "their")
_NO_SIGN = frozenset(("german",))
"""Languages in which every noun has a capital: there, a capital tells nothing."""
_CALLED = pattern(r"(?:called|name is)\s+(.+?)[.!]?$", re.IGNORECASE)
_NAMED = pattern(r"The user(?:'s name is| is called| is named| prefers to be called)\s+([^\W\d_][\w'-]+)")


@cache
def cues(language: str) -> Cues:
    """Give the words by which names are found in texts, for a language of the stemmer."""
    common = stop_words("english")
    return Cues(
        capitals=language not in _NO_SIGN,
        common=common,
        others=_OTHERS,
        never=common | _OTHERS,
        particles=_PARTICLES,
        verbs=_VERBS,
        articles=_ARTICLES,
        months=_MONTHS,
        dates=_DATES,
    )


def called(fact: str) -> str:
    """Give the name a fact about a name ends with; empty where it is no such fact."""
    found = _CALLED.search(fact)
    return found[1] if found else ""


def named(fact: str) -> str:
    """Give the name by which a fact says that the user goes; empty where it says none."""
    found = _NAMED.match(fact)
    return found[1] if found else ""
