"""The one interface to a human language: both readers answer all of it, and neither is loaded before it is asked."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect import ConfigError, Recollect
from recollect.language import READERS, open_reader
from recollect.language.english import ANSWERED_BY
from recollect.language.reader import Reader

TEXTS = json.loads((Path(__file__).parent.parent / "fixtures" / "languages.json").read_text("utf-8"))
QUESTIONS = sorted(name for name, member in inspect.getmembers(Reader, inspect.isfunction) if not name.startswith("_"))


def asked(function: Any) -> list[tuple[str, bool]]:
    """Give what a question is asked with: the names of its parameters, and whether each can be left out."""
    given = inspect.signature(function).parameters.values()
    return [(one.name, one.default is not one.empty) for one in given if one.name != "self"]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_reader_answers_every_question(question: str, name: str) -> None:
    """A reader takes what the interface says, in that order, and gives what it says; more it can do without."""
    answer, wanted = getattr(open_reader(name), question), getattr(Reader, question)
    takes, needs = asked(answer), asked(wanted)
    assert [one for one, _ in takes[: len(needs)]] == [one for one, _ in needs]
    assert all(optional for _, optional in takes[len(needs) :])
    if inspect.isroutine(answer) and question not in ("echo", "answer"):
        assert inspect.signature(answer).return_annotation == inspect.signature(wanted).return_annotation


def test_the_table_of_english_is_the_interface() -> None:
    """English answers the questions of the interface and no others."""
    assert sorted(ANSWERED_BY) == sorted((*QUESTIONS, "naming"))
    with pytest.raises(AttributeError):
        _ = open_reader("english").mood  # type: ignore[attr-defined]


def test_a_reader_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The setting names the readers there are."""
    with pytest.raises(ConfigError, match="use one of english, none"):
        Recollect(tmp_path / "a.db", reader="klingon")


def test_no_rules_are_loaded_before_they_are_asked(tmp_path: Path) -> None:
    """Opening a memory loads no rules of a language, a message only those that glance at it, and none no English."""
    program = f"""
import sys
from recollect import Recollect
loaded = lambda: {{name.split(".")[3] for name in sys.modules if name.startswith("recollect.language.english.")}}
with Recollect({str(tmp_path / "a.db")!r}, embedder="none") as memory:
    assert not loaded(), loaded()
    memory.space("ana").observe("user", "I moved to Lisbon.")
    assert "glance" in loaded() and not loaded() & {{"statements", "claim_check", "conflict", "times"}}, loaded()
assert "py3langid" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    none = program.replace('embedder="none"', 'embedder="none", reader="none"').replace('"glance" in loaded() and', "")
    done = subprocess.run(
        [sys.executable, "-c", none.replace("a.db", "b.db")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("code", TEXTS)
def test_the_language_of_a_talk(code: str) -> None:
    """Fifteen short messages tell their language, and so do all that have words enough, English from others always."""
    reader = open_reader("english")
    assert reader.language(TEXTS[code]) == code
    told = [reader.language([text]) for text in TEXTS[code]]
    assert {(one == "en") for one in told if one} == {code == "en"}
    assert reader.language([]) == reader.language(["ok"]) == open_reader("none").language(TEXTS[code]) == ""
