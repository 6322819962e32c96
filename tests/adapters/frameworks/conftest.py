"""What the walks share: a memory on each engine in turn, a scripted model, and the example of docs/adapters.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.testing.llm import ScriptedLlm
from tests.engines import ENGINES, fresh

PAGE = Path(__file__).parents[3] / "docs" / "adapters.md"


@pytest.fixture(params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of an empty database, on each engine in turn."""
    return fresh(request.param, tmp_path)


@pytest.fixture
def rc(database: str) -> Iterator[Recollect]:
    """Give a memory of this test's own."""
    with Recollect(database, embedder="none") as opened:
        yield opened


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedLlm]:
    """Give a scripted model over real HTTP, where programs of OpenAI's and Anthropic's SDKs look for theirs."""
    with ScriptedLlm(lambda asked: "You live in Lisbon." if "I live in Lisbon" in str(asked.body) else "?") as server:
        for name, value in (
            ("OPENAI_BASE_URL", server.url),
            ("OPENAI_API_BASE", server.url),
            ("OPENAI_API_KEY", "k"),
            ("ANTHROPIC_BASE_URL", server.host),
            ("ANTHROPIC_API_KEY", "k"),
        ):
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def shown(database: str, llm: ScriptedLlm, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Run the example under a heading of the page as it stands, after somebody said where she lives."""

    def run(heading: str) -> str:
        section = PAGE.read_text("utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
        code = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]
        assert code.count("Recollect()") == 1
        exec(compile(code.replace("Recollect()", f"Recollect({database!r})"), heading, "exec"), {"__name__": heading})
        return capsys.readouterr().out

    return run
