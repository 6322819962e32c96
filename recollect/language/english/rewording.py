"""Whether two texts of nearly the same words say the same: numbers, negations, names and their order are alike."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.language.english.wording import GLUE, alike, reordered, spelt, turned
from recollect.text.normal import EDGES, words
from recollect.text.patterns import pattern
from recollect.text.stopwords import common
from recollect.text.terms import unspaced

_COMMON = common()
_DIGITS = pattern(r"\d")
_NEGATIONS = frozenset(
    (
        "no", "not", "never", "none", "nor", "without", "cannot", "nicht", "kein", "keine", "nie", "ohne", "ne", "pas",
        "jamais", "sans", "nunca", "jamás", "sin", "não", "nem", "sem", "non", "mai", "senza", "niet", "geen", "nooit",
        "zonder", "не", "нет", "ни", "никогда", "без",
    )
)  # fmt: skip
_CHANGES = frozenset(
    "used former formerly previously once now again still stopped quit anymore longer until instead almost "
    "hardly rarely seldom früher ehemals antes anciennement autrefois prima".split()
)
"""One such word more, and a statement says something else."""

_PLACES = frozenset("in at from to near".split())


def reworded(one: str, other: str) -> bool:
    """Tell whether two texts of nearly the same meaning say nothing different: no word stands in another's place, not
    even a small one (before for after), and numbers, negations, names and words of change are the same in both, in the
    same order but for places. The words they share stand in an order that tells the same."""
    one, other = spelt(one), spelt(other)
    a, b = alike(words(one)), alike(words(other))
    first, second = set(a), set(b)
    if _unmatched(first - second, second) and _unmatched(second - first, first):
        return False
    named = _names(one) | _names(other)
    if _telling(a, named) != _telling(b, named) or turned(a, b) or turned(b, a):
        return False
    return not reordered(a, [word if word in first else _form_of(word, first) for word in b])


def _unmatched(said: set[str], other: set[str]) -> bool:
    """Tell whether one of these words has no other form of it on the other side."""
    return any(_form_of(word, other) == word for word in said - GLUE)


def _form_of(word: str, known: set[str]) -> str:
    """Give the known word that another is a form of, else the word itself; small words have no forms."""
    if word in _COMMON:
        return word
    return next((one for one in sorted(known) if one not in _COMMON and _forms(word, one)), word)


def _forms(one: str, other: str) -> bool:
    """Tell whether two words look like forms of one: an ending more, or another ending; C++ is no form of C."""
    short, long = sorted((one, other), key=len)
    shared = max(5, len(long) - 3)
    ending = long[len(short) :].replace("'", "")
    more = long.startswith(short) and len(short) > 1 and len(long) - len(short) <= 3 and ending.isalpha()
    return more or one[:shared] == other[:shared]


def _telling(said: Sequence[str], named: set[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Give the words no text may differ in, in their order: who gave whom is told by the order alone.

    A name behind a word of place or direction says by that word what it is, so it may stand anywhere.
    """
    ordered: list[str] = []
    placed: list[tuple[str, str]] = []
    for before, word in zip(("", *said), said, strict=False):
        if word in named and before in _PLACES:
            placed.append((before, word))
        elif word in named or word in _NEGATIONS or word in _CHANGES or word.endswith("n't") or _exact(word):
            ordered.append(word)
    return ordered, sorted(placed)


def _exact(word: str) -> bool:
    return bool(_DIGITS.search(word)) or unspaced(word)


def _names(text: str) -> set[str]:
    """Give the words written as names; the first word is one unless it is common."""
    pieces = [piece.strip(EDGES) for piece in text.split()]
    named = [piece for at, piece in enumerate(pieces) if piece[:1].isupper() and (at or piece.lower() not in _COMMON)]
    return {word for piece in named for word in words(piece)}
