"""The judge that comes with the library: what is worth keeping, how two statements stand, what a quote bears."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.config import EmbeddingSettings, Settings
from recollect.errors import ConfigError
from recollect.providers.bundled.session import FAILURES
from recollect.providers.judges import DURABLE, PASSING, RELATIONS, VERDICTS, Judge, Sentence, open_judge
from recollect.providers.judges.heads import Heads
from recollect.runtime import Runtime, open_store


@pytest.fixture(scope="module")
def judge() -> Judge:
    """Give the judge, loaded once."""
    found = open_judge(EmbeddingSettings())
    assert found is not None
    return found


def test_a_durable_sentence_is_told_from_a_passing_one(judge: Judge) -> None:
    """An allergy is worth keeping and health; a greeting is neither."""
    allergy, greeting = judge.keep(
        [Sentence("Ana", "I'm allergic to peanuts, badly."), Sentence("Ana", "haha ok good morning!")]
    )
    assert (allergy.label, allergy.worth) == ("health", True)
    assert not greeting.worth
    assert greeting.label in PASSING
    assert allergy.durable > greeting.durable


def test_what_was_asked_before_counts(judge: Judge) -> None:
    """Half a sentence is worth keeping as an answer."""
    said = [Sentence("Ana", "Yes, since March."), Sentence("Ana", "Yes, since March.", "Tom: do you have diabetes?")]
    alone, answer = judge.keep([*said])
    assert answer.durable > alone.durable


def test_statements_and_claims_get_a_verdict(judge: Judge) -> None:
    """Each pair gets one of the labels, and how sure that is."""
    related = judge.relation([("I live in Porto.", "My home is in Porto."), ("I have a dog.", "My cat is ill.")])
    checked = judge.supports(
        [("Ana: I live in Porto.", "Ana lives in Porto."), ("Ana: I live in Porto.", "Tom is 40.")]
    )
    assert related[0].label == "same"
    assert checked[0].label == "supported"
    assert checked[1].label != "supported"
    assert all(one.label in RELATIONS and 0.25 <= one.sure <= 1 for one in related)
    assert all(one.label in VERDICTS and 0.25 <= one.sure <= 1 for one in checked)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "🎉" * 3000, "word " * 5000, "\ud800"])
def test_odd_texts_are_judged_too(judge: Judge, text: str) -> None:
    """Nothing a person may write makes it fail; the same text always gets the same answer."""
    one = Sentence(text, text, text, text, text)
    first, second = judge.keep([one]), judge.keep([one])
    assert first == second
    assert first[0].label in (*DURABLE, *PASSING)
    assert judge.relation([(text, text)])
    assert judge.supports([(text, text)])


def test_closing_lets_go(judge: Judge) -> None:
    """A closed judge loads its model anew."""
    judge.close()
    judge.close()
    assert judge.keep([Sentence("Ana", "I work as a nurse.")])[0].worth


def test_there_is_a_judge_where_meaning_is_compared(tmp_path: Path) -> None:
    """Without an embedder there is none."""
    for embedder, there in (("none", False), ("recollect-1", True)):
        settings = Settings(embedder=embedder)
        runtime = Runtime(open_store(f"sqlite:///{tmp_path}/{embedder}.db", settings), settings)
        assert (runtime.judge is not None) == there
        runtime.close()


def test_a_model_that_fails_is_the_librarys_error(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """What onnxruntime raises does not reach the caller as it is."""

    def fail(*_: object) -> None:
        raise FAILURES[0]("out of memory")

    monkeypatch.setattr(Heads, "_asked", fail)
    with pytest.raises(ConfigError, match="failed"):
        judge.keep([Sentence("Ana", "I live in Lisbon.")])
