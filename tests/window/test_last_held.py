"""The last conversation is the one held last, in whatever order conversations were written down."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect import Recollect


def test_an_import_that_brings_the_newest_first(rc: Recollect) -> None:
    """What was said in 2021 is the last, though 2017 was written down after it."""
    for year in (2021, 2019, 2017):
        told = rc.space("ana", session=f"chat-{year}")
        for day in (1, 2):
            told.observe("user", f"In {year} I bought boat {day}.", at=datetime(year, 5, day, tzinfo=UTC))
    text = rc.space("ana", session="now").context("hello", 800).volatile
    last = text.partition("Last conversation")[2]
    assert last.index("In 2021 I bought boat 1.") < last.index("In 2021 I bought boat 2.")
    assert "2017" not in last
