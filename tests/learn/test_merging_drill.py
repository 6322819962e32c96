"""The merging drill: it reads a week somebody wrote, and tells what became one, what was touched and what was lost."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from bench.deep.merging import Week, drill, read

PLACES = ("harbour", "orchard", "library", "quarry", "chapel", "meadow", "cellar")


def line(id: str, day: int, said: str, fact: str, sort: str = "new", of: str = "") -> dict[str, Any]:
    """Give one line of the file."""
    return {"id": id, "day": day, "said": said, "fact": fact, "is": sort, "of": of}


def week() -> list[dict[str, Any]]:
    """Give a short week: some things once, one again in other words, one that looks like it, and one that changes."""
    lines = []
    for day, place in enumerate(PLACES, 1):
        lines += [
            line(f"a{day}", day, f"I walked to the old {place} with my dog.", f"Mirela walks to the old {place}."),
            line(f"b{day}", day, f"The {place} keeper gave me a key.", f"The {place} keeper gave Mirela a key."),
        ]
        if day == 1:
            lines.append(line("bees", 1, "I keep two hives of bees.", "Mirela keeps two hives of bees."))
            lines.append(line("job", 1, "I work as a baker in Porto.", "Mirela works as a baker in Porto."))
        if day == 2:
            lines.append(
                line("again", 2, "Two hives of bees are mine.", "Mirela has two hives of bees.", "repeat", "bees")
            )
            lines.append(
                line("dan", 2, "Dan keeps two hives of bees.", "Dan keeps two hives of bees.", "alike", "bees")
            )
        if day == 3:
            lines.append(
                line(
                    "new job", 3, "I work as a tailor in Porto.", "Mirela works as a tailor in Porto.", "change", "job"
                )
            )
    return lines


def written(folder: Path, lines: list[dict[str, Any]]) -> Path:
    """Write a file of lines."""
    file = folder / "week.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return file


def test_a_week_and_its_nights(tmp_path: Path) -> None:
    """What says the same is one after the nights and leads to both quotes; the look-alike stands; undo restores."""
    given = argparse.Namespace(file=str(written(tmp_path, week())), model="right", later=1, embedder="none")
    found = drill(given, tmp_path)
    assert found["problems"] == []
    assert (found["repeats"], found["merged"], found["touched"]) == (1, 1, [])
    assert (found["changes"], found["replaced"]) == (1, 1)
    assert found["facts kept"] == found["facts"] == 18
    assert len(found["nights"]) == 8


@pytest.mark.parametrize(
    "wrong",
    [{"of": "nobody", "is": "repeat"}, {"is": "same"}, {"day": 9}, {"id": "a1"}, {"of": "a1"}, {"colour": "red"}],
)
def test_a_line_that_cannot_be_used_is_told(tmp_path: Path, wrong: dict[str, Any]) -> None:
    """Its number is named, and nothing is begun."""
    lines = [line("a1", 1, "I keep bees.", "Mirela keeps bees."), {**line("a2", 1, "x", "y"), **wrong}]
    with pytest.raises(SystemExit, match="line 2"):
        read(written(tmp_path, lines))


def test_what_follows_from_the_file(tmp_path: Path) -> None:
    """Repeats of one thing are one group, and a change makes the whole group untrue."""
    found = Week(read(written(tmp_path, week())))
    assert found.speaker == "Mirela"
    assert found.verdict("Mirela keeps two hives of bees.", "Mirela has two hives of bees.") == "same"
    assert found.verdict("Mirela keeps two hives of bees.", "Dan keeps two hives of bees.") == "both_true"
    assert found.verdict("Mirela works as a baker in Porto.", "Mirela works as a tailor in Porto.") == "newer_replaces"
    assert found.verdict("Mirela keeps two hives of bees.", "Something else.") == "both_true"
