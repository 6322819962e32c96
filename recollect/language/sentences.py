"""A text cut into sentences, and what of a message its speaker says himself: no code, no quotation, no paste."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from recollect.language.lexicon import Lexicon
from recollect.text.patterns import pattern

_FENCE = pattern(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINE = pattern(r"^\s*(?:>|\|).*$", re.MULTILINE)
_QUOTATION = pattern(r"“[^”]{12,}”|«[^»]{12,}»|„[^“”]{12,}[“”]|(?<!\w)\"[^\"\n]{12,}\"")
_INLINE_CODE = pattern(r"`[^`\n]+`")


def plain(text: str) -> str:
    """Leave out of a message what its speaker only shows: code, quoted lines, quotations of more than a word or two."""
    for form, instead in ((_FENCE, "\n"), (_QUOTED_LINE, ""), (_QUOTATION, "…"), (_INLINE_CODE, "…")):
        text = form.sub(instead, text)
    return text


@cache
def _end(known: tuple[Lexicon, ...], small: bool = False) -> re.Pattern[str]:
    """Give the pattern of where a sentence ends: an abbreviation, an initial, `8 p.m.` and `4. Mai` end none.

    Who begins no sentence with a large letter begins the next one with a `small` one, too.
    """
    short = sorted({word for one in known for word in one.words("abbreviations")})
    months = "|".join(sorted({word for one in known for word in one.words("months")})) or "(?!)"
    spared = "".join(rf"(?<!\b{re.escape(word)})" for word in short)
    return re.compile(
        rf"(?:{spared}(?<!\b[A-Z])(?<!\.[A-Za-z])(?<!\d)\.|(?<=\d)\.(?!\s?\d)(?!\s(?i:{months})\b)|[!?…。！？])[.!?…。！？]*"
        rf"(?:[\"'”’)\]]*\s+{'' if small else '(?![a-z])'}|[\"'”’)\]]*$|(?<=[。！？]))"
    )


def ends(text: str, known: Sequence[Lexicon] = ()) -> list[int]:
    """Give the places where sentences end: behind their mark and the space after it."""
    small = next((letter.islower() for letter in text if letter.isalpha()), False)
    return [end.end() for end in _end(tuple(known), small).finditer(text)]


def sentences(text: str, known: Sequence[Lexicon] = ()) -> Iterator[str]:
    """Cut a text into sentences, line by line."""
    for line in text.splitlines():
        begin = 0
        for end in (*ends(line, known), len(line)):
            if said := line[begin:end].strip():
                yield said
            begin = end
