"""The command line says which memories cannot be found by meaning yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recollect.serve.cli import whole

WAITS = "1 memory waits for its vector and is found by words only until then: recollect jobs run embed\n"


def test_memories_that_wait_for_their_vectors_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """recall and context say on stderr how many wait and what to do, JSON stays pure, and the advice helps."""
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "recollect-1")
    app = whole()

    def run(*args: str) -> Result:
        return CliRunner().invoke(app, [*args, "--db", str(tmp_path / "m.db")], catch_exceptions=False)

    run("remember", "Ana owns a red bicycle.")
    assert run("recall", "bicycle").stderr == ""
    run("observe", "user", "I sold the boat.", "--session", "s")
    assert run("recall", "bicycle").stderr == WAITS
    asked = run("recall", "bicycle", "--json")
    assert asked.stderr == WAITS
    assert json.loads(asked.stdout)[0]["memory"]["content"] == "Ana owns a red bicycle."
    assert WAITS in run("context", "bicycle").stderr
    run("jobs", "run", "embed")
    assert run("recall", "bicycle").stderr == ""
