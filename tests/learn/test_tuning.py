"""Tuning prompts: better words are sought on some of the user's examples and taken only if they win on the others."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import ConfigError, InvalidInput, Recollect, Unavailable
from recollect.flows.learn.tuning import examples_of
from recollect.prompts import load, parse
from recollect.rules.learn.tuning import is_held_out, score, wins
from recollect.serve.cli import whole
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.patience import PATIENCE

RULE = "What is only planned is both_true."
OVERFITTED = "Nothing about boats is the same."


def pair(number: int) -> str:
    """Give two statements of which the newer is a plan; of every third the older is one as well."""
    return f"[1] OLD: Ana keeps boat {number}.\n    NEW: Ana plans to keep boat {number}."


def labelled(number: int) -> dict[str, Any]:
    """Give an example with the right answer."""
    return {"data": {"pairs": pair(number)}, "answer": {"verdicts": [{"pair": 1, "verdict": "both_true"}]}}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Give a file of thirty labelled examples."""
    file = tmp_path / "judged.jsonl"
    file.write_text("".join(json.dumps(labelled(number)) + "\n" for number in range(30)))
    return file


def held_out(user: str) -> bool:
    """Say whether a question that came in is about an example that is held out."""
    text = re.sub(r"</?data[^>]*>", "", user).strip("\n")
    return is_held_out({"pairs": text}, 0.4)


def scripted(better: str) -> Callable[[Asked], Saying]:
    """Give a model that words instructions in this way, and judges by the rules it knows the meaning of."""

    def answer(asked: Asked) -> Saying:
        if "improve the instructions" in asked.system:
            return {"instructions": f"{load('judge').wording}\n{better}", "why": "plans were taken for facts"}
        right = RULE in asked.system or (OVERFITTED in asked.system and not held_out(asked.user))
        return {"verdicts": [{"pair": 1, "verdict": "both_true" if right else "same"}]}

    return answer


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Recollect]]:
    """Give what opens a memory whose model is a script, reached over HTTP."""
    made: list[Any] = []

    def open_it(script: Callable[[Asked], Saying], **more: Any) -> Recollect:
        model = ScriptedLlm(script)
        model.__enter__()
        chosen = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0, **more.pop("models", {})}
        rc = Recollect(tmp_path / "m.db", llm="openai:any", models=chosen, embedder="none", **more)
        made.extend((rc, model))
        rc.model = model  # type: ignore[attr-defined]
        return rc

    yield open_it
    for one in made:
        one.__exit__(None, None, None)


def test_004_26_a_better_prompt_is_found_and_taken(
    opened: Callable[..., Recollect], examples: Path, tmp_path: Path
) -> None:
    """GEPA seeks on the examples it is given, the winner is written with a version of its own, and is used then."""
    rc = opened(scripted(RULE), tuning={"calls": 60})
    found = rc.prompts.tune("judge", examples, into=tmp_path / "mine")
    assert (found.won, found.taken, found.before, found.after) == (True, True, 0.0, 1.0)
    assert found.examples == 30
    assert 4 <= found.held_out <= 26
    written = parse((tmp_path / "mine" / "judge.md").read_text())
    assert written.guard == load("judge").guard
    assert RULE in written.wording
    assert written.version == found.version
    assert re.fullmatch(r"2-[0-9a-f]{8}", found.version)
    assert (tmp_path / "mine" / "judge@2.md").read_text() == load("judge").text()
    assert load("judge") == parse(load("judge").text())
    # What it is given to learn from is never what it is judged on.
    model: ScriptedLlm = rc.model  # type: ignore[attr-defined]
    shown = [asked.user for asked in model.requests if "improve the instructions" in asked.system]
    numbers = {int(one) for user in shown for one in re.findall(r"Ana keeps boat (\d+)", user)}
    assert numbers
    assert not any(is_held_out({"pairs": pair(number)}, 0.4) for number in numbers)
    # Every question is on somebody's bill.
    assert found.usage.calls == len(model.requests)
    assert sum(line.usage.calls for line in rc.space("me").cost()) == len(model.requests)
    assert {line.job for line in rc.space("me").cost()} == {"tune"}


def test_004_26_the_prompt_taken_is_the_prompt_asked(
    opened: Callable[..., Recollect], examples: Path, tmp_path: Path
) -> None:
    """With `models.prompts` set, jobs ask in the new words, and the journal says so."""
    opened(scripted(RULE)).prompts.tune("judge", examples, into=tmp_path / "mine", candidate=_candidate(tmp_path))
    rc = opened(scripted(""), models={"prompts": str(tmp_path / "mine")})
    assert {one.name: one.version for one in rc.prompts()}["judge"].startswith("2-")
    ana = rc.space("ana")
    ana.remember("Ana and her sister bake bread for the kitchen downtown.", importance=7)
    ana.remember("Ana and her sister bake bread for the downtown kitchen, together.", importance=7)
    rc.run_jobs(["judge"])
    model: ScriptedLlm = rc.model  # type: ignore[attr-defined]
    assert RULE in model.requests[-1].system
    assert model.requests[-1].system.startswith(load("judge").guard)


def _candidate(tmp_path: Path) -> Path:
    file = tmp_path / "words.txt"
    file.write_text(f"{load('judge').wording}\n{RULE}")
    return file


def test_004_26_what_wins_only_where_it_was_sought_is_not_taken(
    opened: Callable[..., Recollect], examples: Path, tmp_path: Path
) -> None:
    """A wording that knows its examples by heart loses on those held out: nothing is written."""
    rc = opened(scripted(OVERFITTED), tuning={"calls": 60})
    found = rc.prompts.tune("judge", examples, into=tmp_path / "mine")
    assert (found.won, found.taken, found.path) == (False, False, "")
    assert OVERFITTED in found.wording
    assert not (tmp_path / "mine").exists()


def test_a_wording_of_ones_own_needs_no_gepa(
    opened: Callable[..., Recollect], examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A candidate is tried on what is held out alone; seeking one says what to install."""
    monkeypatch.setitem(sys.modules, "gepa.api", None)
    monkeypatch.delitem(sys.modules, "recollect.providers.optimizers.gepa", raising=False)
    from recollect.flows.learn import tuning
    from recollect.text.later import Later

    monkeypatch.setattr(tuning, "gepa", Later("recollect.providers.optimizers.gepa"))
    rc = opened(scripted(RULE))
    with pytest.raises(ConfigError, match=r"GEPA.*\[tune\].*--candidate"):
        rc.prompts.tune("judge", examples, into=tmp_path / "mine")
    dry = rc.prompts.tune("judge", examples, candidate=_candidate(tmp_path), dry=True)
    assert (dry.won, dry.taken) == (True, False)
    assert rc.prompts.tune("judge", examples, candidate=_candidate(tmp_path), into=tmp_path / "mine").taken
    whole = rc.prompts.tune("judge", examples, candidate=tmp_path / "mine" / "judge.md", dry=True)
    assert whole.version == dry.version


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("no json", "line 31"),
        ('{"data": {"pairs": "x"}}', "--sample"),
        ('{"data": {"memories": "x"}, "answer": {"verdicts": []}}', "texts for pairs"),
        ('{"data": {"pairs": 7}, "answer": {"verdicts": []}}', "texts for pairs"),
        ('{"data": {"pairs": "x"}, "answer": {"verdict": []}}', "look at verdict in line 31"),
        ('{"data": {"pairs": "x"}, "answer": {"verdicts": [{"pair": 1, "colour": "red"}]}}', "look at colour"),
        ('{"data": {"pairs": "x"}, "answer": {}}', "empty"),
        ('{"data": {"pairs": "x"}, "answer": {"verdicts": "same"}}', "list"),
    ],
)
def test_a_wrong_example_is_told_by_its_line(examples: Path, line: str, told: str) -> None:
    """Nothing is asked when a line cannot be used."""
    examples.write_text(examples.read_text() + line + "\n")
    with pytest.raises(InvalidInput, match=told):
        examples_of(examples, load("judge"))


def test_what_cannot_be_begun_is_said(opened: Callable[..., Recollect], examples: Path, tmp_path: Path) -> None:
    """No folder, too few examples, no such prompt, no model, a model that is away, a spent budget, an unfit wording."""
    rc = opened(scripted(RULE))
    with pytest.raises(ConfigError, match=r"models\.prompts"):
        rc.prompts.tune("judge", examples)
    with pytest.raises(InvalidInput, match="there is no prompt"):
        rc.prompts.tune("nothing", examples, dry=True)
    with pytest.raises(InvalidInput, match="words the others"):
        rc.prompts.tune("reword", examples, dry=True)
    few = tmp_path / "few.jsonl"
    few.write_text(json.dumps(labelled(1)) * 1 + "\n" + json.dumps(labelled(1)))
    with pytest.raises(InvalidInput, match=r"too few: \d of 1 "):
        rc.prompts.tune("judge", few, dry=True)
    with pytest.raises(InvalidInput, match="cannot be read"):
        rc.prompts.tune("judge", tmp_path / "nowhere", dry=True)
    long = tmp_path / "long.txt"
    long.write_text("Judge well. " * 5000)
    with pytest.raises(InvalidInput, match=r"tuning\.longer"):
        rc.prompts.tune("judge", examples, candidate=long, dry=True)
    with pytest.raises(Unavailable, match="no answer could be had"):
        opened(lambda asked: 500).prompts.tune("judge", examples, dry=True)
    with pytest.raises(ConfigError, match="tuning stopped, and nothing was taken"):
        opened(scripted(RULE), budget={"tokens_per_day": 3000}).prompts.tune("judge", examples, dry=True)
    with (
        Recollect(tmp_path / "none.db", embedder="none") as bare,
        pytest.raises(ConfigError, match="no model is set"),
    ):
        bare.prompts.tune("judge", examples, dry=True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (load("judge").text().replace(load("judge").guard, "Obey."), "first paragraph"),
        (load("judge").text().replace("data: pairs", "data: memories"), "data"),
        (load("judge").text().replace("schema: Judged", "schema: Thought"), "schema"),
        ("nothing", "head"),
    ],
)
def test_a_prompt_of_ones_own_must_guard_and_ask_for_the_same(tmp_path: Path, text: str, told: str) -> None:
    """A file that asks for something else, or drops the guard around quoted text, is refused when it is opened."""
    (tmp_path / "judge.md").write_text(text)
    with pytest.raises(ConfigError, match=told):
        Recollect(tmp_path / "m.db", models={"prompts": str(tmp_path)})
    with pytest.raises(ConfigError, match="no folder"):
        Recollect(tmp_path / "m.db", models={"prompts": str(tmp_path / "nowhere")})


@pytest.mark.parametrize(
    ("right", "given", "expected"),
    [
        ({"verdicts": []}, {"verdicts": []}, 1.0),
        ({"verdicts": [{"pair": 1, "verdict": "same"}]}, {"verdicts": [{"pair": 1, "verdict": "both_true"}]}, 0.0),
        ({"ranked": [1, 2]}, {"ranked": [2, 1]}, 1.0),
        ({"ranked": [1, 2]}, {"ranked": [1]}, 2 / 3),
        ({"correct": True}, {"correct": True, "why": "x"}, 1.0),
        ({"correct": True}, None, 0.0),
        ({"facts": [{"content": "Ana has a cat."}]}, {"facts": [{"content": "Ana has one cat."}]}, 0.75),
        (
            {"facts": [{"content": "Ana has a cat.", "kind": "fact"}]},
            {"facts": [{"content": "Ana has a cat.", "kind": "event"}]},
            0.0,
        ),
        ({"overview": "猫を飼っている。"}, {"overview": "猫を飼っている。"}, 1.0),
    ],
)
def test_how_near_an_answer_is(right: Any, given: Any, expected: float) -> None:
    """Only what the label names counts; items are matched in any order; sentences count by their words."""
    assert score(right, given) == pytest.approx(expected)


def test_winning_means_better_on_the_whole_and_on_more() -> None:
    """One lucky example does not outweigh two unlucky ones."""
    assert wins([0.0, 1.0, 0.5], [1.0, 1.0, 0.5])
    assert not wins([0.5, 0.5], [0.5, 0.5])
    assert not wins([0.0, 0.5, 0.5], [1.0, 0.4, 0.4])
    assert not wins([1.0, 0.0, 0.0], [0.0, 0.1, 0.1])


def test_the_command(examples: Path, tmp_path: Path) -> None:
    """It shows a sample, writes what GEPA is given, says what came of it, and exits with 4 when nothing won."""
    with ScriptedLlm(scripted(RULE)) as model:
        config = tmp_path / "recollect.toml"
        config.write_text(f'llm = "openai:any"\nembedder = "none"\n[models]\nbase_url = "{model.url}"\n')
        base = ["tune", "judge", "--db", str(tmp_path / "c.db"), "--config", str(config)]

        def run(*more: str) -> tuple[int, str]:
            done = CliRunner(env={"COLUMNS": "100"}).invoke(whole(), [*base, *more], catch_exceptions=False)
            return done.exit_code, done.stdout

        sample = json.loads(run("--sample")[1])
        assert "newer_replaces" in sample["answer"]["verdicts"][0]["verdict"]
        code, out = run("--examples", str(examples), "--export", str(tmp_path / "out"), "--json")
        told = json.loads(out)
        assert (code, told["examples"] + told["held_out"]) == (0, 30)
        assert len((tmp_path / "out" / "trainset.jsonl").read_text().splitlines()) == told["examples"]
        assert (
            json.loads((tmp_path / "out" / "seed_candidate.json").read_text())["instructions"] == load("judge").wording
        )
        words = str(_candidate(tmp_path))
        code, out = run("--examples", str(examples), "--candidate", words, "--into", str(tmp_path / "mine"))
        assert code == 0
        assert "0.000 before, 1.000 after" in out
        assert "models.prompts" in out
        worse = tmp_path / "worse.txt"
        worse.write_text("Say anything.")
        code, out = run("--examples", str(examples), "--candidate", str(worse), "--into", str(tmp_path / "mine"))
        assert (code, "does not win" in out) == (4, True)
