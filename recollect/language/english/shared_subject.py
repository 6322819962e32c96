"""A clause as its speaker could have said it of himself alone: `we live in Rome` is `I live in Rome`.

What one clause tells in a list (`I am Amy, 29, from Cork`) is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from recollect.language.english.clauses import main_part
from recollect.language.english.self_statements import DIED
from recollect.text.patterns import pattern

_NAME = r"(?-i:[A-ZÀ-Þ])[\w'-]*"
_KIN = ("mum", "mom", "dad", "grandma", "grandpa", "granny", "nana")
_CHANGES = (
    (r"^we (?=(?:have )?(?:live|lived|moved|relocated|are living|are based|are moving) (?:back )?"
     rf"(?:in|to) {_NAME})", "I "),
    (r"^we (?=(?:are (?:expecting a|getting married|married|engaged)|got (?:married|engaged|divorced))\b)", "I "),
    (r"^now (I am|my [\w ]{2,40} is)\b", r"\1 now"),
    (r"^(my [\w ]{2,40}?) has been (?=(?:moved|postponed|rescheduled|pushed)\b)", r"\1 was "),
    (rf"^we (?=(?:switched|migrated) (?:\w+ )?from \S+(?: \S+)? to {_NAME})", "I "),
    (r"^we (?=(?:have|have got|do not have|own) )", "I "),
    *((rf"^{kin} (?=(?:is|was|has|died|lives|works|got|passed)\b)", f"my {kin} ") for kin in _KIN),
    (r"^I are\b", "I am"),
    (r"^our\s+", "my "),
    (r"^(my [\w' -]{2,40}?) (?:has |have |just )*(?:changed|is different)(?: now)?,? (?:and |so )?"
     r"(?:it|they)(?:'s| is| are) (?:now )?(?=\S)", r"\1 is now "),
    (r"^(I am \d{1,3})(?: years old)? (?:today|now)$", r"\1"),
    (r"^(My|my) ([\w-]+(?: (?-i:[A-ZÀ-Þ])[\w-]+)?) just (?=\w)", r"\1 \2 "),
    (r"^my ([\w-]+)'s (?=(?:an?|the|called|from|in|at|on|allergic|married|retired|getting|\d)\b)", r"my \1 is "),
)  # fmt: skip
_LISTED = pattern(
    rf"^I am ({_NAME}(?: {_NAME})?|\d{{1,3}})((?:(?:,| and|, and) (?:\d{{1,3}}(?: years old)?"
    rf"|(?:originally )?from {_NAME}[^,]*|based in [^,]+|an? [^,]+))+)$",
    re.IGNORECASE,
)
_BEGINS = pattern(r"^(?:i\b|my\s)", re.IGNORECASE)


@cache
def _changes() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(said, re.IGNORECASE), own) for said, own in _CHANGES)


def told_apart(clause: str) -> Iterator[str]:
    """Give the statements of a clause, each beginning with `I` or `my`; of others only that somebody has died."""
    for said, own in _changes():
        clause = said.sub(own, clause)
    clause = main_part(clause)
    if DIED.match(clause):
        yield clause
    if not _BEGINS.match(clause):
        return
    listed = _LISTED.match(clause)
    if listed is None:
        yield clause
        return
    yield f"I am {listed[1]}"
    for piece in re.split(r",(?: and)? | and ", listed[2].strip(" ,")):
        if piece.strip():
            yield f"I am {piece.strip()}"
