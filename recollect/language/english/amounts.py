"""Amounts: whether a number in a claim was said of the same thing, where several were said."""

from __future__ import annotations

import re
from collections.abc import Set

from recollect.language.english.evidence import numbers_in, stems_of


def other_amount(claim: str, text: str, times: Set[str]) -> str:
    """Tell a number that was said of something else: `earns 1,200` of `earn 3,000 and spend 1,200`."""
    ours, theirs = _counted(claim), _counted(text)
    if len({number for _, numbers in theirs for number in numbers}) < 2:
        return ""
    places = [(at, number) for at, (_, numbers) in enumerate(theirs) for number in numbers]
    mine = [(at, number) for at, (_, numbers) in enumerate(ours) for number in numbers]
    for at, number in mine:
        if number in times or not any(number == other for _, other in places):
            continue
        agree = apart = 0
        for here, (stems, _) in enumerate(ours):
            if not stems or min(mine, key=lambda one: abs(one[0] - here))[1] != number or abs(here - at) > 6:
                continue
            for there in (n for n, (known, _) in enumerate(theirs) if stems & known):
                closest = min(abs(there - place) for place, _ in places)
                near = {other for place, other in places if abs(there - place) == closest}
                agree, apart = agree + (number in near), apart + (number not in near)
        if apart > agree:
            return f"{number} is said of something else"
    return ""


def _counted(text: str) -> list[tuple[set[str], set[str]]]:
    """Give the words of a text in order, each with its stems, or the number it is."""
    out: list[tuple[set[str], set[str]]] = []
    for word in re.findall(r"\d[\d.,:/-]*\w*|[^\W\d_][\w'-]*", text):
        number = numbers_in(word)
        out.append((set() if number else stems_of(word), number))
    return out
