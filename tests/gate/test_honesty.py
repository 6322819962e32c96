"""The honesty drill on a small part of itself: what it promises holds, and a promise that does not is called broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import changes, honesty
from bench.proposals import BADLY, Talk, inventions, junk, talks
from bench.scripted import Figures

pytestmark = pytest.mark.usefixtures("forgetful")


def pay_no_heed(done: int) -> None:
    """Show no progress."""


def broken(found: dict[str, Figures]) -> dict[str, list[str]]:
    """Give the promises broken by what was measured, leaving out what was not."""
    wrong = honesty.broken(found).items()
    return {asked: [one for one in some if "nobody measured" not in one] for asked, some in wrong}


@pytest.mark.parametrize(("asking", "parts"), [(False, ("held",)), (True, ("tuned", "held"))])
def test_junk(tmp_path: Path, asking: bool, parts: tuple[str, ...]) -> None:
    """What came out of memory, prompts, boot files and tools is not stored when it is said back, and news is."""
    found = junk(tmp_path, asking, pay_no_heed, parts)
    assert found["turns that repeat"] >= 100 * len(parts)
    assert (found["proposed by the model"] > found["turns that repeat"]) is asking
    assert (found["stored as new"], found["kept apart"], found["misses"]) == (0, 0, [])
    assert found["genuine learnt"] == 1
    assert not any(broken({"junk": found}).values())


def test_inventions(tmp_path: Path) -> None:
    """Nothing without a basis is stored, true facts are, and nothing badly written is unless trimming mends it."""
    found = inventions(tmp_path, pay_no_heed, talks()[::7])
    assert set(BADLY) < set(found)
    assert (found["baseless stored"], found["ill"]) == (0, [])
    assert found["distorted stored"] <= 0.05
    assert found["true stored"] >= 0.85
    assert found["with a long remark"].partition(" ")[0] != "0"
    assert {found[sort].partition(",")[0] for sort in BADLY if sort != "with a long remark"} == {"0 stored"}
    written = honesty.writing({"inventions": found})
    assert written["writing, rules"]["well at first"] >= 0.95
    assert written["writing, model"]["well at first"] < written["writing, model"]["well when mended"] < 1
    assert not any(broken({"inventions": found} | written).values())


@pytest.mark.parametrize("way", ["remembered", "said in talks, judge"])
def test_changes(tmp_path: Path, way: str) -> None:
    """What changed gives way to the new value, which is recalled first; what only looks like it stands."""
    url = f"sqlite:///{tmp_path}/memory.db"
    found = changes.figures(url, way, pay_no_heed, changes.rows("changed")[::12], changes.rows("apart")[::12])
    assert (found["precision"], found["recall"], found["new before old"]) == (1, 1, 1), found["misses"]
    assert not any(broken({"changes": found}).values())


def test_what_is_stored_wrongly_breaks_the_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The drill counts what is really stored: a true claim passed off as baseless breaks it, and ends with exit 1."""
    said = "I have two cats and a rabbit."
    some = [Talk(said, said, ((sort, "Ana has two cats and a rabbit."),)) for sort in ("baseless", "distorted", "true")]
    found = {"inventions": inventions(tmp_path, pay_no_heed, some)}
    assert broken(found) == {
        "4": ["inventions: baseless stored is 100.0%", "inventions: distorted stored is 100.0%"],
        "5": [],
    }
    monkeypatch.setattr(honesty, "figures", lambda folder, step: found)
    assert honesty.main(["--json"]) == 1
    assert json.loads(capsys.readouterr().out)["broken"]["4"]
    assert honesty.main(["--misses"]) == 1
    assert "inventions: baseless stored is 100.0%" in capsys.readouterr().out


def test_a_change_nobody_notices_breaks_the_promise(tmp_path: Path) -> None:
    """A look-alike passed off as a change is not found first, and the drill says so."""
    pair = {"old": "Ana likes tea.", "new": "The library is red."}
    found = changes.figures(f"sqlite:///{tmp_path}/memory.db", "remembered", pay_no_heed, [pair], [])
    assert found["recall"] == found["new before old"] == 0
    assert broken({"changes": found})["4"] == [
        f"changes: {figure} is 0.0%" for figure in ("precision", "recall", "new before old", "new first of all")
    ]


def test_what_nobody_measures_is_no_promise_kept() -> None:
    """Without a figure a promise counts as broken."""
    assert all(honesty.broken({}).values())
