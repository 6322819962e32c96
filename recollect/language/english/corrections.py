"""Corrections of what the same person has just said: `not Boston, Denver`, `I meant the 19th`, `it's actually 39`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from recollect.model.turn import Turn
from recollect.model.values import dataclass

_DATE = (
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}(?:st|nd|rd"
    r"|th)?|\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)|(?:the )?\d{1,2}(?:st|nd|rd|th)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
_NUMBER = r"[$€£]?\d[\d.,:-]*\d|[$€£]?\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![\w-])"
_NAME = r"(?-i:[A-ZÀ-Þ])[\w'’-]*(?: (?-i:[A-ZÀ-Þ])[\w'’-]*){0,2}"
_VALUE = rf"(?:{_DATE}|{_NUMBER}|{_NAME})"
_OPEN = (
    r"^(?:(?:oh|no|wait|sorry|oops|actually|correction|hang on|hold on|ah|well|hm+|my bad|my mistake)\b[\s,.!:–—-]*)*"
)
_END = r"(?=\s*(?:$|[,.;!?]))"
_PATTERNS = {
    "instead": rf"{_OPEN}not (?:in |at |on |the )?(?P<old>{_VALUE})\s*(?:,|but|[-–—])\s*(?:but |it['’]?s )?"
    rf"(?:in |at |on )?(?P<new>{_VALUE}){_END}",
    "said": rf"{_OPEN}i said (?P<old>{_VALUE})\b[,;]?\s*(?:but )?(?:i meant|it['’]?s|it is|that['’]?s)(?: actually)? "
    rf"(?P<new>{_VALUE}){_END}",
    "meant": rf"{_OPEN}i (?:meant|mean)(?: to say)? (?:the )?(?P<new>{_VALUE}){_END}",
    "is": rf"{_OPEN}(?:it['’]?s|it is|make (?:that|it)) (?:actually |really )(?P<new>{_VALUE}){_END}",
}
_SORTS = {"date": _DATE, "number": _NUMBER, "name": _NAME}
FAR = 4
"""How many sentences back a date that was meant otherwise may stand; anything else stands in the sentence before."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence of somebody, as it is to be read, and the words it rests on."""

    turn: Turn
    text: str
    quote: str
    mended: tuple[str, str] | None = None
    """The message and the words it had before it was corrected."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[name], re.IGNORECASE)


@cache
def _sort(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{_SORTS[name]})(?![\w-])", re.IGNORECASE)


def corrects(said: str) -> bool:
    """Tell whether a sentence sounds like a correction; small letters are as good as capitals here."""
    return any(_loose(name).match(said) for name in _PATTERNS)


@cache
def _loose(name: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[name].replace("(?-i:[A-ZÀ-Þ])", r"\w"), re.IGNORECASE)


def corrected(sayings: Sequence[Saying]) -> list[Saying]:
    """Put into each sentence what a later one says instead, and leave the later one out."""
    out: list[Saying] = []
    for saying in sayings:
        at, text = _mended(out, saying.text)
        if at is None:
            out.append(saying)
        else:
            before = out[at]
            first = before.mended or (before.turn.id, before.quote)
            quote = f"{before.quote} … {saying.quote}"
            out[at] = replace(before, turn=saying.turn, text=text, quote=quote, mended=first)
    return out


def _mended(before: Sequence[Saying], said: str) -> tuple[int | None, str]:
    """Find the sentence that a correction means, and give it corrected."""
    for name in _PATTERNS:
        found = _pattern(name).match(said)
        if found and (new := found["new"]):
            old = found.groupdict().get("old")
            back = FAR if old or _is(new, "date") else 1
            for at in range(len(before) - 1, max(-1, len(before) - 1 - back), -1):
                if text := _put(before[at].text, old, new):
                    return at, text
    return None, said


def _put(text: str, old: str | None, new: str) -> str:
    """Put a new value in the old one's place; empty where that is not there, or there are two that could be meant."""
    if old:
        places = list(re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", text, re.IGNORECASE))
    else:
        sort = next(sort for sort in _SORTS if _is(new, sort))
        # A sentence begins with a capital whatever it begins with.
        places = [found for found in _sort(sort).finditer(text) if sort != "name" or found.start()]
    if len(places) != 1:
        return ""
    if re.fullmatch(r"(?:the )?\d{1,2}(?:st|nd|rd|th)", new, re.IGNORECASE):
        month = re.match(r"([A-Za-z]+) \d", places[0][0])
        new = f"{month[1]} {new.removeprefix('the ')}" if month else new
    return text[: places[0].start()] + new + text[places[0].end() :]


def _is(value: str, sort: str) -> bool:
    return _sort(sort).fullmatch(value) is not None
