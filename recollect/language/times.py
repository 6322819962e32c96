"""The times a query names, as spans: `yesterday`, `in May 2023`, `from March to June`, `a few weeks ago`.

Days begin at midnight in the zone, weeks on Monday. A day or a month without a year is the latest that has begun;
seasons are those of the north, and a winter is called by the year it begins in; 7/5/2023 is July 5, 13/5/2023 May 13.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo

from recollect.errors import InvalidInput
from recollect.language.time_words import AGO, DECADES, NUMBERS, TimeSaid, times_said
from recollect.language.values import Moment
from recollect.model.clock import EARLIEST, LATEST
from recollect.model.values import dataclass

LONGEST = 2000
"""How many characters of a query are looked through."""

_Span = tuple[date, date]  # a date stands for its midnight in the zone, a datetime for itself
_DAY = timedelta(days=1)
_LATELY = timedelta(days=14)
_MONTHS = {name: at for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
_WEEKDAYS = {name: at for at, name in enumerate("mon tue wed thu fri sat sun".split())}
_SEASONS = {"spring": 2, "summer": 5, "autumn": 8, "fall": 8, "winter": 11}
_HOLIDAYS = {"new": (1, 1), "valentine": (2, 14), "halloween": (10, 31), "christmas": (12, 25), "boxing": (12, 26)}
_EVES = {"new": (12, 31), "christmas": (12, 24)}
_HOURS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30), "tonight": (18, 30)}
_OFFSETS = {"last": -1, "past": -1, "this": 0, "next": 1}
_TICKS = {"minute": timedelta(minutes=1), "min": timedelta(minutes=1), "hour": timedelta(hours=1)}
_IN_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_IN_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_HALVES = {"day": 0, "week": 3, "fortnight": 7, "month": 15, "quarter": 45, "year": 182, "decade": 1826}
"""How many days either side of the day `a unit ago` may mean."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was said, and the span it comes to."""

    said: TimeSaid
    start: datetime
    end: datetime
    exact: bool


def moments(query: str, now: datetime, zone: tzinfo = UTC) -> list[Moment]:
    """Find every time a query names, in order; days begin at midnight in the zone."""
    text = " " + query[:LONGEST]
    return [Moment(it.start, it.end, text[it.said.begin : it.said.end], it.exact) for it in _readings(text, now, zone)]


def moment(expression: str, now: datetime, zone: tzinfo = UTC) -> datetime:
    """Read a time as one moment: the beginning of the span it names, or exactly so long ago."""
    given = expression.strip()
    try:
        found = datetime.fromisoformat(given)
        return (found if found.utcoffset() is not None else found.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # not ISO 8601: it may be words
    here = now.astimezone(zone)
    today, words = here.date(), given.lower().split()
    if words == ["last", "week"]:
        return _utc(today - 7 * _DAY, zone)
    if words == ["last", "month"]:
        return _utc(_back(today.replace(day=min(today.day, 28)), "month", 1), zone)
    for lead in (" ", " in "):  # in a sentence, a year or a month without a word before it may be something else
        read = _readings(lead + given[:LONGEST], now, zone)
        whole = len(read) == 1 and read[0].said.begin <= len(lead) and read[0].said.end == len(lead + given)
        if whole and read[0].start > EARLIEST:
            return _ago(read[0].said, here) or read[0].start
    raise InvalidInput(
        f"{given[:60]!r} is not a time: write it like 2026-05-01, 2026-05-01T09:30:00Z, yesterday, last week, "
        "3 days ago, May 2026 or 7 May 2026"
    )


def _readings(text: str, now: datetime, zone: tzinfo) -> list[_Reading]:
    out: list[_Reading] = []
    here: datetime | None = None
    for said in times_said(text):
        here = here or now.astimezone(zone)
        if out and said.join and (joined := _joined(out[-1].said, said, here)):
            out[-1] = joined
        elif reading := _reading(said, here):
            out.append(reading)
    return out


def _reading(said: TimeSaid, here: datetime) -> _Reading | None:
    """Say what span a time comes to; there is no 31 June."""
    try:
        start, end = _bounds(said, here)
    except (ValueError, OverflowError):
        return None
    relation, side = said.slots.get("relation", ""), said.slots.get("side", "")
    now = here.astimezone(UTC)
    if relation == "since":
        end = now if start < now else end
    elif relation == "after":
        start, end = end, now if end < now else LATEST
    elif relation == "before":
        start, end = EARLIEST, start
    elif relation in ("by", "until", "till", "through"):
        start = EARLIEST
    elif side in ("earlier", "later") and start < now < end:
        start, end = (start, now) if side == "earlier" else (now, end)
    return _Reading(said, start, end, said.exact) if EARLIEST <= start < end <= LATEST else None


def _joined(first: TimeSaid, said: TimeSaid, here: datetime) -> _Reading | None:
    """Make one time of two that belong together: `from May to July`, `May last year`."""
    try:
        if said.join == "next" and said.pieces == ("year",) and first.loose and first.kind != "weekday":
            return _reading(replace(first, end=said.end, year=_unit(said, here)[0].year), here)
        if said.join != "to" and (said.join != "and" or first.slots.get("relation") != "between"):
            return None
        if said.loose:  # the first July from that May on
            one = _bounds(first, here)
            follows = replace(said, slots=said.slots | {"which": "next"})
            two = _bounds(follows, one[0].astimezone(here.tzinfo) - _DAY)
        else:  # the latest March before that June
            two = _bounds(said, here)
            one = _bounds(first, two[0].astimezone(here.tzinfo) if first.loose else here)
    except (ValueError, OverflowError):
        return None
    start, end = min(one[0], two[0]), max(one[1], two[1])
    both = _Reading(replace(first, end=said.end), start, end, first.exact and said.exact)
    return both if EARLIEST <= start < end <= LATEST else None


def _bounds(said: TimeSaid, here: datetime) -> tuple[datetime, datetime]:
    """Give both ends of a time before `since` and its like move them; a ValueError says that it is none."""
    start, end = _SPANS[said.kind](said, here)
    if "part" in said.slots and not isinstance(start, datetime) and not isinstance(end, datetime):
        start, end = _part(said.slots["part"], start, end)
    first, last = _utc(start, here.tzinfo), _utc(end, here.tzinfo)
    if "vague" in said.slots:
        half = (last - first) / 2
        wider = half if half < _DAY / 4 else max(half, 2 * _DAY)
        first, last = first - wider, last + wider
    return first, last


def _part(part: str, start: date, end: date) -> _Span:
    """Cut a third off a span, or a sixth where its very start or end was said; a day or two are left whole."""
    piece = (end - start).days // (6 if part in ("start", "end") else 3) * _DAY
    if not piece:
        return start, end
    if part == "mid":
        return start + piece, end - piece
    return (end - piece, end) if part in ("late", "end") else (start, start + piece)


def _utc(at: date, zone: tzinfo | None) -> datetime:
    return (at if isinstance(at, datetime) else datetime(at.year, at.month, at.day, tzinfo=zone)).astimezone(UTC)


def _back(day: date, unit: str, count: int) -> date:
    """Go back on the calendar: where the month is too short, to its last day."""
    if unit in _IN_DAYS:
        return day - count * _IN_DAYS[unit] * _DAY
    year, month = divmod(day.year * 12 + day.month - 1 - count * _IN_MONTHS[unit], 12)
    if not EARLIEST.year <= year < LATEST.year:
        raise ValueError("no such year")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _run(month: int, length: int) -> _Span:
    """Give some months, the first of them counted from the year 0."""
    after = month + length
    return date(month // 12, month % 12 + 1, 1), date(after // 12, after % 12 + 1, 1)


def _iso(said: TimeSaid, here: datetime) -> _Span:
    if len(said.text) == 7:
        first = date(int(said.pieces[0]), int(said.pieces[1]), 1)
        return _run(first.year * 12 + first.month - 1, 1)
    if len(said.text) == 10:
        day = date.fromisoformat(said.text)
        return day, day + _DAY
    at = datetime.fromisoformat(said.text.upper())
    at = (at if at.utcoffset() is not None else at.replace(tzinfo=here.tzinfo)).astimezone(UTC)
    return at, at + timedelta(seconds=1 if said.text[16:17] == ":" else 60)


def _slash(said: TimeSaid, here: datetime) -> _Span:
    one, two, three = (int(piece) for piece in said.pieces)
    day = date(one, two, three) if one > 31 else date(three, one, two) if one <= 12 else date(three, two, one)
    return day, day + _DAY


def _again(made: Callable[[int], _Span], said: TimeSaid, here: datetime) -> _Span:
    """Choose the year of what comes every year, or every leap year."""
    if said.year is not None:
        return made(said.year)
    today, which = here.date(), said.slots.get("which", "")
    if which == "this":
        before = made(today.year - 1) if today.month < 3 else None  # in January, this winter began last year
        return before if before and before[1] > today else made(today.year)
    ahead = range(today.year - 1, today.year + 9)
    for year in ahead if which == "next" else range(today.year + 1, today.year - 9, -1):
        try:
            span = made(year)
        except ValueError:  # no 29 February
            continue
        if span[0] > today if which == "next" else span[which in ("last", "past")] <= today:
            return span
    raise ValueError("not in these years")


def _month(said: TimeSaid, here: datetime) -> _Span:
    month = next(_MONTHS[piece[:3]] for piece in said.pieces if piece[:3] in _MONTHS)
    days = [int(piece) for piece in said.pieces if piece.isdigit() and len(piece) < 3]
    if not days:
        return _again(lambda year: _run(year * 12 + month, 1), said, here)
    return _again(lambda year: (date(year, month + 1, days[0]), date(year, month + 1, days[-1]) + _DAY), said, here)


def _quarter(said: TimeSaid, here: datetime) -> _Span:
    number = next(int(piece) for piece in said.pieces if len(piece) == 1 and piece.isdigit())
    return _again(lambda year: _run(year * 12 + 3 * number - 3, 3), said, here)


def _season(said: TimeSaid, here: datetime) -> _Span:
    return _again(lambda year: _run(year * 12 + _SEASONS[said.pieces[0]], 3), said, here)


def _holiday(said: TimeSaid, here: datetime) -> _Span:
    month, day = (_EVES if "eve" in said.pieces else _HOLIDAYS)[said.pieces[0]]
    return _again(lambda year: (date(year, month, day), date(year, month, day) + _DAY), said, here)


def _hours(day: date, part: str, here: datetime) -> _Span:
    """Give a part of a day, or the whole of it."""
    if part not in _HOURS:
        return day, day + _DAY
    midnight = datetime(day.year, day.month, day.day, tzinfo=here.tzinfo)
    return midnight + timedelta(hours=_HOURS[part][0]), midnight + timedelta(hours=_HOURS[part][1])


def _day(said: TimeSaid, here: datetime) -> _Span:
    """Read `yesterday`, `the day after tomorrow`, `last night`."""
    words = frozenset(said.pieces)
    days = 1 if "tomorrow" in words else -1 if words & {"yesterday", "last"} else 0
    return _hours(here.date() + (2 * days if "day" in words else days) * _DAY, said.pieces[-1], here)


def _weekday(said: TimeSaid, here: datetime) -> _Span:
    """Read the name of a day as the latest, today included; the last is before today, and the next after it."""
    today, which = here.date(), said.slots.get("which", "")
    ago = (today.weekday() - _WEEKDAYS[said.pieces[0][:3]]) % 7
    if which == "this":
        ago = today.weekday() - _WEEKDAYS[said.pieces[0][:3]]
    elif which == "next":
        ago -= 7
    elif which in ("last", "past"):
        ago = ago or 7
    return _hours(today - ago * _DAY, said.pieces[-1], here)


def _unit(said: TimeSaid, here: datetime) -> _Span:
    """Read `last week` as that week of the calendar, but `the past week` as the days up to now."""
    today, which, unit = here.date(), said.slots.get("which", ""), said.pieces[0]
    past = which == "past" or (which == "last" and unit in ("hour", "fortnight"))
    if past and unit != "weekend":
        return (here.astimezone(UTC) - _TICKS[unit] if unit in _TICKS else _back(today, unit, 1)), here
    offset = -2 if said.pieces[-1] == "last" else _OFFSETS.get(which)
    monday = today - today.weekday() * _DAY
    if unit == "weekend":
        if offset is None and said.slots.get("article", "the" if "relation" in said.slots else "") != "the":
            raise ValueError("any weekend")
        offset = -(today.weekday() < 5) if offset is None else offset
        return monday + (7 * offset + 5) * _DAY, monday + (7 * offset + 7) * _DAY
    if offset is None or unit not in ("week", *_IN_MONTHS):
        raise ValueError("any of them")
    if unit == "week":
        return monday + 7 * offset * _DAY, monday + 7 * (offset + 1) * _DAY
    length = _IN_MONTHS[unit]
    return _run(((today.year * 12 + today.month - 1) // length + offset) * length, length)


def _counted(said: TimeSaid) -> tuple[str, int, int]:
    """Give the unit, and how few and how many of it are meant."""
    number = said.pieces[0]
    fewest, most = (int(number), int(number)) if number.isdigit() else NUMBERS[number]
    return said.pieces[-2 if said.pieces[-1] in AGO else -1].removesuffix("s"), fewest, most


def _count(said: TimeSaid, here: datetime) -> _Span:
    """Read `3 days ago` as that day, `2 weeks ago` as the week around it, `the last 3 days` as those up to now."""
    (unit, fewest, most), today = _counted(said), here.date()
    which = "ago" if said.pieces[-1] in AGO else said.slots.get("which", "")
    if unit == "weekend" and which == "ago":
        sunday = today - (today.weekday() + 1) * _DAY + 7 * _DAY
        return sunday - (7 * most + 1) * _DAY, sunday - (7 * fewest - 1) * _DAY
    if which in ("", "this") or unit == "weekend":
        raise ValueError("how long, not when")
    if unit in _TICKS:
        tick, now = _TICKS[unit], here.astimezone(UTC)
        if which == "ago":
            return now - most * tick - tick / 2, now - fewest * tick + tick / 2
        return (now, now + most * tick) if which == "next" else (now - most * tick, now)
    if which == "ago":
        half = _HALVES[unit]
        return _back(today, unit, most) - half * _DAY, _back(today, unit, fewest) + (half + 1) * _DAY
    return (here, _back(today, unit, -most) + _DAY) if which == "next" else (_back(today, unit, most), here)


def _ago(said: TimeSaid, here: datetime) -> datetime | None:
    """Give the very moment that `3 days ago` was, at this time of the day; None for a time of another kind."""
    if said.kind != "count" or not said.exact or said.pieces[-1] not in AGO or "relation" in said.slots:
        return None
    unit, count, _ = _counted(said)
    if unit == "weekend":
        return None
    if unit in _TICKS:
        return here.astimezone(UTC) - count * _TICKS[unit]
    return datetime.combine(_back(here.date(), unit, count), here.time(), here.tzinfo).astimezone(UTC)


def _decade(said: TimeSaid, here: datetime) -> _Span:
    short = int(said.pieces[0]) if said.pieces[0].isdigit() else DECADES[said.pieces[0]]
    year = said.year or short + (1900 if short >= 30 else 2000)
    return _run(year * 12, 120)


def _nth(said: TimeSaid, here: datetime) -> _Span:
    """Read a day of a month nobody names as the latest that has begun; the next is after today."""
    today, number = here.date(), int(said.pieces[0])
    ahead = said.slots.get("which") == "next"
    for months in range(13):
        year, month = divmod(today.year * 12 + today.month - 1 + (months if ahead else -months), 12)
        if 1 <= number <= monthrange(year, month + 1)[1]:
            day = date(year, month + 1, number)
            if (day > today) if ahead else (day <= today):
                return day, day + _DAY
    raise ValueError("no such day")


def _lately(said: TimeSaid, here: datetime) -> _Span:
    return here.date() - _LATELY, here


_SPANS: dict[str, Callable[[TimeSaid, datetime], _Span]] = {
    "iso": _iso,
    "slash": _slash,
    "month": _month,
    "count": _count,
    "quarter": _quarter,
    "decade": _decade,
    "year": lambda said, here: _run((said.year or 0) * 12, 12),
    "day": _day,
    "unit": _unit,
    "weekday": _weekday,
    "season": _season,
    "holiday": _holiday,
    "nth": _nth,
    "lately": _lately,
    "now": lambda said, here: (here, here),
}
