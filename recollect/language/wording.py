"""How a memory is worded: the person it speaks in, what only frames it, what holds for a day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from recollect.language.lexicon import Lexicon, among, one_of
from recollect.language.values import Voice
from recollect.text.patterns import pattern
from recollect.text.terms import split, stem

_MARKS = pattern(r"^(?:[-*•>]\s+|\d{1,2}[.)]\s+)")
_LEADING = pattern(r"^(?:[\s>*•#\-–—\"'“”‘’`(\[]|\d{1,3}[.)]\s)+")


@cache
def _persons(lexicon: Lexicon) -> tuple[tuple[Voice, re.Pattern[str]], ...]:
    def some(words: frozenset[str]) -> str:
        """Give a pattern for words whose first letter may be large: US is a country, and ME a state."""
        either = (
            rf"[{word[0].upper()}{word[0]}]{re.escape(word[1:])}" for word in sorted(words, key=len, reverse=True)
        )
        return "|".join(either).replace("'", "['’]") or r"(?!)"

    return (
        ("first", re.compile(rf"(?<![\w'’])(?:{some(lexicon.words('own'))})(?![\w'’]|['’]\w)")),
        ("second", re.compile(rf"(?<![\w'’])(?:{some(lexicon.words('address'))})(?![\w'’])")),
        ("pronoun", re.compile(rf"^(?:{some(lexicon.words('pronouns'))})(?![\w'’])", re.IGNORECASE)),
    )


def voice(text: str, known: Sequence[Lexicon]) -> Voice:
    """Say how a text fails to stand on its own: by the person it is in, or by a pronoun to begin with."""
    lexicon = among([text], known)
    if lexicon is None:
        return ""
    found: Voice = next((name for name, words in _persons(lexicon) if words.search(text)), "")
    return found or ("open" if _either(text, lexicon) else "")


def _either(text: str, lexicon: Lexicon) -> bool:
    """Tell whether a pronoun follows whom the text is about and one of his relations, so that it may mean either."""
    said = [word.removesuffix("'s") for word in split(text.replace("’", "'"))]
    close = [at for at, word in enumerate(said[1:], 1) if word in lexicon.words("kin")]
    return bool(close) and not lexicon.words("persons").isdisjoint(said[close[0] + 1 :])


@cache
def _phrase(name: str, known: tuple[Lexicon, ...]) -> re.Pattern[str]:
    phrases = sorted((phrase for one in known for phrase in one.phrases(name)), key=len, reverse=True)
    return re.compile(one_of(phrases), re.IGNORECASE)


def bare(text: str, known: Sequence[Lexicon]) -> str:
    """Take off marks and phrases that only frame a statement: `Note that …`."""
    text = _MARKS.sub("", text)
    frame = _phrase("frames", tuple(known)).match(text) if known else None
    return text[frame.end() :].lstrip(" ,:") if frame else text


def lasting(text: str, known: Sequence[Lexicon]) -> str:
    """Leave out words that are only true for a day: today, recently."""
    lexicon = among([text], known)
    which = (lexicon,) if lexicon is not None else tuple(known)
    return re.sub(rf"\b(?:{_phrase('fleeting', which).pattern})\b[ ,]*", "", text, flags=re.IGNORECASE)


def without_lead(said: str, known: Sequence[Lexicon]) -> str:
    """Take off what quotes or introduces a sentence: a list mark, then `as you know`."""
    said = _LEADING.sub("", said)
    lead = _phrase("echo_leads", tuple(known)).match(said) if known else None
    rest = said[lead.end() :].lstrip() if lead else ""
    return rest[1:].lstrip() if rest[:1] in (",", ":") else said


@lru_cache(1024)  # each of many saved at once is held against all the others
def plain_words(text: str, known: tuple[Lexicon, ...]) -> tuple[str, ...]:
    """Give the words of a text by which it is known again: stems, without articles, in their order."""
    lexicon = among([text], known)
    if lexicon is None:
        return tuple(split(text))
    return tuple(stem(word, lexicon.stemmer) for word in split(text) if word not in lexicon.words("articles"))
