"""The plugin for pytest, used as another project would, and its assertions, which fail when they should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.testing import FixedClock, assert_forgets, assert_no_leak, assert_remembers

THEIRS = """
from recollect import wrap
from recollect.testing import assert_forgets, assert_no_leak, assert_remembers


def test_a_program_that_remembers(recollect_memory, recollect_space, recollect_clock, scripted_llm):
    born = recollect_clock()
    saved = recollect_space.remember("Ana lives in Lisbon.")
    assert_remembers(recollect_space, "where does Ana live?", "lisbon")
    assert_no_leak(recollect_memory.space("bob"), ["Lisbon"])
    recollect_space.forget(saved.id)
    assert_forgets(recollect_space, "where does Ana live?", "Lisbon")
    recollect_clock.advance(days=1)
    assert (recollect_clock() - born).days == 1
    scripted_llm.say("Hello.")
    assert scripted_llm.url.startswith("http://127.0.0.1")
"""


def test_in_another_project(tmp_path: Path) -> None:
    """The fixtures are there without an import, and the assertions pass where all is well."""
    (tmp_path / "test_theirs.py").write_text(THEIRS)
    plugin = [] if _installed() else ["-p", "recollect.testing.plugin"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def _installed() -> bool:
    """Tell whether this environment was installed since the plugin is declared."""
    code = "import importlib.metadata as m; print(any(e.name == 'recollect' for e in m.entry_points(group='pytest11')))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "True"


def test_the_assertions_fail_where_they_should(tmp_path: Path) -> None:
    """What is not known is not remembered, what stands is not forgotten, and what can be had is a leak."""
    with Recollect(f"sqlite:///{tmp_path}/memory.db", clock=FixedClock()) as rc:
        ana = rc.space("ana", session="s1")
        ana.remember("Ana lives in Lisbon.")
        ana.observe("user", "The harbour opens in May.")
        with pytest.raises(AssertionError, match="nothing that holds 'Porto'"):
            assert_remembers(ana, "where does Ana live?", "Porto")
        with pytest.raises(AssertionError, match="still found"):
            assert_forgets(ana, "where does Ana live?", "Lisbon")
        with pytest.raises(AssertionError, match="is told by"):
            assert_no_leak(ana, ["harbour opens"])
        with pytest.raises(AssertionError, match="name at least one"):
            assert_no_leak(ana, [])
        assert_no_leak(rc.space("bob"), ["Lisbon", "harbour"], questions=["where?"])
