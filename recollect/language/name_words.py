"""The words by which names and dates are found, what stands beside a name, and that two names are one's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from recollect.language.lexicon import Lexicon, one_of
from recollect.language.sentences import sentences
from recollect.language.values import Cues
from recollect.model.entity import Mention
from recollect.text.normal import EDGES
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words
from recollect.text.terms import fold

CONFIDENCE = 0.8
LONGEST_SCANNED = 20_000
_WORD = r"[A-ZÀ-ÖØ-ÞČĆĐŁŚŠŹŻŽİ][\w’'-]*[\w]"
_NAME = rf"{_WORD}(?: {_WORD}){{0,2}}"
_NO_SIGN = frozenset(("german",))
"""Languages in which every noun has a capital: there, a capital tells nothing."""
_AKA = pattern(r"\ba\.\s?k\.\s?a\.", re.IGNORECASE)


@cache
def cues(language: str, known: tuple[Lexicon, ...]) -> Cues:
    """Give the words by which names are found in texts, for a language of the stemmer."""
    lexicon = next((one for one in known if one.stemmer == language), known[0] if known else None)
    common = stop_words(lexicon.stemmer if lexicon else language)
    capitals = language not in _NO_SIGN
    if lexicon is None:
        return Cues(capitals=capitals, common=common, never=common)
    months = lexicon.ranked("months")
    others = lexicon.words("others") | frozenset(months) | lexicon.words("weekdays")
    return Cues(
        capitals=capitals,
        common=common,
        others=others,
        never=common | others,
        particles=lexicon.words("particles"),
        verbs=lexicon.words("verbs"),
        articles=tuple(sorted(lexicon.words("before_names"))),
        months=months,
        dates=_dates(lexicon, months),
    )


def _dates(lexicon: Lexicon, months: dict[str, int]) -> tuple[tuple[re.Pattern[str], str], ...]:
    month = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    nth = rf"(?:{'|'.join(sorted(lexicon.words('ordinals'))) or '[.]'})?"
    of = rf"(?:(?:{'|'.join(sorted(lexicon.words('of'))) or '(?!)'})\s+)?"
    return (
        (re.compile(rf"\b(\d{{1,2}}){nth}\s+{of}({month})\.?(?:,?\s+(\d{{4}}))?\b", re.IGNORECASE), "dmy"),
        (re.compile(rf"\b({month})\.?\s+(\d{{1,2}}){nth}\b(?!:)(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE), "mdy"),
        (re.compile(rf"\b({month})\.?,?\s+(\d{{4}})\b", re.IGNORECASE), "my"),
    )


@cache
def _beside(known: tuple[Lexicon, ...]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    def some(name: str) -> str:
        return one_of(sorted({word for one in known for word in one.words(name)}, key=len, reverse=True))

    return (
        re.compile(rf"\b(?i:{some('owners')}) (?:\w+ )?(?i:{some('kin')}),? (?P<name>{_NAME})"),
        re.compile(rf"\b(?:{some('titles')})\.? (?P<name>{_NAME})"),
        re.compile(rf"\b(?P<word>(?i:{some('projects')})) (?P<name>{_NAME})"),
    )


def cued(text: str, known: Sequence[Lexicon]) -> Iterator[Mention]:
    """Give the names whose neighbour tells what they are: my sister Joanna, Dr. Nowak, Project Apollo."""
    if not known:
        return
    text = text[:LONGEST_SCANNED]
    close, titled, project = _beside(tuple(known))
    titles = {title for one in known for title in one.words("titles")}
    for form in (close, titled):
        for match in form.finditer(text):
            name, start = _bare(match["name"]), match.start("name")
            if name.split()[0] not in titles:
                yield Mention(name, "person", start, start + len(name), CONFIDENCE)
    for match in project.finditer(text):
        start = match.start("word") if match["word"][0].isupper() else match.start("name")
        name = _bare(text[start : match.end("name")])
        yield Mention(name, "project", start, start + len(name), CONFIDENCE)


def _bare(name: str) -> str:
    return name.removesuffix("'s").removesuffix("’s")


def called(fact: str, known: Sequence[Lexicon]) -> str:
    """Give the name a fact about a name ends with; empty where it is no such fact."""
    if not known:
        return ""
    phrases = [phrase for one in known for phrase in one.phrases("called")]
    found = re.search(rf"\b(?:{one_of(phrases)})\s+(.+?)[.!]?$", fact, re.IGNORECASE)
    return found[1] if found else ""


@cache
def _second(lexicon: Lexicon) -> re.Pattern[str]:
    link = one_of(lexicon.phrases("also_called"))
    name = r"[A-ZÀ-Þ][\w'’-]*(?:[ -][A-ZÀ-Þ][\w'’-]*){0,3}"
    titles = one_of(sorted(lexicon.words("titles")))
    return re.compile(
        rf"\W*(?:(?:{titles})\.?\s+)?(?P<one>{name})(?P<aside>,?\s+\(?|\s+\w+\s+)(?P<link>(?i:{link}))\s+[\"“'‘]?"
        rf"(?P<other>{name})[\"”'’]?(?P<rest>.*)$"
    )


def also_called(text: str, known: Sequence[Lexicon]) -> list[tuple[str, str]]:
    """Give the pairs of names a text says outright belong to one: the fuller first, then the other.

    The sentence begins with the one and ends with the other, or goes on behind a comma. One that asks, or in which
    somebody doubts, denies or reports anywhere in the text, says nothing outright.
    """
    pairs: list[tuple[str, str]] = []
    text = _AKA.sub("aka", text)
    for lexicon in known:
        if not any(phrase in text for phrase in lexicon.phrases("also_called")):  # as in most texts
            continue
        words = {word.strip(EDGES).casefold() for word in text.split()}
        if not words.isdisjoint(lexicon.words("doubts") | lexicon.words("negations")):
            continue
        for said in sentences(text, known):
            match = _second(lexicon).match(said)
            if match is None or said.endswith("?"):
                continue
            one, other = _bare(match["one"]), _bare(match["other"])
            apart = match["aside"].strip() in (",", "(", ",(", ", (")
            if fold(one) == fold(other) or not (
                re.fullmatch(r"\W*", match["rest"]) or (apart and match["rest"][:1] in ",)")
            ):
                continue
            last = fold(match["link"]) in lexicon.phrases("fuller_last")
            swap = last or len(other.split()) > len(one.split())
            pairs.append((other, one) if swap else (one, other))
    return pairs
