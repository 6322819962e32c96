"""The words of a yes and of a no: one list for the glance at a message and for the reading of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.text.patterns import pattern

LEAD = r"(?:oh|well|hm+|ok(?:ay)?|ah|um+),?\s"
"""What may stand before an answer."""
YES: tuple[str, ...] = (
    "yes please", "yes", "yeah", "yep", "yup", "sure", "correct", "exactly", "right", "okay", "ok", "absolutely",
    "definitely", "of course", "please do", "go ahead", "do it", "that's right", "that's correct", "that's fine",
    "that's true", "sounds good", "fine by me",
)  # fmt: skip
NO: tuple[str, ...] = (
    "nope", "nah", "no", "please don't", "don't", "do not", "rather not", "i'd rather not", "leave it", "keep it",
    "never", "wrong", "incorrect", "that's wrong", "that's not right", "that's not correct", "that's incorrect",
)  # fmt: skip


def alternatives(phrases: Iterable[str]) -> str:
    """Give a pattern for one of several phrases, the longest first."""
    return "|".join(re.escape(one).replace(r"\ ", " ") for one in sorted(phrases, key=len, reverse=True))


_BEGINS = pattern(rf"\s*(?:{LEAD})?(?:{alternatives((*YES, *NO))})(?!\w)", re.IGNORECASE)


def may_answer(text: str) -> bool:
    """Tell at a glance whether a text begins like a yes or a no."""
    return _BEGINS.match(text.replace("’", "'")) is not None
