"""Words too common to find anything by, for the languages that have a list in `language/stop_words`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_LISTS = Path(__file__).parent.parent / "language" / "stop_words"
WRITTEN_SMALL = _LISTS.parent / "written_small.txt"
"""What `train.small` has counted."""
_LIKE = {"porter": "english"}
"""Stemmers of a language that has another name."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """Give the stop words of a stemmer's language, with and without apostrophes; none where there is no list."""
    try:
        words = (_LISTS / f"{_LIKE.get(language, language)}.txt").read_text("utf-8").split()
    except FileNotFoundError:
        return frozenset()
    return frozenset(words) | {word.replace("'", "") for word in words if "'" in word}


@cache
def languages() -> tuple[str, ...]:
    """Name the languages that have a list."""
    return tuple(sorted(path.stem for path in _LISTS.glob("*.txt")))


@cache
def common() -> frozenset[str]:
    """Give the stop words of every language together."""
    return frozenset().union(*map(stop_words, languages()))


@cache
def written_small() -> frozenset[str]:
    """Give words that people write small, so that one of them is no name because it begins a sentence."""
    return frozenset(WRITTEN_SMALL.read_text("utf-8").split())
