"""The times a query names: what is understood, what only looks like a time, and that nothing can break it."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.language.times import LONGEST, moment, moments
from recollect.language.values import Moment
from recollect.model.clock import EARLIEST, LATEST
from tests.patience import TRIES, cpu

NOW = datetime(2024, 6, 12, 15, 30, tzinfo=UTC)  # a Wednesday
NEW_YORK = ZoneInfo("America/New_York")

SPANS = {
    "today": "2024-06-12 2024-06-13",
    "tonight": "2024-06-12T18 2024-06-13T06",
    "this morning": "2024-06-12T05 2024-06-12T12",
    "last night": "2024-06-11T18 2024-06-12T06",
    "yesterday": "2024-06-11 2024-06-12",
    "yesterday evening": "2024-06-11T17 2024-06-12",
    "the day before yesterday": "2024-06-10 2024-06-11",
    "tomorrow": "2024-06-13 2024-06-14",
    "the day after tomorrow": "2024-06-14 2024-06-15",
    "10 minutes ago": "2024-06-12T15:19:30 2024-06-12T15:20:30",
    "an hour ago": "2024-06-12T14 2024-06-12T15",
    "3 days ago": "2024-06-09 2024-06-10",
    "a day earlier": "2024-06-11 2024-06-12",
    "two weeks back": "2024-05-26 2024-06-02",
    "a fortnight ago": "2024-05-22 2024-06-06",
    "two months ago": "2024-03-28 2024-04-28",
    "two quarters ago": "2023-10-28 2024-01-27",
    "a year ago": "2022-12-12 2023-12-12",
    "a decade ago": "2009-06-12 2019-06-13",
    "two weekends ago": "2024-06-01 2024-06-03",
    "last week": "2024-06-03 2024-06-10",
    "this week": "2024-06-10 2024-06-17",
    "the week before last": "2024-05-27 2024-06-03",
    "last weekend": "2024-06-08 2024-06-10",
    "this weekend": "2024-06-15 2024-06-17",
    "over the weekend": "2024-06-08 2024-06-10",
    "previous month": "2024-05-01 2024-06-01",
    "next month": "2024-07-01 2024-08-01",
    "last quarter": "2024-01-01 2024-04-01",
    "last year": "2023-01-01 2024-01-01",
    "next year": "2025-01-01 2026-01-01",
    "last decade": "2010-01-01 2020-01-01",
    "the past week": "2024-06-05 2024-06-12T15:30",
    "the past hour": "2024-06-12T14:30 2024-06-12T15:30",
    "the last 3 days": "2024-06-09 2024-06-12T15:30",
    "in the last two hours": "2024-06-12T13:30 2024-06-12T15:30",
    "the next 3 days": "2024-06-12T15:30 2024-06-16",
    "Wednesday": "2024-06-12 2024-06-13",
    "on Thu": "2024-06-06 2024-06-07",
    "last Wednesday": "2024-06-05 2024-06-06",
    "this Friday": "2024-06-14 2024-06-15",
    "next Wed": "2024-06-19 2024-06-20",
    "Monday morning": "2024-06-10T05 2024-06-10T12",
    "earlier this week": "2024-06-10 2024-06-12T15:30",
    "earlier this year": "2024-01-01 2024-06-12T15:30",
    "later this month": "2024-06-12T15:30 2024-07-01",
    "in May": "2024-05-01 2024-06-01",
    "in June": "2024-06-01 2024-07-01",
    "in July": "2023-07-01 2023-08-01",
    "last June": "2023-06-01 2023-07-01",
    "this May": "2024-05-01 2024-06-01",
    "next May": "2025-05-01 2025-06-01",
    "in May 2023": "2023-05-01 2023-06-01",
    "May, 2023": "2023-05-01 2023-06-01",
    "May last year": "2023-05-01 2023-06-01",
    "in May of last year": "2023-05-01 2023-06-01",
    "May 7": "2024-05-07 2024-05-08",
    "July 7": "2023-07-07 2023-07-08",
    "7 May 2023": "2023-05-07 2023-05-08",
    "the 7th of May": "2024-05-07 2024-05-08",
    "May 7th, 2023": "2023-05-07 2023-05-08",
    "Sunday, 7 May 2023": "2023-05-07 2023-05-08",
    "Sept. 5, 2023": "2023-09-05 2023-09-06",
    "May 5-7, 2023": "2023-05-05 2023-05-08",
    "29 February": "2024-02-29 2024-03-01",
    "in 2022": "2022-01-01 2023-01-01",
    "back in 2019": "2019-01-01 2020-01-01",
    "the year 2000": "2000-01-01 2001-01-01",
    "since 2019": "2019-01-01 2024-06-12T15:30",
    "since May": "2024-05-01 2024-06-12T15:30",
    "since tomorrow": "2024-06-13 2024-06-14",
    "before 2020": "1000-01-01 2020-01-01",
    "by April": "1000-01-01 2024-05-01",
    "until yesterday": "1000-01-01 2024-06-12",
    "after 7 May 2023": "2023-05-08 2024-06-12T15:30",
    "after 2030": "2031-01-01 3000-01-01",
    "between March and June 2023": "2023-03-01 2023-07-01",
    "from December to March 2023": "2022-12-01 2023-04-01",
    "from May to July": "2024-05-01 2024-08-01",
    "from Monday to Friday": "2024-06-10 2024-06-15",
    "between 2021 and 2019": "2019-01-01 2022-01-01",
    "from 2019 until now": "2019-01-01 2024-06-12T15:30",
    "in 2019-2021": "2019-01-01 2022-01-01",
    "March–June 2023": "2023-03-01 2023-07-01",
    "5 May to 9 May": "2024-05-05 2024-05-10",
    "last summer": "2023-06-01 2023-09-01",
    "in the winter": "2023-12-01 2024-03-01",
    "winter 2022": "2022-12-01 2023-03-01",
    "fall of 2021": "2021-09-01 2021-12-01",
    "Q3 2022": "2022-07-01 2022-10-01",
    "2022 Q3": "2022-07-01 2022-10-01",
    "in Q2": "2024-04-01 2024-07-01",
    "on 2023-05-07": "2023-05-07 2023-05-08",
    "2023-05": "2023-05-01 2023-06-01",
    "2023-05-07T10:30": "2023-05-07T10:30 2023-05-07T10:31",
    "2023-05-07T10:30:15Z": "2023-05-07T10:30:15 2023-05-07T10:30:16",
    "2023-05-07 10:30+02:00": "2023-05-07T08:30 2023-05-07T08:31",
    "7/5/2023": "2023-07-05 2023-07-06",
    "13/5/2023": "2023-05-13 2023-05-14",
    "2023/5/7": "2023-05-07 2023-05-08",
    "the 1990s": "1990-01-01 2000-01-01",
    "the 90s": "1990-01-01 2000-01-01",
    "the 20s": "2020-01-01 2030-01-01",
    "Christmas": "2023-12-25 2023-12-26",
    "Christmas Eve 2021": "2021-12-24 2021-12-25",
    "New Year’s Eve": "2023-12-31 2024-01-01",
    "New Year's Day": "2024-01-01 2024-01-02",
    "Halloween": "2023-10-31 2023-11-01",
}
GUESSES = {
    "recently": "2024-05-29 2024-06-12T15:30",
    "the other day": "2024-05-29 2024-06-12T15:30",
    "a couple of days ago": "2024-06-09 2024-06-12",
    "a few weeks ago": "2024-05-05 2024-06-02",
    "the last few months": "2024-01-12 2024-06-12T15:30",
    "about 3 weeks ago": "2024-05-15T12 2024-05-29T12",
    "around May": "2024-04-15T12 2024-06-16T12",
    "around 7 May": "2024-05-05 2024-05-10",
    "mid-May": "2024-05-11 2024-05-22",
    "early June": "2024-06-01 2024-06-11",
    "late June 2023": "2023-06-21 2023-07-01",
    "the end of 2022": "2022-11-02 2023-01-01",
    "the beginning of last year": "2023-01-01 2023-03-02",
    "from late March to early May": "2024-03-22 2024-05-11",
}
NO_TIMES = (
    "", " ", "may I ask", "it may be", "what came before may be true", "this may take long", "we march on",
    "the second", "in the sun", "under this sun tent", "she sat down", "del mar", "a second ago", "1500 calories",
    "the 2048 game", "a diet of 2000 calories", "over 2000 people", "$2000", "in $2000", "in 1850", "in 20231",
    "last 2000 messages", "every Monday", "on Mondays", "each May", "a last minute change", "the last day of school",
    "a weekend in Paris", "for three weeks", "within 2 days", "two days", "the week", "31 June", "30 February 2024",
    "2023-13-01", "2023-02-30", "31/31/2023", "2000 years ago", "in Spring Boot", "the fall of Rome", "Ana and June",
    "Jan wrote it", "#may #2019", "wed in a church", "a marketing month", "the present", "until now", "昨日", "в мае",
)  # fmt: skip


def spans(query: str, now: datetime = NOW) -> list[Moment]:
    """Read a query in UTC."""
    return moments(query, now)


def bounds(text: str) -> tuple[datetime, datetime]:
    """Read two ends as the tables write them."""
    start, end = (datetime.fromisoformat(part).replace(tzinfo=UTC) for part in text.split())
    return start, end


@pytest.mark.parametrize("query", [*SPANS, *GUESSES])
@pytest.mark.parametrize("frame", ["{}", "what did Ana say {}?", "({}) Was it so?"])
def test_times_are_understood(query: str, frame: str) -> None:
    """Each way to say a time gives its span and its words, wherever it stands in a sentence."""
    (found,) = spans(frame.format(query))
    assert (found.start, found.end) == bounds((SPANS | GUESSES)[query])
    assert (found.text, found.exact) == (query, query in SPANS)


@pytest.mark.parametrize("query", NO_TIMES)
def test_false_friends_are_no_times(query: str) -> None:
    """Words that only look like times name none."""
    assert spans(query) == []


def test_every_time_of_a_query_is_found_in_order() -> None:
    """A query may name several times, lists included, in any case and spacing."""
    assert [it.text for it in spans("Yesterday, LAST  WEEK or in May, June\nand July; since 2019")] == [
        "Yesterday", "LAST  WEEK", "in May", "June", "July", "since 2019",
    ]  # fmt: skip
    assert [it.text for it in spans("İstanbul in May 2023")] == ["in May 2023"]


def test_only_the_beginning_of_a_long_query_is_read() -> None:
    """What stands beyond the limit is not looked at."""
    assert spans("x " * LONGEST + "yesterday") == []


def test_a_year_ago_on_a_leap_day() -> None:
    """A year before 29 February is 28 February, a month before 31 March the last of February."""
    leap = datetime(2024, 2, 29, 12, tzinfo=UTC)
    (found,) = moments("a year ago", leap)
    assert found.start + (found.end - found.start) / 2 == datetime(2023, 2, 28, 12, tzinfo=UTC)
    assert moment("a year ago", leap) == datetime(2023, 2, 28, 12, tzinfo=UTC)
    assert moment("1 month ago", datetime(2023, 3, 31, tzinfo=UTC)) == datetime(2023, 2, 28, tzinfo=UTC)


def test_days_begin_at_midnight_in_the_zone() -> None:
    """The day is the one of the zone, 23 hours long when the clock goes forward; hours are real hours."""
    late = datetime(2024, 3, 11, 3, tzinfo=UTC)  # still the evening of Sunday the 10th in New York
    (today,) = moments("today", late, NEW_YORK)
    assert (today.start, today.end) == bounds("2024-03-10T05 2024-03-11T04")
    (ago,) = moments("24 hours ago", late, NEW_YORK)
    assert ago.start < late - timedelta(hours=24) < ago.end
    assert moment("1 day ago", late, NEW_YORK) == late - timedelta(hours=23)
    assert moment("2024-03-10", late, NEW_YORK) == today.start
    assert moment("2024-03-10T00:00Z", late, NEW_YORK) == datetime(2024, 3, 10, tzinfo=UTC)


def test_this_winter_in_january_began_last_year() -> None:
    """A winter that is still on is this one."""
    (winter,) = moments("this winter", datetime(2025, 1, 5, tzinfo=UTC))
    assert (winter.start, winter.end) == bounds("2024-12-01 2025-03-01")


@pytest.mark.parametrize(
    ("expression", "at"),
    [
        ("2026-05-01", "2026-05-01"),
        ("2026-05-01T09:30:00+02:00", "2026-05-01T07:30"),
        ("2026-05-01T09:30Z", "2026-05-01T09:30"),
        ("1066-10-14", "1066-10-14"),
        (" Today ", "2024-06-12"),
        ("yesterday", "2024-06-11"),
        ("last week", "2024-06-05"),
        ("Last  Month", "2024-05-12"),
        ("5 minutes ago", "2024-06-12T15:25"),
        ("1 hour ago", "2024-06-12T14:30"),
        ("2 days ago", "2024-06-10T15:30"),
        ("a week ago", "2024-06-05T15:30"),
        ("3 months ago", "2024-03-12T15:30"),
        ("10 years ago", "2014-06-12T15:30"),
        ("a few weeks ago", "2024-05-05"),
        ("May", "2024-05-01"),
        ("2023", "2023-01-01"),
        ("since 2019", "2019-01-01"),
        ("next year", "2025-01-01"),
        ("from March to June 2023", "2023-03-01"),
    ],
)
def test_an_expression_is_one_moment(expression: str, at: str) -> None:
    """A filter takes ISO 8601, so long ago, or the beginning of any span."""
    assert moment(expression, NOW) == datetime.fromisoformat(at).replace(tzinfo=UTC)


def test_last_month_is_at_most_the_28th() -> None:
    """The same day of the month before is one that every month has."""
    assert moment("last month", datetime(2024, 3, 31, 9, tzinfo=UTC)) == datetime(2024, 2, 28, tzinfo=UTC)


@pytest.mark.parametrize(
    "expression", ["", "soon", "whenever", "yesterday or so", "May and June", "before 2020", "31 June", "x" * 5000]
)
def test_what_is_no_time_is_refused_with_examples(expression: str) -> None:
    """Anything else, also a span without a beginning, is refused in words that help."""
    with pytest.raises(InvalidInput, match=r"is not a time: write it like .*3 days ago") as refused:
        moment(expression, NOW)
    assert len(str(refused.value)) < 250


BITS = (
    "last past this next the a of to and - – , since before after until by from between around early mid- end in on 31 "
    "0 9999 2100 Feb may year years ago decades back q1 90s 12/12/1212 2999-12-31 1000-01 now İ ’ \ud800 \0 days sun"
)
WORDS = st.sampled_from([*SPANS, *GUESSES, *NO_TIMES, *BITS.split(" ")])
QUERIES = st.one_of(st.text(), st.lists(WORDS, max_size=8).map(" ".join), st.lists(WORDS, max_size=8).map("".join))
NOWS = st.integers(-2_000_000_000, 7_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
ZONES = st.one_of(
    st.sampled_from(["UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "America/Sao_Paulo"]).map(ZoneInfo),
    st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


@given(QUERIES, NOWS, ZONES)
@example("9999 decades ago since 2999-12-31 to 1000-01", NOW, UTC)
@settings(max_examples=300, deadline=None)
def test_nothing_breaks_it(query: str, now: datetime, zone: tzinfo) -> None:
    """Any text gives spans in order that are not empty, in UTC, with their words; or a refusal of the right kind."""
    found = moments(query, now, zone)
    for it in found:
        assert EARLIEST <= it.start < it.end <= LATEST
        assert it.start.tzinfo is it.end.tzinfo is UTC
        assert it.text
        assert it.text in query
    places = [query.index(it.text) for it in found if query.count(it.text) == 1]
    assert all(one < other for one, other in pairwise(places))
    with suppress(InvalidInput):
        assert moment(query, now, zone).tzinfo is UTC


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), NOWS)
@settings(max_examples=100, deadline=None)
def test_every_day_can_be_named(day: date, now: datetime) -> None:
    """Each day written in five ways is that day and no other."""
    ways = [f"{day}", f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%b} {day.year}", f"{day:%m/%d/%Y}"]
    for way in [*ways, f"{day:%A} the {day.day}th of {day:%B} {day.year}"]:
        (found,) = moments(f"was it {way}?", now)
        assert (found.start.date(), found.end - found.start) == (day, timedelta(days=1))


def test_looking_for_times_costs_next_to_nothing() -> None:
    """A query without a time is seen to have none, for a fraction of what it costs to read one."""

    def cost(query: str) -> float:
        return cpu(lambda: [moments(query, NOW) for _ in range(500)])

    without, named = (
        "what is the user's favourite programming language",
        "What did Caroline say about her job in May 2023?",
    )
    assert any(cost(without) * 3 < cost(named) for _ in range(TRIES))
