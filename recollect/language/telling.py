"""What tells in a text, in any language: its numbers, names, times, negations, who is spoken of, and its stems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from functools import cache
from itertools import takewhile

from recollect.language.lexicon import Lexicon, among
from recollect.language.name_words import cued
from recollect.model.values import dataclass
from recollect.text.normal import EDGES
from recollect.text.patterns import pattern
from recollect.text.stopwords import common, written_small
from recollect.text.terms import fold, split, stem, unspaced

_NUMBER = pattern(r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,:]\d+)*")
_CAPITAL = pattern(r"[^\W\d_][\w’'-]*")
_TOKEN = pattern(rf"(?:{_NUMBER.pattern})k?|[^\W\d_]+")
_SCALED = pattern(r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?) (1000(?:000){0,2})(?![\d.,]*\d)")
_PARTED = pattern(r"[-'’]")
_SHORTENED = pattern(r"['’]")
_FOLLOWED = pattern(r"\d\s+([^\W\d_]+)")
_THOUSAND = 1000.0
_APART, _EXACT = 3, 100_000
"""How many words may stand between a number and its measure; up to where a number is written out in short."""
ONE = "1"
FEW = 3
"""From which number on a word for one is told apart from a small word."""
_ENDINGS = ("'s", "’s", "'", "’", "-")


@dataclass(frozen=True, slots=True)
class Told:
    """What no claim may add to what was said, nor change."""

    numbers: frozenset[str] = frozenset()
    also: frozenset[tuple[str, str]] = frozenset()
    """Numbers, and what they come to with the measure behind them: two dozen are 24, 36 months three years."""
    spelt: frozenset[str] = frozenset()
    """Numbers that are written as words, alone or as parts of others: four in `a four-month-old`."""
    rough: bool = False
    """Whether its numbers are only about right."""
    names: frozenset[str] = frozenset()
    """Words written as names, folded; the first of a sentence only where nobody writes it small."""
    inner: frozenset[str] = frozenset()
    """Those of them that do not begin a sentence, where every word is written large."""
    hedged: bool = False
    """Whether it says how things may be, were, or are wished to be."""
    speaks: bool = False
    """Whether it begins with who speaks, as what he does."""
    orders: bool = False
    """Whether it begins like an order."""
    addresses: bool = False
    """Whether it speaks to somebody."""
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    kin: frozenset[int] = frozenset()
    """Who is spoken of by what he is to somebody, by the places in the list of the language."""
    negated: bool = False
    stems: frozenset[str] = frozenset()
    language: str = ""
    words: frozenset[str] = field(default=frozenset(), repr=False)
    """Every word, folded."""

    @property
    def amounts(self) -> frozenset[str]:
        """Every number it may mean: as written, with its measure, and as part of a word."""
        return self.numbers | self.spelt | {amount for _, amount in self.also}

    def unknown(self, known: frozenset[str]) -> set[str]:
        """Give the numbers that are not among some, neither as written nor as what they come to."""
        meant = {one: {amount for number, amount in self.also if number == one} for one in self.numbers}
        return {one for one, more in meant.items() if one not in known and known.isdisjoint(more)}

    def beyond(self, other: Told) -> frozenset[str]:
        """Give the names, numbers and months that another text does not have; one counts where the other has more."""
        single = {ONE} & self.spelt - other.amounts if other.unknown(self.amounts) else set[str]()
        months = {str(one) for one in self.months - other.months}
        return frozenset(self.unknown(other.amounts) | single | (self.names - other.names) | months)


def told(text: str, known: Sequence[Lexicon], language: str = "") -> Told:
    """Give what tells in a text; where its words do not clearly tell its language, it is the one that is named."""
    lexicon = among([text], known, language)
    said = split(text)
    numbers = {_plain(one) for one in _NUMBER.findall(text)}
    if lexicon is None:
        names, inner = _names(text, frozenset())
        return Told(numbers=frozenset(numbers), names=names, inner=inner, stems=frozenset(said), words=frozenset(said))
    lists = _lists(lexicon)
    counted, also = _counted(_in_digits(text, lexicon.code), lists)
    times = lists.months.keys() | lists.weekdays.keys()
    titles = frozenset(map(fold, lexicon.words("titles")))
    names, inner = _names(text, times | {f"{one}s" for one in times} | lexicon.words("others"), titles)
    if not lexicon.data["capitals"]:
        names = inner = frozenset(fold(part) for one in cued(text, (lexicon,)) for part in one.name.split())
    large = {fold(word.strip(EDGES)) for word in text.split() if word[:1].isupper()}
    return Told(
        numbers=counted,
        also=also,
        spelt=frozenset(
            str(lists.numbers[word]) for one in said for word in _PARTED.split(one) if word in lists.numbers
        ),
        rough=not lexicon.words("rough").isdisjoint(said),
        names=names,
        inner=inner,
        hedged=not lexicon.words("hedges").isdisjoint(said),
        speaks=bool(said) and said[0].partition("'")[0] in lexicon.words("subjects"),
        orders=bool(said) and said[0] in lexicon.words("deeds"),
        addresses=not lexicon.words("address").isdisjoint(text.replace("’", "'").lower().split()),
        months=_named_times(said, lists.months, large),
        weekdays=_named_times(said, lists.weekdays, large),
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
    measures: dict[str, float]


@cache
def _lists(lexicon: Lexicon) -> _Lists:
    tens = {word: 10 * (at + 2) for word, at in lexicon.ranked("tens").items()}
    ranked = lexicon.ranked
    numbers = ranked("numbers") | tens
    return _Lists(numbers, ranked("months"), ranked("weekdays"), ranked("kin"), lexicon.measures)


def _named_times(said: Sequence[str], times: dict[str, int], large: set[str]) -> frozenset[int]:
    """Give the months or weekdays that are named; one that is a small word too, like may, where it is written large."""
    found = {word: times.get(word) or times.get(word.removesuffix("s"), 0) for word in said}
    return frozenset(at for word, at in found.items() if at and (len(word) > 4 or word in large))


def _counted(text: str, lists: _Lists) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Give the numbers of a text in digits, and what each comes to with the measures behind it."""
    numbers: set[str] = set()
    also: set[tuple[str, str]] = set()
    number, amount, since = "", 1.0, 0
    for token in _TOKEN.findall(text.lower()):
        since += 1
        digits = token[0].isdigit()
        if digits or lists.numbers.get(token) == FEW - 1:
            number = _plain(token.rstrip("k")) if digits else str(lists.numbers[token])
            amount = float(number.replace(",", ".")) if re.fullmatch(r"\d+(?:[.,]\d+)?", number) else 1.0
            numbers.add(number)
            since = 0
        measure = _THOUSAND if digits and token.endswith("k") else lists.measures.get(token)
        if measure is not None:
            number, amount = (number, amount * measure) if since <= _APART else ("", measure)
            also.add((number, f"{amount:g}" if amount < _EXACT else str(int(amount))))
            since = 0
    return frozenset(numbers), frozenset(also)


def _in_digits(text: str, language: str) -> str:
    """Write the numbers of a text in digits, `four hundred` as 400; small ones that stand alone stay words."""
    from text_to_num import alpha2digit  # three libraries' worth of tables, for those who check claims

    written = str(alpha2digit(text, language))
    # Only a word that is a thousand or more by itself multiplies what stands before it: not 5, one thousand.
    scales = {str(alpha2digit(word, language)) for word in _FOLLOWED.findall(text)}
    return _SCALED.sub(lambda found: _multiplied(found) if found[2] in scales else found[0], written)


def _multiplied(found: re.Match[str]) -> str:
    """Write 640 thousand, which comes as `640 1000`, as one number."""
    return f"{float(found[1].replace(',', '.')) * int(found[2]):.12g}"


def _singular(word: str) -> str:
    return word.removesuffix("'s")


def _plain(number: str) -> str:
    """Write a number one way: 1,200 is 1200, 05 is 5, and 7:30 on the clock is 7.30."""
    bare = re.sub(r"[,.\s](?=\d{3}\b)", "", number).replace(":", ".")
    return bare.lstrip("0") or "0"


def _large(word: str) -> str:
    """Give what of a word is written large: Dubai of `Dubai-based`, all of `Jean-Paul`."""
    first, *rest = word.split("-")
    return "-".join((first, *takewhile(lambda part: part[:1].isupper(), rest)))


def _names(
    text: str, never: frozenset[str] | set[str], titles: frozenset[str] = frozenset()
) -> tuple[frozenset[str], frozenset[str]]:
    """Give the words written as names, and those of them that do not begin a sentence; no title is a name."""
    found: set[str] = set()
    inner: set[str] = set()
    shouted = text.upper() == text
    begins = True
    for piece in text.split():
        bare = piece.strip(EDGES)
        titled = fold(bare) in titles
        first, begins = begins, not titled and piece.rstrip("\"'”’)").endswith((".", "!", "?", ":", "…"))
        if shouted or titled or not bare[:1].isupper() or unspaced(bare):
            continue
        for part in map(_large, _CAPITAL.findall(bare)):
            word = fold(part)
            for ending in _ENDINGS:
                word = word.removesuffix(ending)
            head = _SHORTENED.split(word)[0]  # he'd, they've
            small = word in common() or word in never or (first and word in written_small())
            small = small or (len(head) > 1 and head != word and head in common())
            if len(word) > 1 and not small and part[:1].isupper():
                found.add(word)
                inner |= set() if first else {word}
    return frozenset(found), frozenset(inner)
