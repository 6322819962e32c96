"""The drills of consolidation: what it costs, and that it survives being killed, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.consolidation import MOST_CALLS, MOST_TOKENS, cost, killed

pytestmark = pytest.mark.usefixtures("forgetful")


def test_a_hundred_turns_cost_little(tmp_path: Path) -> None:
    """At most four calls, and at most 120 prompt tokens a turn beyond its own text, with every fact found."""
    found = cost(tmp_path)
    assert found["calls"] <= MOST_CALLS
    assert found["prompt tokens a turn beyond its own"] <= MOST_TOKENS
    assert found["facts known"] == found["facts told"] > 5


def test_killed_at_any_point_the_same_facts_are_there_once(drilled: str) -> None:
    """Killed again and again while it consolidates, the next run goes on and nothing is lost or doubled."""
    found = killed(drilled, kills=2)
    assert found["killed"] >= 2
    assert found["last exit"] == 0
    assert found["same facts once"]
    assert (found["summaries"], found["closed"], found["sound"]) == (1, True, True)
