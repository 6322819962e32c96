"""Whether a talk seems to be in a language the offline rules cannot read: they read English."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.text.patterns import pattern
from recollect.text.stopwords import languages, stop_words

FEWEST = 8
"""Of fewer words nothing can be told."""
ENGLISH = 0.2
"""Which share of the words of English talk is among its most common, at the least."""
_WORD = pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_COMMON = stop_words("english")
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
    others = max(sum(word in stop_words(name) for word in words) for name in languages() if name != "english")
    return english < ENGLISH * len(words) and others > english
