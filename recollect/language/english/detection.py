"""The language of a talk: English by its small words, any other by py3langid, loaded when it is first needed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from recollect.text.patterns import pattern
from recollect.text.stopwords import languages, stop_words

FEWEST = 8
"""Of fewer words, or letters of another script, nothing can be told."""
ENGLISH = 0.2
"""Which share of the words of English talk is among its most common, at the least."""
_WORD = pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LOOKED_AT = 4000


def language(texts: Iterable[str]) -> str:
    """Give the language of texts, taken together, as its two letters; empty where there is too little to tell by."""
    whole = " ".join(text[:_LOOKED_AT] for text in texts)[: 4 * _LOOKED_AT]
    words = [word.lower().replace("’", "'") for word in _WORD.findall(whole)]
    if len(words) < FEWEST and not _other_script(whole):
        return ""
    english = sum(word in stop_words("english") for word in words)
    others = max(sum(word in stop_words(name) for word in words) for name in languages() if name != "english")
    if english >= ENGLISH * len(words) and english > others:
        return "en"  # as most talk is: to load what knows all languages takes a second
    return str(_identifier().classify(whole)[0])


def _other_script(text: str) -> bool:
    """Tell whether most letters are of a script that English is not written in."""
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= FEWEST and sum(char > "\u024f" for char in letters) > len(letters) / 2


@cache
def _identifier() -> Any:
    langid = import_module("py3langid.langid")
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE)
