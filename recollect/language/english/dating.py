"""Times in a statement made absolute: `last week` means nothing a year later, `in the week of 11 May 2026` does."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from recollect.language.english.lexicon import MONTHS, NUMBER_WORDS
from recollect.language.english.times import LONGEST, moments
from recollect.language.values import Moment
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

_MONTH = pattern(
    r"\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?(?:\s+\d{1,2}(?:st|nd|rd|th)?\b)?",
    re.IGNORECASE,
)
_YEAR = pattern(r"\b(?:19|20)\d{2}\b")
_RELATIVE = pattern(
    r"\b(?:last|next|this|past|previous|coming|ago|yesterday|today|tonight|tomorrow|since|until|till)\b", re.IGNORECASE
)
_RELATION = pattern(r"^(since|until|till|before|after|by)\s+", re.IGNORECASE)
_LEAD = pattern(r"^(?:(?:back|on|in|at|during|over|from|for|of|the|an?)\s+){1,3}", re.IGNORECASE)
_WHICH = pattern(r"\b(?:last|next|this|coming|past|previous)\s+", re.IGNORECASE)
_AHEAD = pattern(
    rf"\bin\s+(\d{{1,3}}|an?|{'|'.join(NUMBER_WORDS)})\s+(day|week|month|year)s?\b(?!['’])(?:\s+time\b)?", re.IGNORECASE
)
_SEASON = pattern(r"\b(?:spring|summer|autumn|fall|winter)\b", re.IGNORECASE)
_LATELY = pattern(r"\b(?:recently|lately|other day)\b", re.IGNORECASE)
_UNIT_DAYS = {"day": 1, "week": 7}
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Dated:
    """A text whose times can be read at any later time."""

    text: str
    when: datetime | None
    """When the first of its times begins; None where it names none."""


def dated(text: str, at: datetime, tense: str) -> Dated:
    """Write relative times of a text as dates, seen from `at`; tense is `past`, `ahead` or `habit`.

    In a habit only what is relative by itself is resolved: a birthday on 9 August has no year.
    """
    at = at if at.utcoffset() is not None else at.replace(tzinfo=UTC)
    when: datetime | None = None
    latest = at
    if tense == "ahead":
        text, when = _counted_ahead(text, at)
    done, out = 0, ""
    for found in moments(text, at, at.tzinfo or UTC) if len(text) <= LONGEST else ():
        start = text.find(found.text, done)
        if start < 0 or (tense == "habit" and not _RELATIVE.search(found.text)):
            continue
        words, begins = _absolute(found, max(at, latest) if tense == "ahead" else at, tense)
        latest = max(latest, begins or latest)  # who flies on 20 December is back on the 4 January behind it
        out += text[done:start] + words
        done = start + len(found.text)
        when = when or begins
    plain = re.sub(r"\s+([.,;!?])", r"\1", " ".join((out + text[done:]).split()))
    return Dated(plain, when)


def _counted_ahead(text: str, at: datetime) -> tuple[str, datetime | None]:
    """Read `in three weeks`, which the grammar of queries has no use for."""
    said = _AHEAD.search(text)
    if said is None:
        return text, None
    word, unit = said[1].lower(), said[2].lower()
    count = int(word) if word.isdecimal() else NUMBER_WORDS.get(word, 1)
    try:
        day = at.date() + count * _UNIT_DAYS.get(unit, 30 if unit == "month" else 365) * _DAY
    except OverflowError:
        return text, None
    if unit == "day":
        words = f"on {_day(day)}"
    else:
        words = "around " + (_day(day) if unit == "week" else _month(day) if unit == "month" else str(day.year))
    when = datetime(day.year, day.month, day.day, tzinfo=at.tzinfo).astimezone(UTC)
    return text[: said.start()] + words + text[said.end() :], when


def _absolute(found: Moment, at: datetime, tense: str) -> tuple[str, datetime | None]:
    """Give the words for a time, and when it begins."""
    said = found.text
    if _YEAR.search(said):
        return said, None if _open(found) else found.start
    relation = _RELATION.match(said)
    rest = said[relation.end() :] if relation else said
    bare = rest if "ago" in said else _LEAD.sub("", rest)
    inner = _read(bare, at)
    if inner is None or (inner.start >= inner.end):
        return said, None if _open(found) else found.start
    if _LATELY.search(said):
        return "", None  # it says nothing a year later
    if re.match(r"(?:for|an?)\b", said, re.IGNORECASE) and "ago" not in said and not _MONTH.search(bare):
        return said, None  # a summer job is no time
    if tense == "ahead" and not _WHICH.search(bare) and inner.end <= at:
        inner = _read("next " + bare, at) or inner
    if _MONTH.search(said):
        return _with_year(said, inner), inner.start
    return _spelled(bare, inner, relation[1].lower() if relation else "", at), inner.start


def _with_year(said: str, span: Moment) -> str:
    """Add the year to a month, and leave the rest as it was said."""
    month = _MONTH.search(said)
    end = month.end() if month else len(said)
    kept = _WHICH.sub("", said[:end]) + f" {span.start.year}" + said[end:]
    bare = kept != said[:end] + f" {span.start.year}" + said[end:] and not re.match(r"(?:in|on|since|by|until)\b", said)
    return f"in {kept}" if bare else kept


def _open(found: Moment) -> bool:
    """Tell whether a time has no beginning: `before 2020`, `until May`."""
    return found.start.year <= 1000


def _read(bare: str, at: datetime) -> Moment | None:
    for lead in ("", "in ", "on "):
        found = moments(lead + bare, at, at.tzinfo or UTC)
        if len(found) == 1 and not _open(found[0]):
            return found[0]
    return None


def _spelled(bare: str, span: Moment, relation: str, at: datetime) -> str:
    """Spell a span as a date: a day, a week, a month, a year, as long as it is."""
    zone = at.tzinfo or UTC
    first, last = span.start.astimezone(zone).date(), (span.end - timedelta(seconds=1)).astimezone(zone).date()
    days = (last - first).days + 1
    if "ago" in bare:
        middle = first + timedelta(days=days // 2)
        if days == 1:
            return f"{relation or 'on'} {_day(first)}"
        near = _day(middle) if days < 20 else _month(middle) if days < 200 else str(middle.year)
        return f"{relation} {near}" if relation else f"around {near}"
    if days <= 2 and "weekend" not in bare:
        return f"{relation or 'on'} {_day(first)}"
    if days == 2:
        return f"{relation or 'on'} the weekend of {_day(first)}"
    if days == 7:
        return f"{relation or 'in'} the week of {_day(first)}"
    if 28 <= days <= 31:
        return f"{relation or 'in'} {_month(first)}"
    season = _SEASON.search(bare)
    if season:
        return f"{relation or 'in'} {season[0].lower()} {first.year}"
    if 365 <= days <= 366:
        return f"{relation or 'in'} {first.year}"
    return span.text


def _day(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _month(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.year}"
