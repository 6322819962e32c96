"""Long memories in a list, cut where the caller asks for it: each says how much is left out, and where the whole is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from starlette.requests import Request

from recollect.model.hit import Hit
from recollect.model.memory import Memory
from recollect.serve.rest.access import named
from recollect.serve.rest.problems import Problem

SHORTEN = "Recollect-Shorten"
"""How many characters of each memory are wanted; without it all of them are given."""
SHORTENED = ("recall", "list")
"""The verbs that look at it."""
MOST_DIGITS = 9


def wanted(request: Request) -> int | None:
    """Give how many characters of each memory are wanted, None for all."""
    told = request.headers.get(SHORTEN)
    if told is None:
        return None
    if not told.isdecimal() or len(told) > MOST_DIGITS or not int(told):
        raise Problem(422, f"{SHORTEN}: use a whole number of characters, such as 600")
    return int(told)


def shortened(found: Sequence[Hit | Memory], most: int | None, request: Request) -> Sequence[Hit | Memory]:
    """Give what was found with so many characters of each memory, and a mark behind what was cut."""
    if most is None:
        return found
    place = f"/v1/spaces/{quote(named(request, 'user'), safe='')}/memories"
    return [
        replace(one, memory=_cut(one.memory, most, place)) if isinstance(one, Hit) else _cut(one, most, place)
        for one in found
    ]


def _cut(memory: Memory, most: int, place: str) -> Memory:
    left = len(memory.content) - most
    if left <= 0:
        return memory
    return replace(
        memory, content=f"{memory.content[:most]}… ({left:,} more characters: GET {place}/{memory.id} has all of them)"
    )
