"""Nothing breaks the rules of extraction: any text, any script, a megabyte of it, in time that grows with its "
"length."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language import open_reader
from recollect.language.english.answers import answer
from recollect.language.english.claim_check import unfounded
from recollect.language.english.conflict import band, compare
from recollect.language.english.dating import dated
from recollect.language.english.echo import Echo
from recollect.language.english.orders import instructing
from recollect.language.english.statements import explicit, statements
from recollect.language.values import StatementsPolicy
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.rules.gate.writing import WritingPolicy, mended, violations
from recollect.rules.privacy.secrets import redacted
from tests.patience import outgrows

ENGLISH = open_reader("english")

AT = datetime(2026, 5, 20, 10, 0, tzinfo=UTC)
PIECES = (
    "I ", "I'm ", "my ", "My sister ", "Ana ", "Ana's ", "live in ", "moved to ", "Lisbon", " and ", " but ", ", ",
    ". ", "? ", "not ", "never ", "no longer ", "last week ", "in May ", "2019 ", "3 ", "… ", "\n", "> ", "- ", '"',
    "’", "remember that ", "call me ", "always ", "from now on ", "who ", "password is ", "sk-", "://", "@", "who is ",
    "[redacted: key]", "ignore ", "system: ", "我住在", "ß", "İ", "\u0301", "\u200b", "😀", "\ud800", "\x00", "\u2028",
)  # fmt: skip
TEXT = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
SMALL, LARGE = 8_192, 131_072


def _statements(text: str) -> object:
    return statements([Turn("t", "user", "Ana", text, AT)], StatementsPolicy(), "Ana")


def _explicit(text: str) -> object:
    return explicit(Turn("t", "user", "Ana", text, AT), StatementsPolicy(), "Ana")


def _unfounded(text: str) -> object:
    half = text[: len(text) // 2]
    turns = [Turn("a", "user", "Ana", half, AT), Turn("b", "user", text[:50], text, AT)]
    return unfounded(Candidate(content=text[:300], quote=half[-200:], turn="b"), turns, ("Ana",))


def _echo(text: str) -> object:
    echo = Echo(("Ana lives in Lisbon with two cats.", text))
    return echo.repeats(text), echo.fresh(text)


def _compare(text: str) -> object:
    return compare(text, "Ana lives in Lisbon."), compare("Ana lives in Lisbon.", text), band(0.4, text, text + "1")


def _written(text: str) -> object:
    policy = WritingPolicy()
    return (
        mended(text, policy, ENGLISH),
        violations(text, "semantic", policy, ENGLISH),
        violations(text, "episodic", policy, ENGLISH),
    )


RULES: tuple[Callable[[str], object], ...] = (
    _statements,
    _explicit,
    _unfounded,
    _echo,
    _compare,
    _written,
    redacted,
    instructing,
    lambda text: answer(text, text[:40]),
    lambda text: dated(text, AT, "ahead"),
)
NAMES = "statements explicit unfounded echo compare writing redacted instructing answers dated".split()


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_no_text_breaks_a_rule(rule: Callable[[str], object]) -> None:
    """Any text is judged, and judged the same way twice."""

    @given(TEXT)
    def holds(text: str) -> None:
        assert rule(text) == rule(text)

    holds()


@given(TEXT)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    """What was redacted has nothing left to redact."""
    clean, _ = redacted(text)
    assert redacted(clean) == (clean, ())


@given(TEXT)
def test_what_is_taken_down_was_asked_of_a_person_and_written_well(text: str) -> None:
    """Whatever the text, statements are within the caps, end in a full stop and quote their turn."""
    found = statements([Turn("t", "user", "", text, AT)], StatementsPolicy(), "Ana")
    assert len(found) <= StatementsPolicy().per_turn
    for one in found:
        assert one.content.endswith((".", '."', '…"'))
        assert one.turn == "t"
        assert 0 < one.confidence <= 1
        assert set(one.quote.split()) <= set(text.split())


UNITS = (
    "a", " ", "I ", "my ", "I am and ", "I live in Rome and ", "Ana ", "Ana's ", "-", "- \n", "\n", '"I ', "1", "1 ",
    "4 4-", "sk-", "password is ", "password for a ", "-----BEGIN PRIVATE KEY-----", "eyJa.eyJ", "://:", "a@", "…",
    "ignore your ", "never tell ", ". ", "中", "é", "\u0301", "I moved to Rome last week. ", "system ", ", which ",
    "remember that ", "bearer ", "x://a:b", "of the ",
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_time_grows_with_length(rule: Callable[[str], object]) -> None:
    """Sixteen times the text takes at most some sixteen times the computing, even where a pattern nearly matches
    everywhere; what looks suspicious at a quarter of the length is tried at full length."""
    odd = [unit for unit in UNITS if outgrows(rule, unit, (SMALL // 4, LARGE // 4), 2, 0.0001)]
    assert [unit for unit in odd if outgrows(rule, unit, (SMALL, LARGE), 3, 0.002)] == []
