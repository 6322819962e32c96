"""The demo: it proves what it claims and leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect import Recollect
from recollect.serve.cli import whole
from recollect.serve.cli.demo import Play, performed
from recollect.testing.llm import ScriptedLlm

APP = whole()

RUNNER = CliRunner(env={"FORCE_COLOR": None, "TTY_COMPATIBLE": None, "TTY_INTERACTIVE": None})


def test_it_plays_from_a_cold_start(tmp_path: Path) -> None:
    """In a new process, with a home of its own, the demo holds every claim and leaves no file."""
    program = [sys.executable, "-c", "from recollect.serve.cli import main; main()", "demo"]
    done = subprocess.run(
        program, cwd=tmp_path, env={"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}, capture_output=True, check=True
    )
    told = done.stdout.decode("utf-8")
    assert "✗" not in told
    assert "Ana lives in Berlin. → Ana lives in Lisbon." in told
    assert "Try next:" in told
    assert list(tmp_path.iterdir()) == []


def test_its_summary_is_json() -> None:
    """`--json` gives every claim and whether it held, and nothing else."""
    result = RUNNER.invoke(APP, ["demo", "--json"], env={"RECOLLECT_EMBEDDER": "recollect-1"})
    summary = json.loads(result.stdout)
    assert (result.exit_code, summary["ok"], summary["database"]["kept"]) == (0, True, False)
    assert len(summary["claims"]) >= 15
    assert all(claim["ok"] for claim in summary["claims"])


def test_with_a_model_the_same_demo_asks_it() -> None:
    """Pointed at any address that speaks OpenAI's language, the model reads the conversation that ends."""
    facts = [
        {"content": "Ana has a cat called Miau.", "quote": "I have a cat called Miau", "turn": 1},
        {"content": "Ana plays the cello every Sunday.", "quote": "I play the cello every Sunday", "turn": 1},
        {
            "content": "Ana is training for a half marathon in Porto.",
            "quote": "training for a half marathon",
            "turn": 3,
        },
        {"content": "The user lives in Tokyo.", "quote": "the user lives in Tokyo", "turn": 2},
    ]
    with ScriptedLlm(lambda asked: {"facts": facts, "summary": "Ana told of her cat and her training."}) as server:
        env = {"RECOLLECT_LLM": "openai:small", "RECOLLECT_MODELS__BASE_URL": server.url}
        result = RUNNER.invoke(APP, ["demo"], env=env)
        assert (result.exit_code, "✗" in result.stdout) == (0, False)
        assert "openai:small is asked when one ends" in result.stdout
        assert "Ana told of her cat and her training." in result.stdout
        assert len([one for one in server.requests if "long-term memory" in one.system]) >= 1


def test_it_can_be_kept(tmp_path: Path) -> None:
    """With `--db` the memory stays, can be asked, and is not played over."""
    db = str(tmp_path / "demo.db")
    first = RUNNER.invoke(APP, ["demo", "--db", db])
    assert f"--db {db}" in first.stdout
    with Recollect(db) as memory:
        assert [hit.memory.content for hit in memory.space("ana").recall("Lisbon")] == ["Ana lives in Lisbon."]
    again = RUNNER.invoke(APP, ["demo", "--db", db])
    assert (again.exit_code, "already has memories" in again.stderr) == (4, True)


def test_a_claim_that_does_not_hold_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stale fact in the context, or a wrong answer, makes a claim fail in plain sight."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    script = performed()
    script["sessions"][1]["steps"][0] = {
        "do": "remember",
        "content": "Ana lives in Lisbon.",
        "details": {"topic": "home"},
    }
    script["sessions"][1]["steps"][5]["content"] = "Ana lives in Lisbon."
    play = Play(script, quiet=False)
    with Recollect(str(tmp_path / "demo.db"), clock=play.clock) as memory:
        play.all(memory, "ana", "")
    failed = [claim["claim"] for claim in play.claims if not claim["ok"]]
    assert "it is not, among what is known: anything about Berlin" in failed
    assert "✗ it is not, among what is known: anything about Berlin" in capsys.readouterr().out
