"""Keeping to a number of tokens."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.rules.terms import unspaced


def estimate(text: str) -> int:
    """Estimate the tokens of a text without a tokeniser: four ASCII characters to a token, two of other
    alphabets, one of unspaced scripts and emoji. Errs on the high side."""
    plain = len(text.encode("ascii", "ignore"))
    if plain == len(text):
        return -(-plain // 4)
    others = [char for char in text if not char.isascii()]
    wide = sum(unspaced(char) or ord(char) > 0xFFFF for char in others)
    return -(-plain // 4) + wide + -(-(len(others) - wide) // 2)


def fit(lines: Iterable[str], budget: int) -> list[str]:
    """Take lines from the front while they fit; stop before the one that would overflow."""
    taken: list[str] = []
    left = budget
    for line in lines:
        left -= estimate(line + "\n")
        if left < 0:
            break
        taken.append(line)
    return taken
