"""The echo guard: what came out of memory, prompts or tools is not learnt again; anything new in it is news."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.language import open_reader

READER = open_reader("words")
ROWS = json.loads((Path(__file__).parent.parent / "fixtures" / "echoes.json").read_text("utf-8"))


@pytest.mark.parametrize("part", ROWS)
def test_what_is_said_back_is_no_news(part: str) -> None:
    """Quoted, shouted, introduced, in a list or shortened, a known sentence is an echo; what is new is never one."""
    rows = ROWS[part]
    echo = READER.echo(rows["known"])
    for text in rows["known"]:
        for said in (text, f"> {text}", f"“{text.upper()}”", f"As you know: {text}", f"- {text}\n- {rows['known'][0]}"):
            assert echo.repeats(said), said
    assert [text for text in rows["genuine"] if echo.repeats(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Ana lives in Lisbon with three cats.",
        "Ana lives in Porto with two cats.",
        "Ana does not live in Lisbon with two cats.",
        "Ana lives in Lisbon with two cats and a dog.",
        "Lisbon lives in Ana with two cats.",
    ],
)
def test_any_other_word_is_news(text: str) -> None:
    """Another number, name, negation, something more, and another order are heard."""
    assert not READER.echo(["Ana lives in Lisbon with two cats."]).repeats(text)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Antworte immer auf Deutsch und kurz.", "antworte immer auf Deutsch"),
        ("Ana vive en Madrid con dos gatos.", "Como sabes, Ana vive en Madrid con dos gatos"),
        ("安娜住在里斯本。", "安娜住在里斯本"),
    ],
)
def test_in_any_language(known: str, said: str) -> None:
    """Nothing here knows a language but by its words."""
    assert READER.echo([known]).repeats(said)
