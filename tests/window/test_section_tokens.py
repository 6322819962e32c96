"""The sections of a context say how long they are."""

from __future__ import annotations

import pytest

from recollect import Recollect


@pytest.mark.parametrize("preview", [True, False])
def test_every_section_counts_its_tokens(database: str, preview: bool) -> None:
    """Looked at or used, a section that has a text takes tokens, and together no more than the whole."""
    with Recollect(database) as rc:
        ana = rc.space("ana", session="s")
        ana.remember("Ana lives in Lisbon.", importance=9)
        made = ana.context("Where does Ana live?", preview=preview)
    assert made.sections
    assert all(one.tokens > 0 for one in made.sections)
    assert sum(one.tokens for one in made.sections) <= made.tokens + len(made.sections)
