"""Reading closely: of a few texts, which has the place that answers a question, told by their word pieces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.rules.find.fusion import standardised
from recollect.text.arrays import Reals, np
from recollect.text.patterns import pattern

MOST = 8
"""How many texts are read closely: beyond these hardly ever one is right."""
STRETCHES = 8
"""Into how many stretches a text is cut at most, so that no text takes long."""
WEIGHT = 3.0
"""How much more a close reading tells than the first look, a deviation for a deviation."""
_ENDS = pattern(r"(?<=[.!?;…。！？；])\s+|\n+")
_TITLE = re.compile(r"^ {0,3}#{1,6}\s.*$", re.MULTILINE)


def stretches(text: str) -> list[str]:
    """Cut a text into its sentences and lines, several together where there are many; its titles are left out."""
    found = [one for part in _ENDS.split(_TITLE.sub("", text)) if any(map(str.isalnum, one := part.strip()))]
    room = sum(map(len, found)) / STRETCHES
    out: list[str] = []
    for one in found:
        full = len(out) > STRETCHES  # parts of one length may each be more than half of a stretch
        if full or (out and len(found) > STRETCHES and len(out[-1]) + len(one) / 2 < room):
            out[-1] += f" {one}"
        else:
            out.append(one)
    return out or [text.strip()]


def nearness(asked: Reals, read: Sequence[Reals]) -> tuple[float, float]:
    """Give how near the best stretch of a text is to a question: as a whole, and piece by piece.

    The first row of each is the vector of the whole, those behind it are its pieces'.
    """
    whole = max(float(one[0] @ asked[0]) for one in read)
    pieces = max(float((asked[1:] @ one[1:].T).max(axis=1).mean()) if len(one) > 1 else 0.0 for one in read)
    return whole, pieces


def lifts(near: Sequence[tuple[float, float]]) -> list[float]:
    """Give what a close reading adds to each of several texts, held against each other."""
    told: list[float] = (WEIGHT * standardised(np.array(near).T).sum(axis=0)).tolist()
    return told
