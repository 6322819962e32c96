"""The reference pages: made from the code, and up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from recollect.serve.cli.contents import CONTENTS
from recollect.serve.cli.exits import EXIT_CODES
from recollect.serve.knobs import docstrings
from recollect.serve.reference import main, pages

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize("name", ["cli.md", "configuration.md", "kinds.md", "tools.md"])
def test_the_pages_are_up_to_date(name: str) -> None:
    """A page in docs/ is what the code makes now; `make docs` writes it anew."""
    assert (DOCS / name).read_text("utf-8") == pages()[name]


def test_the_check_fails_on_a_stale_page(tmp_path: Path) -> None:
    """`--check` exits with 1 for a missing or changed page and writes nothing."""
    for_people = typer.Typer()
    for_people.command()(main)

    def call(*options: str) -> Result:
        return CliRunner().invoke(for_people, [str(tmp_path), *options])

    assert call("--check").exit_code == 1
    assert list(tmp_path.iterdir()) == []
    assert call().stdout == "written: cli.md, configuration.md, kinds.md, tools.md\n"
    assert call("--check").stdout == "up to date\n"
    page = tmp_path / "kinds.md"
    page.write_text(page.read_text("utf-8") + "more\n", "utf-8")
    stale = call("--check")
    assert (stale.exit_code, stale.stderr) == (1, "out of date: kinds.md; run `make docs`\n")


def test_it_runs_as_a_module() -> None:
    """`python -m recollect.serve.reference docs --check` is what the project's checks call."""
    program = [sys.executable, "-m", "recollect.serve.reference", str(DOCS), "--check"]
    assert subprocess.run(program, capture_output=True, check=False).returncode == 0


def test_every_command_and_code_is_described() -> None:
    """No command and no exit code is left out of the page."""
    page = pages()["cli.md"]
    assert all(f"### {one.name}\n" in page for one in CONTENTS)
    assert all(f"| {code} | {text} |" in page for code, text in EXIT_CODES.items())
    assert max(len(line) for line in page.split("## Commands")[1].splitlines()) <= 100


def test_settings_are_described_by_their_own_words() -> None:
    """The text below an attribute becomes its description; nested settings have their path and variable."""
    page = pages()["configuration.md"]
    assert '| `user` | `str` | `"me"` | `RECOLLECT_USER` | Whose memory the command line speaks to when' in page
    assert '| `terms.language` | `str` | `"english"` | `RECOLLECT_TERMS__LANGUAGE` |' in page


class _Example:
    one: int = 1
    """First
    of all."""
    two: int = 2
    three: str = "3"
    """Third."""


def test_texts_below_attributes_are_found() -> None:
    """Only what stands right below an attribute belongs to it."""
    assert docstrings(_Example) == {"one": "First of all.", "three": "Third."}
