"""Summaries by a model: a sentence that names somebody or something nobody spoke of is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.language.english.clauses import sentences_of
from recollect.language.english.evidence import forms, names_in, numbers_in
from recollect.text.terms import fold

COUNTED = 12
"""Up to here a number may be the model's own counting."""


def borne_out(summary: str, said: Sequence[str], turns: int) -> str:
    """Give the sentences of a summary whose names and numbers were said; how many turns there are may be told too.

    The first word of a sentence is not looked at: it is written large whatever it is.
    """
    whole = "\n".join(said)
    words = set(re.findall(r"\w+", fold(whole)))
    numbers = numbers_in(fold(whole)) | {str(turns)}
    return " ".join(one for one in sentences_of(summary) if _known(one, words, numbers))


def _known(sentence: str, words: set[str], numbers: set[str]) -> bool:
    rest = sentence.partition(" ")[2]
    named = [part for name in names_in(f"… {rest}") for part in re.findall(r"\w+", name)]
    if any(name not in words and not forms(name, words) for name in named):
        return False
    own = {number for number in numbers_in(rest) if number.isdecimal() and int(number) <= COUNTED}
    return numbers_in(rest) - own <= numbers
