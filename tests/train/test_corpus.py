"""The corpus the bundled model is trained on: whole, varied, and its sealed part apart."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from recollect.providers.judges import DURABLE, PASSING, RELATIONS, VERDICTS
from train import conversations as corpus
from train import matters

SEALED = corpus.CORPUS.parent / "sealed"
WORLDS = corpus.CORPUS.parent / "worlds"


def test_nothing_is_wrong_with_it() -> None:
    """Every conversation is whole: numbers, people, classes, answers, quotes."""
    for folder in (corpus.CORPUS, SEALED):
        wrong = {one.id: found for one in corpus.read(folder) if (found := corpus.problems(one))}
        assert wrong == {}


def test_the_checker_finds_what_is_wrong() -> None:
    """A quote nobody said, an answer that is not there and a class that is none are told."""
    row = next(row for _, row in corpus.rows(corpus.CORPUS) if row["claims"])
    row["questions"][0]["answers"] = [9999]
    row["claims"][0]["quote"] = "nobody said this"
    row["sessions"][0]["messages"][0]["sentences"][0]["class"] = "gossip"
    told = " / ".join(corpus.problems(corpus.conversation(row)))
    for part in ("wrong kind or answer", "wrong verdict or quote", "the class gossip"):
        assert part in told


def test_it_is_large_and_varied() -> None:
    """Many conversations, hands and languages; much talk with assistants."""
    all_of_them = corpus.read()
    assert len(all_of_them) >= 150
    assert sum(len(one.questions) for one in all_of_them) >= 4000
    assert len({one.writer for one in all_of_them}) >= 10
    assert len({one.language for one in all_of_them}) >= 7
    assert Counter(one.setting for one in all_of_them)["assistant"] >= 50


def test_the_sealed_part_is_by_other_hands() -> None:
    """No writer of the sealed conversations wrote one of the others."""
    assert not {one.writer for one in corpus.read(SEALED)} & {one.writer for one in corpus.read()}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (corpus.DURABLE, DURABLE),
        (corpus.PASSING, PASSING),
        (corpus.RELATIONS, RELATIONS),
        (corpus.VERDICTS, VERDICTS),
    ],
)
def test_the_judge_knows_the_same_classes(ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
    """What the corpus calls a class is what the judge calls it, in the same order."""
    assert ours == theirs


def test_the_worlds_are_whole() -> None:
    """What people said is numbered, and each prompt needs and can use different ones of it."""
    worlds = [row for _, row in corpus.rows(WORLDS)]
    assert len(worlds) >= 60
    for world in worlds:
        said = [one["id"] for one in world["said"]]
        assert said == list(range(1, len(said) + 1))
        assert any(not prompt["needs"] for prompt in world["prompts"])
        for prompt in world["prompts"]:
            assert {*prompt["needs"], *prompt["useful"]} <= {*said}
            assert not {*prompt["needs"]} & {*prompt["useful"]}


def test_claims_are_drawn_from_matters() -> None:
    """They are of every verdict, and names and values are in their places."""
    chance, every = random.Random(1), matters.matters()
    assert len(every) > 1000
    told = Counter[int]()
    for one in matters.supports(every, 6, chance):
        assert "{" not in one.first + one.second
        assert one.second.strip()
        told[one.answer] += 1
    assert set(told) == set(range(len(VERDICTS)))
