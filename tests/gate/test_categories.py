"""Categories: a controlled vocabulary."""

from __future__ import annotations

from recollect.rules.gate.categories import CategoriesPolicy, settled


def test_categories() -> None:
    """A known category in any case is itself, anything else falls to general."""
    policy = CategoriesPolicy()
    assert settled(" Goals ", policy) == "goals"
    assert settled("gossip", policy) == "general"
    assert settled("", policy) == "general"
