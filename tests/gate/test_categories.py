"""Categories: a controlled vocabulary."""

from __future__ import annotations

import pytest

from recollect import Recollect
from recollect.rules.gate.categories import CategoriesPolicy, settled


def test_categories() -> None:
    """A known category in any case is itself, anything else falls to general."""
    policy = CategoriesPolicy()
    assert settled(" Goals ", policy) == "goals"
    assert settled("gossip", policy) == "general"
    assert settled("", policy) == "general"


@pytest.mark.parametrize(
    ("key", "category"),
    [("user_preference", "preferences"), ("project_goal", "goals"), ("tone", "tone"), ("user_timezone", "general")],
)
def test_a_key_tells_its_category(rc: Recollect, key: str, category: str) -> None:
    """002.22: what is saved under a key and no category is filed by what the key speaks of; what is given stands."""
    ana = rc.space("ana")
    assert ana.get(ana.remember("dark", key=key).id).category == category
    assert ana.get(ana.remember("light", key=key, category="history").id).category == "history"
