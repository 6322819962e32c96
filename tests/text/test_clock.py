"""Time: whole milliseconds, back and forth, over two thousand years."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.model.clock import EARLIEST, LATEST, checked_time, from_ms, iso, parse_iso, to_ms
from recollect.testing import FixedClock


@given(st.integers(to_ms(EARLIEST), to_ms(LATEST) - 1))
def test_there_and_back(value: int) -> None:
    """Every millisecond of the range survives the way through a datetime and through text."""
    assert to_ms(from_ms(value)) == value
    assert to_ms(parse_iso(iso(from_ms(value)))) == value


def test_checked_time() -> None:
    """A moment is cut to milliseconds in UTC; naive, far or wrong ones are refused."""
    moment = datetime(2026, 1, 5, 10, 0, 0, 1999, tzinfo=timezone(timedelta(hours=1)))
    assert checked_time("at", moment) == datetime(2026, 1, 5, 9, 0, 0, 1000, tzinfo=UTC)
    far = datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))
    for wrong in (datetime(2026, 1, 5), far, LATEST, "2026", None, 5):  # noqa: DTZ001
        with pytest.raises(InvalidInput):
            checked_time("at", wrong)


def test_fixed_clock() -> None:
    """The clock for tests stands until it is moved."""
    clock = FixedClock()
    before = clock()
    assert clock() == before
    assert clock.advance(days=2, minutes=1) == before + timedelta(days=2, minutes=1) == clock()
