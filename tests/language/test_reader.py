"""The one interface to a human language: both readers answer all of it, and neither is loaded before it is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import ConfigError, Recollect
from recollect.language import READERS, open_reader
from recollect.language.lexicon import lexicons

TEXTS = json.loads((Path(__file__).parent.parent / "fixtures" / "languages.json").read_text("utf-8"))
CODES = ("de", "en", "es", "fr", "it", "nl", "pt")
GROUPS = ("words", "phrases", "about", "asks", "orders")


def test_every_language_has_all_words() -> None:
    """Each file holds the same groups and names, so that nothing is asked of a language that it cannot answer."""
    assert sorted(one.code for one in lexicons()) == sorted(CODES)
    english = next(one for one in lexicons() if one.code == "en")
    for one in lexicons():
        for group in GROUPS:
            lacking = set(english.data[group]) - set(one.data[group]) - {"ordinals", "of"}
            assert not lacking, (one.code, group, lacking)
        assert len(one.ranked("months")) >= 12
        assert max(one.ranked("months").values()) == 12
        assert max(one.ranked("weekdays").values()) == 7
        assert max(one.ranked("numbers").values()) == 20
        assert all(one.asks(name) for name in one.data["asks"])


@pytest.mark.parametrize("name", READERS)
def test_every_reader_answers_every_question(name: str) -> None:
    """Who knows no language says so by the safe answer, and takes whatever text there is."""
    reader, now = open_reader(name), datetime(2026, 5, 20, tzinfo=UTC)
    for text in ("", " ", "I live in Porto.", "remember that I live in Porto", "\ud800", "🎉" * 50, "x " * 5000):
        assert reader.glance(text) in ("answer", "command", "")
        assert isinstance(reader.marks(text, "user"), int)
        assert bool(reader.commands(text)) == (text.startswith("remember") and name == "words")
        assert isinstance(reader.sentences(text), list)
        assert reader.told(text).numbers == frozenset()
        assert reader.answer(text, "Porto") is None
        assert not reader.instructing(text)
        assert reader.voice(text) == ("first" if "Porto" in text and name == "words" else "")
        assert reader.also_called(text) == []
        assert reader.dates(text, now) == []
        assert reader.moments(text, now) == []
        assert not reader.form(text).how
    assert reader.answer("yes", "Porto") == ("yes" if name == "words" else None)


def test_a_reader_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The setting names the readers there are."""
    with pytest.raises(ConfigError, match="use one of words, none"):
        Recollect(tmp_path / "a.db", reader="klingon")


def test_no_words_are_loaded_before_they_are_asked(tmp_path: Path) -> None:
    """Opening a memory loads no words, a message only what glances at it, and none none at all."""
    program = f"""
import sys
from recollect import Recollect
loaded = lambda: {{name.split(".")[2] for name in sys.modules if name.startswith("recollect.language.")}}
with Recollect({str(tmp_path / "a.db")!r}, embedder="none") as memory:
    assert not loaded() & {{"lexicon", "commands", "times"}}, loaded()
    memory.space("ana").observe("user", "I moved to Lisbon.")
    assert "commands" in loaded() and not loaded() & {{"telling", "echo", "dating", "questions"}}, loaded()
assert "py3langid" not in sys.modules and "dateparser" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("code", TEXTS)
def test_the_language_of_a_talk(code: str) -> None:
    """Fifteen short messages tell their language, and so do all that have words enough, English from others always."""
    reader = open_reader("words")
    assert reader.language(TEXTS[code]) == code
    told = [reader.language([text]) for text in TEXTS[code]]
    assert {(one == "en") for one in told if one} == {code == "en"}
    assert reader.language([]) == reader.language(["ok"]) == open_reader("none").language(TEXTS[code]) == ""
