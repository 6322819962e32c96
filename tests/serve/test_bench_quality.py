"""The benchmarks of recall: their figures, their formats, and runs from end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from math import log2
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, Recollect, Unavailable
from recollect.rules.find.fusion import SIGNALS
from recollect.serve.bench import evaluate, metrics
from recollect.serve.bench.conversations import BEGINNING, BETWEEN_MESSAGES, BETWEEN_SESSIONS, Message, Question
from recollect.serve.bench.formats import read
from recollect.serve.cli import whole
from recollect.serve.reference import pages

APP = whole()

FIXTURES = Path(__file__).parent.parent / "fixtures"
FILES = {
    "retrieval": "conversations.json",
    "locomo": "locomo.json",
    "longmemeval": "longmemeval.json",
    "beam": "beam.json",
}
RUNNER = CliRunner(env=dict.fromkeys(("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")))
Change = Callable[[Any], object]


def bench(form: str, *options: str) -> Any:
    """Run a benchmark on its fixture and read its answer."""
    result = RUNNER.invoke(APP, ["bench", form, str(FIXTURES / FILES[form]), "--json", *options])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def rows(answer: Any, level: str) -> dict[str, Any]:
    """Give the rows of one level by mode."""
    return {row["mode"]: row for row in answer["rows"] if row["level"] == level}


def changed(form: str, change: Change, folder: Path) -> Path:
    """Write a fixture anew with something changed."""
    data = json.loads((FIXTURES / FILES[form]).read_text("utf-8"))
    change(data)
    path = folder / "changed.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_the_figures_by_hand() -> None:
    """Each figure is what its definition gives on a ranking small enough to do by hand."""
    ranked = ["x", "a", "y", "z", "b", "w", "c"]
    best = 1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5)
    found = metrics.score(ranked, ["a", "b", "c", "never"], ["z"])
    assert found.ndcg == pytest.approx((1 / log2(3) + 1 / log2(6) + 1 / log2(8)) / best)
    assert (found.any5, found.all5, found.recall, found.mrr, found.newer_first) == (1, 0, 0.75, 0.5, 1)
    both = metrics.score(ranked, ["a", "b"])
    assert both.ndcg == pytest.approx((1 / log2(3) + 1 / log2(6)) / (1 + 1 / log2(3)))
    assert (both.any5, both.all5, both.recall, both.mrr, both.newer_first) == (1, 1, 1, 0.5, None)


def test_what_is_not_found_earns_nothing() -> None:
    """A miss is 0 everywhere, ranks past the depth count nothing, and the best ranking is 1 however much there is."""
    assert metrics.score([], ["a"], ["b"]) == metrics.Score(0, 0, 0, 0, 0, 0)
    late = [str(number) for number in range(10)] + ["a"]
    assert metrics.score(late, ["a"]) == metrics.Score(0, 0, 0, 0, 1 / 11)
    many = [str(number) for number in range(20)]
    assert metrics.ndcg(many, many) == pytest.approx(1)
    assert metrics.recall(many, many) == 0.5


def test_the_newer_must_stand_above_the_older() -> None:
    """Best against best decides; what counts as evidence too is not out of date, and finding neither is no success."""
    assert metrics.newer_first(["old", "new"], {"new"}, {"old"}) == 0
    assert metrics.newer_first(["x", "new", "old", "new2"], {"new", "new2"}, {"old"}) == 1
    assert metrics.newer_first(["x"], {"new"}, {"old"}) == 0
    assert metrics.score(["both"], ["both"], ["both"]).newer_first is None


def test_kinds_count_alike_in_the_mean_over_kinds() -> None:
    """The mean over questions follows the many, the mean over kinds gives a rare kind the same say."""
    perfect, missed = metrics.score(["a"], ["a"]), metrics.score(["x"], ["a"], ["x"])
    found = metrics.summary([("often", perfect)] * 3 + [("rare", missed)])
    assert found is not None
    assert (found.ndcg, found.over_kinds, found.questions) == (0.75, 0.5, 4)
    assert (found.kinds, found.counts) == ({"often": 1.0, "rare": 0.0}, {"often": 3, "rare": 1})
    assert (found.newer_first, found.updates) == (0.0, 1)
    assert metrics.summary([]) is None


def test_the_general_format() -> None:
    """Ids may be numbers; without times a message follows a minute after the last, and a session a day after."""
    garden, bicycle = read(FIXTURES / FILES["retrieval"], "retrieval")
    assert garden.messages[0] == Message(
        "g1", "spring", "user", "", "I planted twelve tomato seedlings behind the shed this morning.", BEGINNING
    )
    assert garden.messages[1].at - garden.messages[0].at == BETWEEN_MESSAGES
    assert garden.messages[4].at - garden.messages[3].at == BETWEEN_SESSIONS
    assert garden.questions[0] == Question(
        "How many litres does the rain barrel hold?", "update", ("g7",), ("summer",), ("g3",)
    )
    assert (garden.questions[2].stale, garden.questions[3].evidence) == ((), ())
    assert (bicycle.messages[2].id, bicycle.messages[2].session, bicycle.messages[2].actor) == ("3", "2", "Runa")
    assert bicycle.messages[2].at == datetime(2024, 4, 11, 17, 20, tzinfo=UTC)
    assert bicycle.questions[0].at == datetime(2024, 5, 1, 9, tzinfo=UTC)


def test_locomo() -> None:
    """Speakers, photos and times are taken over, sessions by their number, and malformed evidence is repaired."""
    ferry, _ = read(FIXTURES / FILES["locomo"], "locomo")
    assert [message.id for message in ferry.messages] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2", "D10:1"]
    photo = ferry.messages[2]
    assert (photo.role, photo.actor, photo.session) == ("user", "Ilse", "session_1")
    assert photo.content == "Look at her! [photo: a grey dog asleep on a sofa]"
    assert photo.at == datetime(2023, 6, 3, 9, 5, 2, tzinfo=UTC)
    assert [question.evidence for question in ferry.questions] == [
        ("D1:2", "D2:1"), ("D2:2",), ("D1:1",), ("D10:1",), (), (),
    ]  # fmt: skip
    assert ferry.questions[0].sessions == ("session_1", "session_2")
    assert [question.kind for question in ferry.questions][:4] == ["multi-hop", "temporal", "single-hop", "adversarial"]


def test_longmemeval() -> None:
    """A history is put in order of time; turns and sessions are evidence; what cannot be answered has none."""
    welsh, chess, violin = read(FIXTURES / FILES["longmemeval"], "longmemeval")
    assert [message.session for message in welsh.messages] == ["early", "early", "late", "late"]
    assert welsh.messages[0].at == datetime(2023, 4, 1, 10, tzinfo=UTC)
    assert welsh.questions[0].at == datetime(2023, 6, 30, 18, tzinfo=UTC)
    assert (welsh.questions[0].evidence, welsh.questions[0].sessions) == (("2:1",), ("early",))
    assert (chess.questions[0].evidence, chess.questions[0].sessions) == (("1:1", "3:1"), ("a", "c"))
    assert (violin.questions[0].evidence, violin.questions[0].sessions) == ((), ())


def put(*path: str | int, value: Any = None) -> Change:
    """Give a change that sets something deep inside, or takes it away."""

    def change(data: Any) -> None:
        for part in path[:-1]:
            data = data[part]
        if value is None:
            del data[path[-1]]
        else:
            data[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("form", "change", "told"),
    [
        ("retrieval", put(0, "name"), "conversation 1: name is missing: it must be a name"),
        ("retrieval", put(1, "messages", value={}), "conversation 2: messages must be a list, not {}"),
        ("retrieval", put(0, "messages", 2, value="hm"), "conversation 1, message 3 must be an object, not str"),
        ("retrieval", put(0, "messages", 2, "content"), "conversation 1, message 3: content is missing"),
        ("retrieval", put(0, "messages", 2, "role", value=True), "message 3: role must be a name, not true"),
        ("retrieval", put(0, "messages", 2, "id", value="g1"), "message 3: id 'g1' belongs to an earlier message"),
        ("retrieval", put(1, "messages", 0, "at"), "conversation 2, message 1: at is missing"),
        ("retrieval", put(1, "messages", 0, "at", value="soon"), "message 1: at cannot be read: 'soon' is not a time"),
        ("retrieval", put(0, "questions", 1, "kind"), "conversation 1, question 2: kind is missing"),
        ("retrieval", put(0, "questions", 1, "evidence", value="g5"), 'evidence must be a list, not "g5"'),
        ("retrieval", put(0, "questions", 1, "evidence", value=[1.5]), "evidence[0] must be a name, not 1.5"),
        ("retrieval", put(0, "questions", 1, "evidence", value=["no"]), "question 2: evidence names 'no', but"),
        ("retrieval", put(0, "questions", 1, "stale", value=["no"]), "question 2: stale names 'no', but"),
        ("locomo", put(0, "conversation"), "sample 1, conversation must be an object, not NoneType"),
        ("locomo", put(0, "conversation", "session_2_date_time"), "conversation: session_2_date_time is missing"),
        ("locomo", put(0, "conversation", "session_2_date_time", value="noon"), "must be a time like '1:56 pm on 8"),
        ("locomo", put(0, "conversation", "session_2", 1, "speaker"), "session_2 turn 2: speaker is missing"),
        ("locomo", put(0, "conversation", "session_2", 1, "dia_id", value="2"), "dia_id must look like D1:2, not '2'"),
        ("locomo", put(1, "qa", 0, "category", value=[6]), "sample 2, qa 1: category must be a number from 1 to 5"),
        ("longmemeval", put(1, "haystack_dates", 2), "question 2: haystack_sessions has 3 entries for 3 ids and 2"),
        ("longmemeval", put(1, "haystack_dates", 2, value="May"), "question 2, session 3: date must be a time like"),
        ("longmemeval", put(0, "haystack_sessions", 1, 0, "content"), "question 1, session 2, turn 1: content is miss"),
        ("longmemeval", put(0, "question_type"), "question 1: question_type is missing"),
        ("beam", put(0, "chat"), "conversation 1: chat is missing"),
        ("beam", put(0, "chat", 1, 0, "role"), "conversation 1, session 2, turn 1: role is missing"),
        (
            "beam",
            put(1, "probing_questions", value="{1: f()}"),
            "conversation 2: probing_questions is neither JSON nor",
        ),
    ],
)
def test_a_bad_file_is_told_by_record_and_field(form: str, change: Change, told: str, tmp_path: Path) -> None:
    """Whatever is wrong with a file, the error names the record and its field."""
    with pytest.raises(InvalidInput) as error:
        read(changed(form, change, tmp_path), form)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [(b"{", "is not JSON"), (b"\xff", "is not JSON"), (b"[" * 100_000, "is not JSON"), (b"{}", "must be a list")],
)
def test_what_is_no_such_file_is_refused(text: bytes, told: str, tmp_path: Path) -> None:
    """Anything but a list of JSON objects is wrong usage, told in one line."""
    path = tmp_path / "bad.json"
    path.write_bytes(text)
    for form in FILES:
        result = RUNNER.invoke(APP, ["bench", form, str(path)])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert told in result.stderr


def test_a_file_without_anything_to_ask_is_refused(tmp_path: Path) -> None:
    """A missing file, one without questions, and one without evidence are told apart."""
    told = []
    for change in (lambda data: data.clear(), lambda data: data.__delitem__(slice(0, 2))):
        path = changed("longmemeval", change, tmp_path)
        told.append(RUNNER.invoke(APP, ["bench", "longmemeval", str(path)]).stderr)
    assert "holds no questions" in told[0]
    assert "holds no question with evidence" in told[1]
    missing = RUNNER.invoke(APP, ["bench", "locomo", str(tmp_path / "none.json")])
    assert (missing.exit_code, "cannot be read" in missing.stderr) == (2, True)


def test_modes() -> None:
    """Each channel alone, all together, and every signal left out once; without an embedder there is no meaning."""
    chosen = {
        mode.name: set(SIGNALS) - set(mode.fusion.get("off", ())) for mode in evaluate.modes(meaning=True, ablate=False)
    }
    assert chosen == {
        "words only": {"words"},
        "meaning only": {"meaning"},
        "hybrid": set(SIGNALS),
        "reciprocal rank": {"words", "meaning"},
    }
    ablated = [mode.fusion["off"] for mode in evaluate.modes(meaning=True, ablate=True) if mode.ablation]
    assert ablated == [(signal,) for signal in SIGNALS]
    assert not any("meaning" in mode.name for mode in evaluate.modes(meaning=False, ablate=True))


def test_the_general_format_from_end_to_end() -> None:
    """Every mode is there on both levels with all figures; what has no evidence is counted, not scored."""
    answer = bench("retrieval", "--embedder", "minilm")
    about = {name: answer[name] for name in ("file", "format", "embedder", "conversations", "messages", "questions")}
    assert about == {
        "file": "conversations.json", "format": "retrieval", "embedder": "minilm", "conversations": 2, "messages": 12,
        "questions": 4,
    }  # fmt: skip
    assert answer["not_scored"] == 1
    for level in evaluate.LEVELS:
        found = rows(answer, level)
        assert list(found) == ["words only", "meaning only", "hybrid", "reciprocal rank"]
        assert found["hybrid"]["any5"] == 1
        assert found["hybrid"]["counts"] == {"fact": 3, "update": 1}
        assert {row["updates"] for row in found.values()} == {1}


def test_locomo_from_end_to_end() -> None:
    """LoCoMo is measured by category; without an embedder, by words."""
    answer = bench("locomo", "--embedder", "none", "--level", "session")
    assert (answer["questions"], answer["not_scored"], answer["embedder"]) == (5, 2, "none")
    assert {row["level"] for row in answer["rows"]} == {"session"}
    found = rows(answer, "session")
    assert list(found) == ["words only", "hybrid"]
    assert found["hybrid"]["counts"] == {"adversarial": 1, "multi-hop": 1, "single-hop": 2, "temporal": 1}
    assert found["hybrid"]["newer_first"] is None


def test_longmemeval_from_end_to_end() -> None:
    """Each question has a memory of its own, so that no other history can answer it."""
    answer = bench("longmemeval", "--embedder", "none", "--level", "message")
    assert (answer["conversations"], answer["questions"], answer["not_scored"]) == (2, 2, 1)
    assert rows(answer, "message")["hybrid"]["ndcg"] == 1


def test_messages_that_say_the_same_are_all_found(tmp_path: Path) -> None:
    """What recall folds into one hit is not lost to the figures."""
    again = "Slugs ate half of the lettuce. What keeps them away?"
    path = changed("retrieval", put(0, "messages", 5, "content", value=again), tmp_path)
    result = RUNNER.invoke(APP, ["bench", "retrieval", str(path), "--embedder", "none", "--json", "--limit", "2"])
    assert rows(json.loads(result.stdout), "message")["words only"]["all5"] == 1


def test_each_signal_can_be_left_out() -> None:
    """`--ablate` adds a row for every signal; `--limit` asks the first questions and reads no further conversation."""
    answer = bench("retrieval", "--embedder", "none", "--ablate", "--limit", "2", "--level", "message")
    assert (answer["questions"], answer["conversations"]) == (2, 1)
    left_out = [row["mode"] for row in answer["rows"] if row["mode"].startswith("without")]
    assert left_out == [f"without {signal}" for signal in SIGNALS if signal != "meaning"]


def test_the_table_for_people() -> None:
    """Without `--json` there is a line about the run, a table per level and one per kind."""
    result = RUNNER.invoke(APP, ["bench", "retrieval", str(FIXTURES / FILES["retrieval"]), "--embedder", "none"])
    lines = [line.split() for line in result.stdout.splitlines()]
    assert (result.exit_code, lines[0][:3]) == (0, ["conversations.json:", "4", "questions"])
    assert result.stdout.count("NDCG@10  over kinds  any@5  all@5  recall@10  MRR    newer first") == 2
    assert "Ranking messages (4 questions)" in result.stdout
    assert sum(line[:2] == ["update", "1"] for line in lines) == 2


def test_a_database_of_ones_own_is_left_as_it_was(tmp_path: Path) -> None:
    """With `--db` others' memories stay, also when the run fails, and what was put in is gone."""
    db = str(tmp_path / "memory.db")
    with Recollect(db, embedder="none") as memory:
        memory.space("ana").remember("Ana lives in Lisbon.")
    bench("retrieval", "--db", db, "--embedder", "none")
    path = changed("retrieval", put(1, "messages", 0, "role", value="x" * 300), tmp_path)
    result = RUNNER.invoke(APP, ["bench", "retrieval", str(path), "--db", db, "--embedder", "none"])
    assert (result.exit_code, "bicycle, message 1: role takes 300 bytes" in result.stderr) == (2, True)
    with Recollect(db, embedder="none") as memory:
        assert memory.owners() == [("", "ana")]
    assert b"rain barrel" not in b"".join(file.read_bytes() for file in tmp_path.glob("memory.db*"))


def test_every_engine_gives_the_same_figures(database: str) -> None:
    """A run on any engine is the run on a throwaway file, and leaves nobody behind."""
    here, there = (bench("retrieval", "--embedder", "none", *more) for more in ((), ("--db", database)))
    assert here["rows"] == there["rows"]
    with Recollect(database, embedder="none") as memory:
        assert memory.owners() == []


def test_vectors_that_cannot_be_made_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure for meaning is never given when meaning was not there to be asked."""
    monkeypatch.setattr(Recollect, "run_jobs", lambda memory: [])
    conversations = evaluate.scorable(read(FIXTURES / FILES["retrieval"], "retrieval"), evaluate.LEVELS, 1)
    run = evaluate.Run(
        lambda clock, off: Recollect(tmp_path / "x.db", clock=clock, embedder="minilm"), "t", lambda done: None
    )
    with pytest.raises(Unavailable, match="the vectors could not be made: another worker took the job"):
        run.measure(conversations, [], evaluate.LEVELS)


def test_questions_are_asked_after_the_last_message() -> None:
    """Now is when a question says it is, but never before the conversation ended."""
    (welsh, *_) = read(FIXTURES / FILES["longmemeval"], "longmemeval")
    kept = evaluate.Kept("u1", welsh, {}, {})
    last = welsh.messages[-1].at
    assert kept.now(welsh.questions[0]) == welsh.questions[0].at
    assert kept.now(Question("?", "k", at=BEGINNING)) == last
    assert kept.now(Question("?", "k")) == last + evaluate.AFTERWARDS


def test_the_steps_of_a_run_are_told(tmp_path: Path) -> None:
    """The bar moves with every message and every question, up to what was promised."""
    told: list[int] = []
    conversations = evaluate.scorable(read(FIXTURES / FILES["longmemeval"], "longmemeval"), evaluate.LEVELS)
    modes = evaluate.modes(meaning=False, ablate=False)
    db = tmp_path / "x.db"
    run = evaluate.Run(lambda clock, off: Recollect(db, clock=clock, embedder="none"), "t", told.append)
    run.measure(conversations, modes, evaluate.LEVELS)
    assert told == list(range(1, evaluate.work(conversations, modes) + 1))


@pytest.mark.parametrize("name", list(FILES))
def test_each_command_explains_itself(name: str) -> None:
    """The help has a summary, an example, `--json` and `--db`, and it is on the reference page."""
    result = RUNNER.invoke(APP, ["bench", name, "--help"])
    assert result.exit_code == 0
    assert all(part in result.stdout for part in ("Measure recall", f"recollect bench {name}", "--json", "--db"))
    assert f"# bench {name}\n" in pages()["cli.md"]
    assert name in RUNNER.invoke(APP, ["bench"]).stdout
