"""The form of a question: what it wants to know tells which memories can answer it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from recollect.language.lexicon import Lexicon, among
from recollect.language.values import Form

LONGEST = 2000
_NO_FORM = Form()


@cache
def _asks(lexicon: Lexicon) -> dict[str, re.Pattern[str]]:
    return {name: lexicon.asks(name) for name in lexicon.data["asks"]}


def form(query: str, known: Sequence[Lexicon]) -> Form:
    """Tell what a question asks for."""
    text = query[:LONGEST].lower().replace("’", "'")
    lexicon = among([text], known)
    if lexicon is None:
        return _NO_FORM
    asks = {name: bool(wanted.search(text)) for name, wanted in _asks(lexicon).items()}
    return Form(
        now=asks["now"] and not asks["past"],
        when=asks["when"],
        number=asks["number"],
        overview=asks["overview"],
        told=asks["told"],
        how=asks["how"],
    )
