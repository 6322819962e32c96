"""Whether a text gives orders to a model, which nobody but the user may."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from recollect.language.lexicon import Lexicon
from recollect.text.patterns import pattern

LONGEST = 100_000
"""How many characters are looked through at each end of a text; orders stand at its ends or are repeated."""
_ROLE = pattern(
    r"(?:^|\n)\s{0,8}(?:#{1,4} ?|\*{1,2}|<\|?/?|\[{1,2})?(?:system|assistant|developer|im_start|inst)(?: ?(?:prompt"
    r"|message))?"
    r"(?:\|?>|\]{1,2}|\*{1,2})?\s?:\s?\S|<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|<</?SYS>>"
    r"|</?(?:system|instructions?)>",
    re.IGNORECASE,
)
_HIDDEN = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff\u00ad")


@cache
def _orders(known: tuple[Lexicon, ...]) -> re.Pattern[str]:
    return re.compile("|".join(line for one in known for line in one.orders) or r"(?!)", re.IGNORECASE)


def instructing(text: str, known: Sequence[Lexicon]) -> bool:
    """Tell whether a text gives orders to a model: stored, such a text from a tool or a page is a quotation only."""
    if len(text) > 2 * LONGEST:
        text = text[:LONGEST] + "\n" + text[-LONGEST:]
    plain = unicodedata.normalize("NFKC", text.translate(_HIDDEN)).replace("’", "'")
    lines = "\n".join(" ".join(line.split()) for line in plain.splitlines())
    return bool(_ROLE.search(lines) or _orders(tuple(known)).search(lines.replace("\n", " ")))
