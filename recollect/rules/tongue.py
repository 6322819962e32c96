"""Whether a talk seems to be in a language the offline rules cannot read: they read English."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.rules.patterns import pattern
from recollect.rules.stopwords import STOP_WORDS

FEWEST = 8
"""Of fewer words nothing can be told."""
ENGLISH = 0.2
"""Which share of the words of English talk is among its most common, at the least."""
_WORD = pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_COMMON = STOP_WORDS["english"]
_LOOKED_AT = 4000


def foreign(texts: Iterable[str]) -> bool:
    """Tell whether texts, taken together, seem not to be English: another script, or hardly one of its small words."""
    whole = " ".join(text[:_LOOKED_AT] for text in texts)[: 4 * _LOOKED_AT]
    letters = [char for char in whole if char.isalpha()]
    if len(letters) >= FEWEST and sum(char > "\u024f" for char in letters) > len(letters) / 2:
        return True
    words = [word.lower().replace("’", "'") for word in _WORD.findall(whole)]
    if len(words) < FEWEST:
        return False
    english = sum(word in _COMMON for word in words)
    others = max(
        (sum(word in known for word in words) for name, known in STOP_WORDS.items() if name != "english"), default=0
    )
    return english < ENGLISH * len(words) and others > english
