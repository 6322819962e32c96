"""What the page needed of the library: a change taken back, growth by day, and looks that count for nothing."""

from __future__ import annotations

import pytest

from recollect import Space
from recollect.errors import InvalidInput, NotFound
from recollect.testing import FixedClock


def test_a_correction_is_taken_back(ana: Space) -> None:
    """The old text stands again and the new one is gone; a second time nothing happens, and it is said why."""
    old = ana.remember("Ana's dog is called Max.")
    new = ana.correct(old.id, "Ana's dog is called Rex.")
    report = ana.take_back(new.rev)
    assert (report.status, report.changed) == ("ok", 2)
    assert [one.content for one in ana.list()] == ["Ana's dog is called Max."]
    with pytest.raises(NotFound):
        ana.get(new.id)
    again = ana.take_back(new.rev)
    assert (again.status, again.changed) == ("skipped", 0)
    assert "undone before" in again.skipped


def test_what_was_changed_since_stays(ana: Space) -> None:
    """A pin that was followed by a correction is not pulled from under it."""
    one = ana.remember("Ana lives in Porto.")
    pinned = ana.pin(one.id)
    ana.correct(one.id, "Ana lives in Faro.")
    report = ana.take_back(pinned.rev)
    assert (report.changed, bool(report.numbers["left"])) == (0, True)
    assert [each.content for each in ana.list()] == ["Ana lives in Faro."]


def test_an_answer_of_the_inbox_is_taken_back(ana: Space) -> None:
    """What was accepted waits again, and what it replaced stands."""
    ana.remember("Ana lives in Porto.", key="city")
    waiting = ana.remember("Ana lives in Faro.", key="city", source="agent")
    accepted = ana.inbox.accept(waiting.id)
    assert ana.inbox() == []
    ana.take_back(accepted.rev)
    assert [one.memory.id for one in ana.inbox()] == [waiting.id]
    assert [one.content for one in ana.list()] == ["Ana lives in Porto."]


def test_there_must_be_something_to_take_back(ana: Space) -> None:
    """A revision nobody made, and what was erased, are told and change nothing."""
    with pytest.raises(NotFound):
        ana.take_back(99)
    with pytest.raises(InvalidInput):
        ana.take_back(0)
    one = ana.remember("Ana likes tea.")
    gone = ana.erase(one.id)
    assert ana.take_back(gone.rev).changed == 0
    assert ana.list() == []


def test_growth_is_counted_by_day_and_kind(ana: Space, clock: FixedClock) -> None:
    """Each day has its own line for each kind, whatever became of it since; days without any have none."""
    first = clock().date().isoformat()
    ana.observe("user", "Hello.")
    tea = ana.remember("Ana likes tea.")
    clock.advance(days=2)
    ana.remember("Ana likes coffee.")
    ana.forget(tea.id)
    counted = [(one.day, one.kind, one.count) for one in ana.growth(30)]
    assert counted == [(first, "episode", 1), (first, "fact", 1), (clock().date().isoformat(), "fact", 1)]
    assert [one.kind for one in ana.growth(1)] == ["fact"]
    with pytest.raises(InvalidInput):
        ana.growth(0)


def test_a_preview_counts_nothing(ana: Space) -> None:
    """What is only looked at was not used, was not shown, and sections tell their tokens."""
    tea = ana.remember("Ana likes green tea.")
    assert ana.recall("green tea", preview=True)[0].memory.id == tea.id
    made = ana.context("green tea", preview=True)
    assert made.sections
    assert all(0 < part.tokens <= made.tokens for part in made.sections)
    assert (ana.get(tea.id).access_count, ana.messages.shown()) == (0, [])
    ana.context("green tea")
    assert [one.ids for one in ana.messages.shown()] == [(tea.id,)]
