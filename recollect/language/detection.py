"""The language of a talk: by its small words where one stands out, else by py3langid, loaded when it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from recollect.language.lexicon import Lexicon
from recollect.text.patterns import pattern

FEWEST = 8
"""Of fewer words, or letters of another script, nothing can be told."""
SHARE = 0.2
"""Which share of the words of a talk is among the most common of its language, at the least."""
_WORD = pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LOOKED_AT = 4000


def language(texts: Iterable[str], known: Sequence[Lexicon]) -> str:
    """Give the language of texts, taken together, as its two letters; empty where there is too little to tell by."""
    if not known:
        return ""
    whole = " ".join(text[:_LOOKED_AT] for text in texts)[: 4 * _LOOKED_AT]
    words = [word.lower().replace("’", "'") for word in _WORD.findall(whole)]
    if len(words) < FEWEST and not _other_script(whole):
        return ""
    counts = sorted(((sum(word in one.common for word in words), one.code) for one in known), reverse=True)
    most, second = counts[0], counts[1] if len(counts) > 1 else (0, "")
    if most[0] >= SHARE * len(words) and most[0] > 1.5 * second[0]:
        return most[1]  # as most talk is: to load what knows all languages takes a second
    return str(_identifier().classify(whole)[0])


def _other_script(text: str) -> bool:
    """Tell whether most letters are of a script that these languages are not written in."""
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= FEWEST and sum(char > "\u024f" for char in letters) > len(letters) / 2


@cache
def _identifier() -> Any:
    langid = import_module("py3langid.langid")
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE)
