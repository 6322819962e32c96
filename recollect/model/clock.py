"""Time as the model sees it: aware datetimes outside, whole milliseconds UTC inside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from recollect.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = datetime(1000, 1, 1, tzinfo=UTC)
LATEST = datetime(3000, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    """Turn an aware datetime into milliseconds since 1970, rounding down."""
    return (moment - EPOCH) // _MS


def from_ms(value: int) -> datetime:
    """Turn milliseconds since 1970 into an aware datetime in UTC."""
    return EPOCH + value * _MS  # a float of seconds cannot hold the milliseconds of far years


def opt_from_ms(value: int | None) -> datetime | None:
    """Like `from_ms`, passing None through."""
    return None if value is None else from_ms(value)


def iso(moment: datetime) -> str:
    """Write a moment as ISO 8601 with milliseconds and a Z, the one form used in exports."""
    # Elsewhere two moments of the hour that comes twice are equal.
    return _written(moment if moment.tzinfo is UTC else moment.astimezone(UTC))


@lru_cache(maxsize=1024)  # the moments of one memory are mostly the same, and so are those of its neighbours
def _written(here: datetime) -> str:
    return f"{here.isoformat(timespec='milliseconds')[:-6]}Z"  # which ends with +00:00


def parse_iso(text: str) -> datetime:
    """Read what `iso` wrote, or any ISO 8601 moment that carries its offset."""
    try:
        return checked_time("time", datetime.fromisoformat(text))
    except ValueError as error:
        raise InvalidInput(f"{text!r} is not a time: write it like 2026-05-01T09:30:00Z") from error


def checked_time(name: str, moment: object) -> datetime:
    """Return the moment cut to milliseconds, or say why it cannot be used."""
    if not isinstance(moment, datetime):
        raise InvalidInput(f"{name} must be an aware datetime, not {type(moment).__name__}")
    if moment.tzinfo is not UTC:
        if moment.utcoffset() is None:
            raise InvalidInput(f"{name} has no time zone: give it one, such as UTC")
        try:
            moment = moment.astimezone(UTC)
        except OverflowError as error:
            raise InvalidInput(f"{name} is out of range: use a year from 1000 to 2999") from error
    if not EARLIEST <= moment < LATEST:
        raise InvalidInput(f"{name} is out of range: use a year from 1000 to 2999")
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
