"""Budgets: what a text costs, and lines taken while they fit."""

from __future__ import annotations

import pytest

from recollect.rules.window.budget import estimate, fit


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("привет", 3), ("绿茶", 2), ("🎉", 1), ("ab é", 2)]
)
def test_estimate(text: str, tokens: int) -> None:
    """Four ASCII characters to a token, two of other alphabets, one of unspaced scripts and emoji."""
    assert estimate(text) == tokens


def test_fit() -> None:
    """Lines are taken while they fit and never after the first that does not."""
    assert fit(["abc", "abcdefg", "a"], 3) == ["abc", "abcdefg"]
    assert fit(["abc", "abcdefgh", "a"], 3) == ["abc"]
    assert fit(["abc"], 0) == []
