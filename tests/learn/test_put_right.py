"""Putting right what was said a minute ago: without a model it is marked as maybe outdated."""

from __future__ import annotations

from pathlib import Path

from recollect import Recollect
from recollect.model.memory import OUTDATED
from recollect.testing import FixedClock


def test_put_right_in_the_same_conversation(clock: FixedClock, tmp_path: Path) -> None:
    """Who corrects himself a minute later is understood without a model: what comes in one batch is compared, too."""
    with Recollect(tmp_path / "m.db", embedder="recollect-1", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        for text in ("I live in Lisbon.", "No, I moved to Porto last week."):
            ana.observe("user", text)
            clock.advance(seconds=30)
            ana.observe("assistant", "I see.")
        ana.end()
        rc.run_jobs()
        facts = {one.content: one.id for one in ana.list(kinds=["fact"])}
        marked = {(one.from_id, one.to_id) for id in facts.values() for one in ana.links(id) if one.type == OUTDATED}
        assert marked == {(facts["I live in Lisbon."], facts["No, I moved to Porto last week."])}
