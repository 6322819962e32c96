"""The README and the docs: what they show is run, where they point to exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.testing.llm import ScriptedLlm

ROOT = Path(__file__).parent.parent.parent
PATH = re.compile(r"`((?:recollect|tests|bench|store|flows|rules|jobs|text|model)/[\w/]+(?:\.\w+)?)`")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_ten_lines_of_the_readme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The code of the README runs as it stands and prints what its comments say."""
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)[0]
    assert "Recollect()" in code
    exec(code.replace("Recollect()", f"Recollect('sqlite:///{tmp_path}/memory.db')"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["Ana lives in Porto.", "I moved to Lisbon in May."]
    assert "Ana lives in Porto." in "\n".join(printed[2:])
    assert "Ana lives in Lisbon." not in "\n".join(printed)


def test_the_two_lines_of_the_readme(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second example runs as it stands: what was said in one session is in the request of the next."""
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)[1]
    assert "recollect.wrap(OpenAI(), " in code
    database = f"sqlite:///{tmp_path}/memory.db"
    with Recollect(database) as rc:
        rc.space("ana", session="s1").observe("user", "I moved to Lisbon in May.")
    with ScriptedLlm(lambda asked: "To Lisbon." if "I moved to Lisbon" in asked.system else "?") as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        exec(code.replace("Recollect()", f"Recollect('{database}')") + "\nclient.close()", {})
    assert capsys.readouterr().out == "To Lisbon.\n"
    with Recollect(database) as rc:
        assert len(rc.space("ana", session="s2").messages()) == 2


def test_the_sample_of_a_scripted_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of docs/models.md prints what its comments say."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "models.md").read_text("utf-8"), re.DOTALL)[0]
    said = re.findall(r"print\(ana\.end\(\)\.text\)  # (.*) …", code)
    exec(code, {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(said[0])
    assert "Ana has a cat called Miau." in printed[1]
    assert printed[2].startswith("1 ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_are_there(page: Path) -> None:
    """Every file of the project that a page names is there, by its path from the top or inside the package."""
    named = set(
        re.findall(
            r"`((?:recollect|tests|bench|store|flows|rules|jobs|text|model)/[\w/]+(?:\.\w+)?)`", page.read_text("utf-8")
        )
    )
    places = [root / name for name in named for root in (ROOT, ROOT / "recollect")]
    there = {place for place in places if place.exists() or place.with_suffix(".py").exists()}
    assert [name for name in sorted(named) if not {ROOT / name, ROOT / "recollect" / name} & there] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page leads to a file."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_commands_of_the_readme_are_one_story() -> None:
    """No command of the README names a user: what one of them stores the next one finds."""
    text = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("recollect ")]
    assert len(commands) >= 4
    assert not [line for line in commands if "--user" in line]
