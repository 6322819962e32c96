"""The times a statement names, seen from when it was said: English by our grammar, others by dateparser, in jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from typing import Any

from recollect.language.detection import language
from recollect.language.lexicon import Lexicon, among
from recollect.language.times import LONGEST, moments
from recollect.language.values import Moment
from recollect.text.patterns import pattern

_DAY = timedelta(days=1)
_DIGIT = pattern(r"\d")
_YEARS = range(1000, 3000)


def dates(text: str, at: datetime, ahead: bool, known: Sequence[Lexicon]) -> list[Moment]:
    """Find the times a statement names; each of its days from midnight to midnight."""
    if not known or len(text) > LONGEST:
        return []
    at = at if at.utcoffset() is not None else at.replace(tzinfo=UTC)
    spoken = language([text], known) or getattr(among([text], known), "code", "")
    if spoken in ("en", ""):
        found = moments(text, at, at.tzinfo or UTC)
        return [_later(one, at) for one in found] if ahead else found
    return _others(text, at, ahead, spoken, known)


def _later(found: Moment, at: datetime) -> Moment:
    """Read a day or a month that comes again and again as the next one, where the last is over."""
    if found.end > at:
        return found
    following = moments(f"next {found.text.split()[-1]}", at, at.tzinfo or UTC)
    return following[0] if len(following) == 1 and following[0].start > at else found


def _others(text: str, at: datetime, ahead: bool, spoken: str, known: Sequence[Lexicon]) -> list[Moment]:
    lexicon = next((one for one in known if one.code == spoken), None)
    timely = lexicon is None or not lexicon.words("times").isdisjoint(text.lower().replace(",", " ").split())
    if not timely and not _DIGIT.search(text):
        return []  # as in most sentences: to look for dates takes milliseconds
    prefer = "future" if ahead else "past"
    wanted = {"RELATIVE_BASE": at.replace(tzinfo=None), "PREFER_DATES_FROM": prefer}
    try:
        found = _search()(text, languages=[spoken], settings=wanted) or []
    except ValueError:  # a language it does not know
        return []
    days = [
        (said, datetime(one.year, one.month, one.day, tzinfo=at.tzinfo)) for said, one in found if one.year in _YEARS
    ]
    return [Moment(day.astimezone(UTC), (day + _DAY).astimezone(UTC), said, True) for said, day in days]


@cache
def _search() -> Any:
    return import_module("dateparser.search").search_dates
