"""The small change of evidence: the names, numbers, times and word stems in a text, and when two of them are one."""

from __future__ import annotations

import re
from collections.abc import Set
from datetime import datetime, timedelta
from functools import lru_cache

from recollect.language.english.dating import dated
from recollect.language.english.lexicon import MONTHS, NUMBER_WORDS, WEEKDAYS
from recollect.language.english.times import moments
from recollect.text.patterns import pattern
from recollect.text.stopwords import common, stop_words
from recollect.text.terms import fold, split, stem

_NUMBER = pattern(r"\d[\d.,:/-]*")
_COMPOUND = pattern(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ](one|two|three|four|five|six|seven|eight|nine)\b"
)
_COUNTED = pattern(r"\b(?:" + "|".join(word for word in NUMBER_WORDS if word not in ("one", "zero")) + r")\b")
_NAME = pattern(r"[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я][^\W_]*(?:['’][a-z]\b)?")
_SENTENCE_START = pattern(r"(?:^|[.!?…]\s+|\n)[\s\"'“(]*$")
# The list holds "ill" and "wed" as "I'll" and "we'd" written without the apostrophe; here they are words.
_STOP = stop_words("english") - {"ill", "wed", "shed", "well", "id"}
_COMMON = common()
_ARTICLE = pattern(r"(?:^|\s)(?:der|die|das|den|dem|des|ein|eine|einen|einem|ihre?|seine?)\s$", re.IGNORECASE)
_MONTH = pattern(
    r"\b(?:jan|feb|fév|mar|mär|mai|apr|avr|abr|may|jun|juin|jul|juil|aug|août|ago|sep|oct|okt|nov|dec|dez|déc|dic"
    r"|ene|giu|lug|set|ott|gen|mag)[^\W\d_]*\b",
    re.IGNORECASE,
)
_MONTHS = (
    ("jan", "ene", "gen"), ("feb", "fév"), ("mar", "mär"), ("apr", "avr", "abr"), ("may", "mai", "mag"),
    ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "août", "ago"), ("sep", "set"), ("oct", "okt", "ott"),
    ("nov",), ("dec", "dez", "déc", "dic"),
)  # fmt: skip
_LIGHT = frozenset(
    """
    user year years old called named name also currently now still really just actually today yesterday tomorrow
    tonight week month day ago last next since until time like likes liked love loves loved enjoy enjoys hate hates
    hated dislike dislikes stand fan might may maybe perhaps possibly probably considering considers consider thinking
    think about planning plans plan planned hope hopes hoping want wants going will would could not never no longer
    anymore more any used stopped stop quit up avoid avoids monday tuesday wednesday thursday friday saturday
    sunday has have had get got gets around please oh well yes yeah hey hi guess one can't cannot don't doesn't they
    them their person someone ask asks asked asking whether wonder wonders wondered says say said tells told mentioned
    recently without per sorry thanks okay ok wait anyway lol haha assistant
    """.split()
)
"""Words that say how something is meant, not what: they are judged elsewhere, or not at all."""
_KIN = {
    "mum": "mother", "mom": "mother", "mama": "mother", "mummy": "mother", "dad": "father", "papa": "father",
    "daddy": "father", "kid": "child", "kids": "child", "children": "child", "grandma": "grandmother",
    "granny": "grandmother", "grandpa": "grandfather", "coworker": "colleague", "neighbor": "neighbour",
    "flatmate": "roommate", "housemate": "roommate", "manager": "boss", "supervisor": "boss", "fiance": "fiancé",
}  # fmt: skip
_ALIKE = {
    "goe": "go", "job": "work", "employ": "work", "resid": "live", "base": "live", "favorit": "favourit",
    "colour": "color", "bike": "bicycl", "apart": "flat", "purchas": "bought", "buy": "bought", "cours": "class",
    "childr": "child", "kid": "child", "mum": "mother", "mom": "mother", "dad": "father", "wive": "wife", "flew": "fli",
    "fly": "fli", "flight": "fli", "kilometr": "km", "kilomet": "km", "tv": "televis", "mobil": "phone",
    "start": "began", "begin": "began", "gave": "give", "given": "give",
}  # fmt: skip
_MEANT: dict[str, str] = {
    "born": "birthday birth", "birthday": "born", "pay": "rent cost price fee deposit", "paid": "deposit rent cost",
    "come": "from", "own": "own have has got my bought", "caus": "give gives gave make makes because",
    "handl": "do does manage run", "provid": "give gave", "di": "died passed lost", "attend": "school go goes class",
    "marri": "wife husband wedding", "return": "back", "child": "son daughter kids sons daughters twins",
    "pet": "dog cat", "tall": "cm height metres", "height": "tall", "weigh": "kilos kg", "work": "offer",
    "use": "switched with on run", "prefer": "always please never rather over instead want", "wed": "married",
    "move": "relocating relocate", "speak": "fluent", "alcohol": "drinking drink drinks", "dinner": "eat supper",
    "visit": "went been trip", "travel": "fly flying trip going", "need": "must", "occup": "work job",
    "profess": "work", "give": "quit stopped", "price": "cost costs", "cost": "price", "famili": "we our",
    "receiv": "got gets", "obtain": "got", "sibl": "sister brother", "diet": "vegetarian vegan", "phone": "number",
    "meet": "met", "becom": "became",
}  # fmt: skip
"""What a word of a claim may stand for: one of these words where it was said, a closed list."""
_LIVING = pattern(
    r"\b(?:i'm|am|i am|we're|we are) (?:\w+ )?(?:still|now|based|back) in\b|\bin \w+ still\b", re.IGNORECASE
)
_WORKING = pattern(
    r"\b(?:is|am|are|'m|'s|was|been) (?:an?|at|with|the|head)\b|\b(?:as an?|hired|head of)\b", re.IGNORECASE
)
LONGEST = 2000
_TIMED = pattern(r"[.!?;\n]+\s+|,\s+|\s+(?:and|but)\s+")
"""Where one statement with a time may end and another begin."""


def kin(word: str) -> str:
    """Give the one word for a relation that has several."""
    return _KIN.get(word, word)


def names_in(text: str) -> list[str]:
    """Give the words written as names, folded; a common word that begins a sentence is none."""
    found = []
    for said in _NAME.finditer(text):
        bare = fold(said[0]).removesuffix("'s")
        start = said.start()
        if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            continue
        first = bool(_SENTENCE_START.search(text[max(0, start - 8) : start]))
        if bare in _STOP or bare == "i" or (first and (bare in _LIGHT or bare in _COMMON)):
            continue
        if _ARTICLE.search(text[max(0, start - 8) : start]):  # German writes every noun large
            continue
        found.append(bare)
    return found


def numbers_in(text: str) -> set[str]:
    """Give the numbers of a text, words and digits alike, in one form."""
    low = text.lower()
    found = {_bare(said) for said in _NUMBER.findall(low)}
    for said in _COMPOUND.finditer(low):
        found.add(str(NUMBER_WORDS[said[1]] + NUMBER_WORDS[said[2]]))
    low = _COMPOUND.sub(" ", low)
    return found | {str(NUMBER_WORDS[word]) for word in _COUNTED.findall(low)}


def _bare(number: str) -> str:
    number = number.rstrip(".,:/-")
    return number.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number) else number


@lru_cache(maxsize=512)
def allowed_times(text: str, at: datetime) -> frozenset[str]:
    """Give the words and numbers of the dates a text's times come to, seen from when it was said."""
    text = text[:LONGEST]
    out: set[str] = set()
    for piece in (text, *_TIMED.split(text)):
        for tense in ("past", "ahead"):
            if (told := dated(piece, at, tense).text) != piece:
                new = set(re.findall(r"\w+", told.lower())) - set(re.findall(r"\w+", piece.lower()))
                out |= new - {"around", "week", "weekend", "the", "of", "on", "in"}
    for found in moments(text, at):
        last, days = found.end - timedelta(seconds=1), (found.end - found.start).days
        for day in (found.start, last):
            if day.year < 1900 or day.year > 2200:
                continue
            out.add(str(day.year))
            if days <= 62:
                out.add(MONTHS[day.month - 1].lower())
            if days <= 8:
                out |= {
                    str(day.day),
                    f"{day.day:02d}",
                    f"{day.month:02d}",
                    f"{day:%Y-%m-%d}",
                    WEEKDAYS[day.weekday()].lower(),
                }
    return frozenset(out | _years(text, at))


def _years(text: str, at: datetime) -> set[str]:
    """Give the years a month named without one may be of: when it was last, and when it is next."""
    out: set[str] = set()
    for said in _MONTH.findall(text):
        month = next((n for n, begins in enumerate(_MONTHS, 1) if said.lower().startswith(begins)), 0)
        if month:
            out |= {str(at.year), str(at.year + 1) if month <= at.month else str(at.year - 1)}
    return out


def stems_of(text: str) -> set[str]:
    """Give the stems of the words that carry a text's meaning, synonyms as one, and its numbers."""
    out = set()
    for word in split(text[:LONGEST]):
        bare = word.removesuffix("'s")
        if bare in _STOP or bare in _LIGHT or bare in NUMBER_WORDS or not bare or bare[0].isdigit():
            continue
        root = stem(bare, "english")
        out.add(_ALIKE.get(root, root))
    return out | numbers_in(text[:LONGEST])


def forms(word: str, known: Set[str]) -> bool:
    """Tell whether a word is a form of one of the known: `allergy` of `allergic`, `studying` of `studies`."""
    if len(word) < 4 or not word.isalpha():
        return False
    return any(_akin(word, other) for other in known)


def _akin(one: str, other: str) -> bool:
    if len(other) < 4:
        return False
    shared = max(4, min(len(one), len(other)) - 2)
    return one[:shared] == other[:shared] and abs(len(one) - len(other)) <= 4


def meant(wanted: Set[str], text: str) -> set[str]:
    """Give the stems of a claim that another word stands for in a text."""
    low = set(re.findall(r"[^\W_]+", text.lower()))
    out = {stem for stem in wanted if stem in _MEANT and not low.isdisjoint(_MEANT[stem].split())}
    out |= {"live"} if _LIVING.search(text) else set()
    return out | ({"work"} if _WORKING.search(text) else set())
