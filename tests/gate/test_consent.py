"""Consent: a guarded slot changes only with the user's own word."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language import open_reader
from recollect.model.candidate import Candidate
from recollect.rules.gate.consent import ConsentPolicy, OpenProposal, decide

NOW = datetime(2026, 5, 20, tzinfo=UTC)
POLICY = ConsentPolicy()
CITY = Candidate(content="Ana lives in Faro.", key="city", turn="t1", confidence=0.95)
TIMEZONE = Candidate(content="Ana's timezone is WET.", key="timezone", turn="t1", confidence=0.7)


def waiting(candidate: Candidate, *turns: str, days: int = 7) -> OpenProposal:
    """Make a proposal of what a candidate says."""
    return OpenProposal(candidate.key, candidate.content, turns, NOW + timedelta(days=days))


def name(candidate: Candidate, *proposals: OpenProposal, current: str = "", himself: bool = False) -> tuple[str, int]:
    """Decide, and give the decision and its count."""
    made = decide(candidate, current, proposals, NOW, POLICY, himself=himself)
    return made.name, made.count


def test_guarded_slots() -> None:
    """A guarded slot is proposed, agreed with, replaced; never applied but on the user's own word."""
    other = replace(CITY, content="Ana lives in Rome.")
    assert name(CITY) == ("propose", 1)
    assert name(CITY, waiting(CITY, "t0")) == ("agree", 2)
    assert name(CITY, waiting(CITY, "t1")) == ("nothing", 1)
    assert name(CITY, waiting(other, "t0")) == ("replace", 1)
    assert name(CITY, waiting(other, "t0", days=0)) == ("propose", 1)
    assert name(CITY, current="ana lives in Faro") == ("nothing", 0)
    assert name(CITY, waiting(other, "t0"), himself=True)[0] == "apply"
    assert name(replace(CITY, key=""))[0] == "apply"


def test_other_slots() -> None:
    """Another slot is filled when two turns agree or one is sure."""
    assert name(TIMEZONE) == ("propose", 1)
    assert name(TIMEZONE, waiting(TIMEZONE, "t1")) == ("nothing", 1)
    assert name(TIMEZONE, waiting(TIMEZONE, "t0")) == ("apply", 2)
    assert name(TIMEZONE, waiting(TIMEZONE, "t0", days=-1)) == ("propose", 1)
    assert name(replace(TIMEZONE, confidence=0.9)) == ("apply", 1)


@given(
    st.sampled_from(POLICY.guarded),
    st.text(min_size=1),
    st.floats(0, 1),
    st.lists(st.tuples(st.sampled_from(POLICY.guarded), st.text(), st.integers(-9, 9)), max_size=6),
    st.text(),
)
def test_a_guarded_slot_is_never_filled_without_consent(
    key: str, value: str, sure: float, given_before: list[tuple[str, str, int]], current: str
) -> None:
    """Whatever was proposed before and however sure the candidate, a guarded slot is not filled by itself."""
    proposals = [
        OpenProposal(one, text, ("a", "b", "c"), NOW + timedelta(days=days)) for one, text, days in given_before
    ]
    candidate = Candidate(content=value, key=key, confidence=sure, turn="t")
    assert decide(candidate, current, proposals, NOW, POLICY).name != "apply"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("yes", "yes"),
        ("Yes!", "yes"),
        ("yes please call me Bo", "yes"),
        ("Yep, that's right.", "yes"),
        ("sure, go ahead", "yes"),
        ("Call me Bo", "yes"),
        ("ok", "yes"),
        ("no", "no"),
        ("Nope, keep Ana", "no"),
        ("no thanks", "no"),
        ("No, please don't.", "no"),
        ("nah, leave it as it is", "no"),
        ("yes?", None),
        ("yes, but not yet", None),
        ("Yes, the meeting is on Monday at nine in the big room", None),
        ("Call me Max", None),
        ("no problem", None),
        ("No idea what you mean", None),
        ("no worries!", None),
        ("no, call me Bo", None),
        ("I said yes to the job", None),
        ("maybe", None),
        ("", None),
        ("😀", None),
        ("yes " * 200, None),
        ("What's the weather?", None),
    ],
)
def test_answers(text: str, meant: str | None) -> None:
    """A plain yes or no is read; anything that may mean something else is not."""
    assert open_reader("words").answer(text, "Ana prefers to be called Bo.") == meant
