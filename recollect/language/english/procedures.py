"""Procedures: steps somebody asks to be kept, as numbered imperatives."""

from __future__ import annotations

import re

from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.text.patterns import pattern
from recollect.text.roles import is_machine

FEWEST, MOST, LONGEST = 2, 20, 300
"""How many steps a procedure has, and how many characters a step."""
_ASKED = pattern(
    r"\b(?:remember|save|note|keep in mind|don['’]t forget|store|learn)\b[^\n]{0,120}"
    r"\b(?:how (?:to|we|i)|steps?|procedure|process|workflow|checklist|recipe|routine)\b[^\n]{0,120}",
    re.IGNORECASE,
)
_TITLE = pattern(
    r"\b(how (?:to|we|i) [^:\n]{2,100}|(?:steps?|procedure|process|workflow|checklist|recipe|routine) "
    r"(?:for|of|to) [^:\n]{2,100})",
    re.IGNORECASE,
)
_STEP = pattern(r"^\s*(?:step\s+)?(\d{1,2})[.):]\s+(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_INLINE = pattern(r"(?:^|[\s:;,])(\d{1,2})[.)]\s+(\S.*?)(?=[;,.]?\s+\d{1,2}[.)]\s|$)", re.DOTALL)


def procedures(turn: Turn) -> list[Candidate]:
    """Read the steps a person asks to be remembered, from a numbered list behind the request."""
    asked = _ASKED.search(turn.content[:4000]) if not is_machine(turn.role) else None
    if asked is None:
        return []
    rest = turn.content[asked.start() : 8000]
    found = _STEP.findall(rest) or _INLINE.findall(rest)
    steps = [" ".join(text.split()).rstrip(".;,") for _, text in found]
    in_order = [int(number) for number, _ in found] == list(range(1, len(found) + 1))
    if not in_order or not FEWEST <= len(steps) <= MOST or any(len(step) > LONGEST for step in steps):
        return []
    titled = _TITLE.search(asked[0])
    title = re.sub(r"\s*[-–—:(].*$", "", titled[1]).strip() if titled else "what to do"
    lines = [f"{at}. {step[:1].upper()}{step[1:]}." for at, step in enumerate(steps, 1)]
    return [
        Candidate(
            content="\n".join([f"{title[:1].upper()}{title[1:]}:", *lines]),
            kind="procedure",
            category="procedural",
            topic="procedure",
            importance=8,
            confidence=1.0,
            quote=asked[0].strip(),
            turn=turn.id,
            explicit=True,
        )
    ]
