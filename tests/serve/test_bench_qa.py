"""The benchmark of answers, end to end: what a model answers from memory, what a judge says of it, and its tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import Recollect
from recollect.serve.bench.formats import read
from recollect.serve.cli import whole
from recollect.testing.llm import Asked, ScriptedLlm

APP = whole()
FIXTURES = Path(__file__).parent.parent / "fixtures"
RUNNER = CliRunner(env=dict.fromkeys(("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")))


def graded(asked: Asked) -> Any:
    """Answer with what was found first; grade right what holds the reference."""
    if "grade an answer" in asked.system:
        return {"correct": any(word in asked.user for word in ("Pepper", "Welsh", "450", "bees")), "why": "as asked"}
    return {"sentences": [{"text": asked.user[-400:], "sources": [1]}], "unknown": ""}


@pytest.mark.parametrize(
    ("form", "questions", "kinds"),
    [
        ("locomo", 6, {"single-hop", "temporal", "open-domain", "multi-hop"}),
        ("longmemeval", 3, {"single-session-user", "knowledge-update"}),
        ("beam", 5, {"abstention", "knowledge_update", "summarization", "instruction_following"}),
    ],
)
def test_three_public_formats(form: str, questions: int, kinds: set[str], database: str, tmp_path: Path) -> None:
    """LoCoMo, LongMemEval and BEAM are answered and graded on every engine, with tokens a question; nothing stays."""
    config = tmp_path / "recollect.toml"
    with ScriptedLlm(graded) as llm:
        config.write_text(f'llm = "openai:m"\nembedder = "none"\n[models]\nbase_url = "{llm.url}"\n')
        file = str(FIXTURES / f"{form}.json")
        options = ["--format", form, "--db", database, "--config", str(config)]
        done = RUNNER.invoke(APP, ["bench", "qa", file, *options, "--json"])
        assert done.exit_code == 0, done.output
        said = RUNNER.invoke(APP, ["bench", "qa", file, *options, "--limit", "1"])
        read_in, written = llm.prompt_tokens, llm.completion_tokens
    told = json.loads(done.stdout)
    assert told["questions"] == questions
    assert kinds <= set(told["kinds"])
    assert 0 < told["correct"] < 1 or form == "longmemeval"
    assert told["read"] > 50
    assert all((one["read"] > 0) == (one["wrote"] > 0) for one in told["graded"])  # nothing found, nobody asked
    assert told["read"] == pytest.approx(sum(one["read"] for one in told["graded"]) / questions, abs=0.001)
    assert questions * (told["read"] + told["wrote"] + told["judging"]) <= read_in + written
    assert "tokens a question: " in said.output
    with Recollect(database, embedder="none") as memory:
        assert memory.owners() == []


def test_beam_as_published() -> None:
    """Sessions, days, questions of every kind and both shapes of a chat are read; an id that names two names none."""
    first, second = read(FIXTURES / "beam.json", "beam")
    assert [(one.id, one.session, one.at.date().isoformat()) for one in first.messages][2:4] == [
        ("s1:t3", "s1", "2024-03-15"),
        ("s2:t1", "s2", "2024-04-02"),
    ]
    found = {one.kind: (one.evidence, one.answer) for one in first.questions}
    assert found["abstention"] == ((), "Nothing was said about the teacher's clay.")
    assert found["knowledge_update"] == (("s1:t3", "s2:t1"), "450 euros")
    assert found["summarization"][0] == ("s1:t1", "s1:t3", "s2:t1")
    assert found["instruction_following"] == ((), "names Wanda; says that it was blue")
    assert ([one.content for one in second.messages], second.questions[0].evidence) == (
        ["I keep bees.", "Lovely."],
        ("s1:t1",),
    )


def test_answers_from_end_to_end(tmp_path: Path) -> None:
    """A model answers from what is found, a judge grades it, and the tokens of each question are told."""

    def script(asked: Asked) -> Any:
        if "grade an answer" in asked.system:
            return {"correct": "A greyhound." in asked.user, "why": "as asked"}
        right = "called Pepper" in asked.user
        return {"sentences": [{"text": "A greyhound." if right else "A cat.", "sources": [1]}], "unknown": ""}

    said = {"session": "a", "role": "user"}
    talk = {
        "name": "pets",
        "messages": [
            {"id": "1", **said, "content": "I adopted a greyhound called Pepper."},
            {"id": "2", **said, "content": "My tomatoes are ripe."},
        ],
        "questions": [
            {"question": "What is Pepper, whom I adopted?", "kind": "one", "evidence": ["1"], "answer": "a greyhound"},
            {"question": "Are my tomatoes ripe?", "kind": "two", "evidence": ["2"], "answer": "yes"},
            {"question": "Without a reference?", "kind": "two", "evidence": ["2"]},
        ],
    }
    file, config = tmp_path / "talk.json", tmp_path / "recollect.toml"
    file.write_text(json.dumps([talk]))
    with ScriptedLlm(script) as llm:
        config.write_text(f'llm = "openai:answering"\n[models]\nbase_url = "{llm.url}"\n')
        options = ["--config", str(config), "--embedder", "none", "--judge", "openai:grading", "--evidence", "1"]
        done = RUNNER.invoke(APP, ["bench", "qa", str(file), *options, "--json"])
        models = {asked.model for asked in llm.requests}
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["questions"], told["correct"], told["kinds"]) == (2, 0.5, {"one": 1.0, "two": 0.0})
    assert told["read"] > 50
    assert told["judging"] > 50
    assert [one["correct"] for one in told["graded"]] == [True, False]
    assert models == {"answering", "grading"}


def test_answers_need_references_and_a_model(tmp_path: Path) -> None:
    """A file without answers, and a run without a model, are refused with what to do."""
    nothing = RUNNER.invoke(APP, ["bench", "qa", str(FIXTURES / "conversations.json"), "--embedder", "none"])
    assert (nothing.exit_code, "no question with an answer" in nothing.output) == (2, True)
    file = tmp_path / "talk.json"
    message = {"id": "1", "session": "a", "role": "user", "content": "I adopted a greyhound."}
    question = {"question": "Whom did I adopt?", "kind": "one", "evidence": ["1"], "answer": "a greyhound"}
    file.write_text(json.dumps([{"name": "pets", "messages": [message], "questions": [question]}]))
    alone = RUNNER.invoke(APP, ["bench", "qa", str(file), "--embedder", "none"])
    assert "no model is set" in alone.output
    assert alone.exit_code != 0
