"""Writing: one policy per kind, in words its author can act on."""

from __future__ import annotations

import pytest

from recollect.model.kinds import KINDS
from recollect.rules.budget import estimate, fit
from recollect.rules.categories import CategoriesPolicy, settled
from recollect.rules.fusion import FusionPolicy, fuse
from recollect.rules.names import entity_id, phrases
from recollect.rules.writing import WritingPolicy, sentences, tidy, violations

POLICY = WritingPolicy()


@pytest.mark.parametrize(
    ("policy", "text", "says"),
    [
        ("semantic", "Ana prefers tea.", ""),
        ("semantic", "x" * 281, "281 characters"),
        ("semantic", "x" * 280, ""),
        ("semantic", "One. Two. Three.", "3 sentences"),
        ("semantic", "I like tea.", "first person"),
        ("semantic", "Tea suits us.", "first person"),
        ("semantic", "We're fond of tea.", "first person"),
        ("semantic", "Ana lives in the US.", ""),
        ("semantic", "She likes tea.", "pronoun"),
        ("semantic", "Thesis is done.", ""),
        ("episodic", "We talked.", ""),
        ("episodic", "x" * 281, "281 characters"),
        ("reflection", "One. Two. Three.", ""),
        ("reflection", "One. Two.", "2 sentences"),
        ("reflection", "1! 2! 3! 4! 5! 6!", "6 sentences"),
        ("summary", "w " * 100, ""),
        ("summary", "w " * 101, "101 words"),
        ("procedure", "1. Boil water", ""),
        ("procedure", "Boil water", "numbered"),
        ("lesson", "Lesson: ask first", ""),
        ("lesson", "Ask first", "Lesson"),
        ("block", "x" * 20_000, ""),
        ("block", "x" * 20_001, "20001"),
        ("none", "x" * 100_000, ""),
    ],
)
def test_policies(policy: str, text: str, says: str) -> None:
    """Each policy lets what fits pass and says what does not."""
    found = violations(text, policy, POLICY)
    assert [says in one for one in found] == ([True] if says else [])


def test_every_kind_has_a_policy() -> None:
    """The table of kinds names only policies there are."""
    for kind in KINDS.values():
        assert isinstance(violations("Ana likes tea.", kind.policy, POLICY), list)


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("Ana moved yesterday .", "Ana moved."),
        ("Today, Ana likes “tea”.", 'Ana likes "tea".'),
        ("Ana  knows\u00a0Go on 2026-01-05", "Ana knows Go"),
        ("e\u0301t", "ét"),
        ("today", ""),
    ],
)
def test_tidy(text: str, tidied: str) -> None:
    """Extracted facts lose words that are true for a day only, odd quotes and spare white space."""
    assert tidy(text, "semantic") == tidied


def test_tidy_leaves_time_in_notes() -> None:
    """An episodic note keeps its yesterday."""
    assert tidy("We met  yesterday .", "episodic") == "We met yesterday ."


def test_sentences() -> None:
    """Sentences end with any script's full stop; a decimal point ends none."""
    assert sentences("Pi is 3.14") == 1
    assert sentences("A. B! C? D…") == 4
    assert sentences("一。二。") >= 1
    assert sentences("") == 1


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("привет", 3), ("绿茶", 2), ("🎉", 1), ("ab é", 2)]
)
def test_estimate(text: str, tokens: int) -> None:
    """Four ASCII characters to a token, two of other alphabets, one of unspaced scripts and emoji."""
    assert estimate(text) == tokens


def test_fit() -> None:
    """Lines are taken while they fit and never after the first that does not."""
    assert fit(["abc", "abcdefg", "a"], 3) == ["abc", "abcdefg"]
    assert fit(["abc", "abcdefgh", "a"], 3) == ["abc"]
    assert fit(["abc"], 0) == []


def test_categories() -> None:
    """A known category in any case is itself, anything else falls to general."""
    policy = CategoriesPolicy()
    assert settled(" Goals ", policy) == "goals"
    assert settled("gossip", policy) == "general"
    assert settled("", policy) == "general"


def test_fusion() -> None:
    """Reciprocal ranks add up over channels, the newer document wins a tie, and every hit says why."""
    fused = fuse({"words": [(1, 9.0), (2, 8.0), (3, 1.0)], "names": [(2, 1.0)]}, FusionPolicy())
    assert [doc for doc, _, _ in fused] == [2, 1, 3]
    assert fused[0][1] == pytest.approx(1 / 62 + 0.5 / 61)
    assert (fused[0][2]["words"].rank, fused[0][2]["names"].rank, fused[0][2]["words"].score) == (2, 1, 8.0)
    assert [doc for doc, _, _ in fuse({"words": [(1, 1.0)], "names": []}, FusionPolicy())] == [1]
    tie = fuse({"words": [(1, 1.0)], "names": [(7, 1.0)]}, FusionPolicy(names=1.0))
    assert [doc for doc, _, _ in tie] == [7, 1]


def test_names() -> None:
    """An entity's id follows from its folded name and type; phrases are runs of up to four words."""
    assert entity_id("person", "Ana") == entity_id("person", "  ANA ")
    assert len({entity_id("person", "Ann"), entity_id("person", "Joanna"), entity_id("name", "Ann")}) == 3
    assert phrases(["a", "b", "c"], 2) == ["a", "b", "c", "a b", "b c"]
    assert phrases([]) == []
