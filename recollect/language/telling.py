"""What tells in a text, in any language: its numbers, names, times, negations, who is spoken of, and its stems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from functools import cache

from recollect.language.lexicon import Lexicon, among
from recollect.model.values import dataclass
from recollect.text.normal import EDGES
from recollect.text.patterns import pattern
from recollect.text.stopwords import common
from recollect.text.terms import fold, split, stem, unspaced

_NUMBER = pattern(r"\d+(?:[.,:]\d+)*")
_CAPITAL = pattern(r"[^\W\d_][\w’'-]*")
FEW = 3
"""From which number on a word for one is told apart from a small word."""
_ENDINGS = ("'s", "’s", "'", "’", "-")


@dataclass(frozen=True, slots=True)
class Told:
    """What no claim may add to what was said, nor change."""

    numbers: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    """Words written as names, folded; the first of a sentence only where it is no common word."""
    inner: frozenset[str] = frozenset()
    """Those of them that do not begin a sentence, where every word is written large."""
    hedged: bool = False
    """Whether it says how things may be, were, or are wished to be."""
    speaks: bool = False
    """Whether it begins with who speaks, as what he does."""
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    kin: frozenset[int] = frozenset()
    """Who is spoken of by what he is to somebody, by the places in the list of the language."""
    negated: bool = False
    stems: frozenset[str] = frozenset()
    language: str = ""
    words: frozenset[str] = field(default=frozenset(), repr=False)
    """Every word, folded."""


def told(text: str, known: Sequence[Lexicon], language: str = "") -> Told:
    """Give what tells in a text; where its words do not tell its language, it is taken for the one that is named."""
    lexicon = among([text], known) or next((one for one in known if one.code == language), None)
    said = split(text)
    numbers = {_plain(one) for one in _NUMBER.findall(text)}
    if lexicon is None:
        names, inner = _names(text, frozenset())
        return Told(frozenset(numbers), names, inner, stems=frozenset(said), words=frozenset(said))
    lists = _lists(lexicon)
    counted = {_plain(one) for one in _NUMBER.findall(_in_digits(text, lexicon.code))}
    counted |= {str(lists.numbers[word]) for word in said if 1 < lists.numbers.get(word, 1) < FEW}
    times = lists.months.keys() | lists.weekdays.keys()
    names, inner = _names(text, times | lexicon.words("others"))
    large = {fold(word.strip(EDGES)) for word in text.split() if word[:1].isupper()}
    return Told(
        numbers=frozenset(counted),
        names=names if lexicon.data["capitals"] else frozenset(),
        inner=inner if lexicon.data["capitals"] else frozenset(),
        hedged=not lexicon.words("hedges").isdisjoint(said),
        speaks=bool(said) and said[0].partition("'")[0] in lexicon.words("subjects"),
        # A month that is a small word too, like may, is one where it is written large.
        months=frozenset(lists.months[one] for one in said if one in lists.months and (len(one) > 3 or one in large)),
        weekdays=frozenset(lists.weekdays[word] for word in said if word in lists.weekdays),
        kin=frozenset(lists.kin[word] for word in map(_singular, said) if word in lists.kin),
        negated=not lexicon.words("negations").isdisjoint(said),
        stems=frozenset(
            stem(word, lexicon.stemmer) for word in said if word not in lexicon.common and word not in lists.numbers
        ),
        language=lexicon.code,
        words=frozenset(said),
    )


@dataclass(frozen=True, slots=True)
class _Lists:
    numbers: dict[str, int]
    months: dict[str, int]
    weekdays: dict[str, int]
    kin: dict[str, int]


@cache
def _lists(lexicon: Lexicon) -> _Lists:
    tens = {word: 10 * (at + 2) for word, at in lexicon.ranked("tens").items()}
    ranked = lexicon.ranked
    return _Lists(ranked("numbers") | tens, ranked("months"), ranked("weekdays"), ranked("kin"))


def _in_digits(text: str, language: str) -> str:
    """Write the numbers of a text in digits, `four hundred` as 400; small ones that stand alone stay words."""
    from text_to_num import alpha2digit  # three libraries' worth of tables, for those who check claims

    return str(alpha2digit(text, language))


def _singular(word: str) -> str:
    return word.removesuffix("'s")


def _plain(number: str) -> str:
    """Write a number one way: 1,200 is 1200, 05 is 5."""
    bare = re.sub(r"[,.](?=\d{3}\b)", "", number)
    return bare.lstrip("0") or "0"


def _names(text: str, times: frozenset[str] | set[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Give the words written as names, and those of them that do not begin a sentence."""
    found: set[str] = set()
    inner: set[str] = set()
    shouted = text.upper() == text
    begins = True
    for piece in text.split():
        bare = piece.strip(EDGES)
        first, begins = begins, piece.rstrip("\"'”’)").endswith((".", "!", "?", ":", "…"))
        if shouted or not bare[:1].isupper() or unspaced(bare):
            continue
        for part in _CAPITAL.findall(bare):
            word = fold(part)
            for ending in _ENDINGS:
                word = word.removesuffix(ending)
            small = word in common() or word in times
            if len(word) > 1 and not small and part[:1].isupper():
                found.add(word)
                inner |= set() if first else {word}
    return frozenset(found), frozenset(inner)
