"""Reading closely: sentences of sections held against a question, piece by piece."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from recollect import Recollect
from recollect.rules.find.reading import MOST, STRETCHES, lifts, nearness, stretches
from tests.engines import fresh

LONG = (
    "The boiler is cleaned in spring. The filter is changed in autumn. Nobody may open the left valve. "
    "When the lamp blinks red, hold the button for thirty seconds. The manual lies on the shelf. "
    "The plumber comes on Tuesdays. Oil is delivered twice a year. The cellar is locked at night."
)


@given(st.lists(st.text(max_size=40), max_size=40))
@example(["0"] * 10)
def test_a_text_is_cut_into_few_stretches(parts: list[str]) -> None:
    """However long it is, and whatever it holds; words are never lost, but for titles."""
    text = "\n".join(parts)
    found = stretches(text)
    assert 1 <= len(found) <= STRETCHES + 1
    if "#" not in text:
        kept = "".join("".join(found).split())
        assert all(char in kept for char in text if char.isalnum())


def test_sentences_and_lines_are_stretches_and_titles_are_none() -> None:
    """A title belongs to the place of a text, not to what it says."""
    assert stretches("# Title\n\nOne. Two!\n- three\n\n| a | b |\n|---|---|\n") == [
        "One.",
        "Two!",
        "- three",
        "| a | b |",
    ]
    assert stretches("# Only a title") == ["# Only a title"]


def test_the_best_stretch_counts() -> None:
    """A text is as near as its nearest stretch; what is the same for all lifts none."""
    asked = np.eye(3)[[0, 0, 1]]
    far, near = np.eye(3)[[2, 2]], np.eye(3)[[0, 0, 1]]
    assert nearness(asked, [far, near]) == (1.0, 1.0)
    assert nearness(asked, [far]) == (0.0, 0.0)
    assert nearness(asked, [far[:1]]) == (0.0, 0.0)
    assert lifts([(0.5, 0.5), (0.5, 0.5)]) == [0.0, 0.0]
    up, down = lifts([(1.0, 1.0), (0.0, 0.0)])
    assert up > 0 > down


def test_an_answer_deep_in_a_long_section_is_found(tmp_path: Path) -> None:
    """The section whose one sentence answers comes first, and the search says that it was read closely."""
    notes = {
        "boiler.md": f"# Boiler\n\n## Care\n\n{LONG}\n\n## Lamps\n\nBought in June, four of them, for the hall.\n",
        "car.md": "# Car\n\n## Lights\n\nA red lamp in front of the wheel.\n\n## Button\n\nIt opens the boot.\n",
    }
    for name, text in notes.items():
        (tmp_path / name).write_text(text)
    with Recollect(fresh("sqlite", tmp_path), embedder="recollect-1") as rc:
        ana = rc.space("ana")
        ana.workspace.adopt(tmp_path)
        rc.run_jobs(["embed"])
        best = ana.workspace.search("what to do if the heating shows a red light")[0]
        assert (best.file, best.heading) == ("boiler.md", "Boiler > Care")
        hits = ana.recall("what to do if the heating shows a red light", kinds="document", limit=2)
        assert len(hits) == 2 < MOST
        assert "reading" in hits[0].why
        assert abs(sum(one.boost for one in hits[0].why.values()) - hits[0].score) < 1e-6
        assert "reading" not in ana.recall("red light")[0].why


def test_who_asks_in_another_language_is_not_led_by_its_common_words(tmp_path: Path) -> None:
    """Common words of the question's language find nothing, though texts in it hold them."""
    (tmp_path / "de.md").write_text("# Zug\n\nWie der Zug mit dem Rad im Regen an der See hält.\n")
    (tmp_path / "en.md").write_text("# Lisbon\n\nThe Lisbon key is in a box.\n")
    with Recollect(fresh("sqlite", tmp_path)) as rc:
        ana = rc.space("ana")
        ana.workspace.adopt(tmp_path)
        assert ana.workspace.search("Wo ist der Schlüssel mit dem Anhänger für Lisbon?")[0].file == "en.md"
