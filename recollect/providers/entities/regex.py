"""Finding names by pattern: mentions, tags, e-mail, URLs, dates and capitalised names, in any script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from recollect.language.values import Cues
from recollect.model.entity import Mention
from recollect.rules.people.mentions import resolve
from recollect.text.patterns import pattern
from recollect.text.terms import fold

MOST_MENTIONS = 64
LONGEST_SCANNED = 20_000
LONGEST_NAME = 200

_EMAIL = pattern(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_URL = pattern(r"https?://[^\s)>\],;\"'“”]+", re.IGNORECASE)
_HANDLE = pattern(r"(?<![\w@/.])@([^\W_][\w-]*)")
_TAG = pattern(r"(?<![\w#/&])#([^\W\d_][\w-]*|\d+[^\W\d_][\w-]*)")
_ISO_DATE = pattern(r"(?<![\d-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\d-])")
_DOTTED_DATE = pattern(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.])")

_WORD = pattern(r"[^\W\d_][\w'’-]*|\S")
_DIGIT = pattern(r"\d")
_SENTENCE_END = frozenset('.!?:;…\n•*-–—"“(')


def extract(text: str, cues: Cues) -> list[Mention]:
    """Find what a text names, quickly and without a model; overlaps go to the surer, then the longer.

    The cues are the words of a language by which names and dates are told: a reader has them.
    """
    text = text[:LONGEST_SCANNED]
    found: list[Mention] = []
    for finder in _FINDERS:
        found.extend(finder(text))
    found.extend(_dates(text, cues))
    if cues.capitals:
        found.extend(_names(text, cues))
    return resolve([m for m in found if len(fold(m.name).encode()) <= LONGEST_NAME])[:MOST_MENTIONS]


def _emails(text: str) -> Iterator[Mention]:
    if "@" in text:
        for match in _EMAIL.finditer(text):
            address = match.group().rstrip(".-").lower()
            yield Mention(address, "email", match.start(), match.start() + len(address))


def _urls(text: str) -> Iterator[Mention]:
    if "://" in text:
        for match in _URL.finditer(text):
            url = match.group().rstrip(".!?:'")
            scheme, _, rest = url.partition("://")
            host, slash, path = rest.partition("/")
            # Host names do not care about case, paths do.
            yield Mention(
                f"{scheme.lower()}://{host.lower()}{slash}{path}",
                "url",
                match.start(),
                match.start() + len(url),
            )


def _handles(text: str) -> Iterator[Mention]:
    if "@" in text:
        for match in _HANDLE.finditer(text):
            yield Mention(match[1].rstrip("-"), "person", match.start(), match.end(), 0.95, (match[0].rstrip("-"),))


def _tags(text: str) -> Iterator[Mention]:
    if "#" in text:
        for match in _TAG.finditer(text):
            yield Mention(match[1].rstrip("-"), "project", match.start(), match.end(), 0.95, (match[0].rstrip("-"),))


_NUMBERED = ((_ISO_DATE, "ymd"), (_DOTTED_DATE, "dmy"))
"""How dates are written in numbers, and which is the year, the month and the day."""


def _dates(text: str, cues: Cues) -> Iterator[Mention]:
    if not _DIGIT.search(text):
        return
    for form, order in (*_NUMBERED, *cues.dates):
        for match in form.finditer(text):
            name = _date_name(dict(zip(order, match.groups(default=""), strict=True)), cues)
            if name:
                yield Mention(name, "date", match.start(), match.end(), 0.9)


def _date_name(said: dict[str, str], cues: Cues) -> str:
    """Write a date as ISO, as far as it goes: 2023-05-01, 2023-05, or --05-01 without a year."""
    year, month, day = said.get("y", ""), said["m"], said.get("d", "")
    number = int(month) if month.isdecimal() else cues.months[month.casefold().rstrip(".")]
    try:
        date(int(year or 2000), number, int(day or 1))
    except ValueError:
        return ""
    month_day = f"{number:02d}" + (f"-{int(day):02d}" if day else "")
    return f"{int(year):04d}-{month_day}" if year else f"--{month_day}"


def _names(text: str, cues: Cues) -> Iterator[Mention]:
    """Runs of capitalised words. At the start of a sentence a capital is no sign: there, one word alone counts
    only before a verb of a person, or when the owner knows the name already."""
    words = _WORD.findall(text)
    capitals = [at for at, word in enumerate(words) if word[0].isupper()]
    spans = _spans(text, words, capitals[-1] + 1) if capitals else []
    done, never, particles = 0, cues.never, cues.particles
    for at in capitals:
        word, (start, _) = words[at], spans[at]
        if at < done or word.casefold().replace("’", "'") in never:
            continue
        first = at == 0 or words[at - 1] in _SENTENCE_END or "\n" in text[spans[at - 1][1] : start]
        stop_at = at + 1
        while stop_at < len(spans):
            between = text[spans[stop_at - 1][1] : spans[stop_at][0]]
            if not _continues(words, stop_at, between, cues):
                break
            stop_at += 1
        while words[stop_at - 1] in particles:
            stop_at -= 1
        end = spans[stop_at - 1][1]
        name = _bare(text[start:end])
        following = words[stop_at] if stop_at < len(words) else ""
        lone = first and stop_at - at == 1 and not text[start:end].endswith(("'s", "’s"))
        if len(name) > 1:
            yield Mention(name, "name", start, start + len(name), 0.5, tentative=lone and following not in cues.verbs)
        done = stop_at


def _spans(text: str, words: list[str], many: int) -> list[tuple[int, int]]:
    """Give where the first words begin and end; between them there is nothing but space."""
    spans: list[tuple[int, int]] = []
    end = 0
    for word in words[:many]:
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return spans


def _continues(words: list[str], at: int, between: str, cues: Cues) -> bool:
    word = words[at]
    if between != " " or words[at - 1].endswith(("'s", "’s")):
        return False
    if word in cues.particles:
        return at + 1 < len(words) and (words[at + 1][0].isupper() or words[at + 1] in cues.particles)
    return word[0].isupper() and word.casefold() not in cues.others


def _bare(name: str) -> str:
    for ending in ("'s", "’s", "'", "’", "-"):
        name = name.removesuffix(ending)
    return name


_FINDERS: tuple[Callable[[str], Iterator[Mention]], ...] = (_emails, _urls, _handles, _tags)
