"""Writing: one policy per kind, in words its author can act on."""

from __future__ import annotations

import pytest

from recollect.language import open_reader
from recollect.model.kinds import KINDS
from recollect.rules.gate.writing import WritingPolicy, mended, sentences, tidy, violations

READER = open_reader("words")

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
        ("episodic", "We talked.", "first person"),
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
    found = violations(text, policy, POLICY, READER)
    assert [says in one for one in found] == ([True] if says else [])


def test_every_kind_has_a_policy() -> None:
    """The table of kinds names only policies there are."""
    for kind in KINDS.values():
        assert isinstance(violations("Ana likes tea.", kind.policy, POLICY, READER), list)


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("Ana moved yesterday .", "Ana moved."),
        ("Today, Ana likes “tea”.", 'Ana likes "tea".'),
        ("Ana  knows\u00a0Go this week", "Ana knows Go"),
        ("e\u0301t", "ét"),
        ("today", ""),
    ],
)
def test_tidy(text: str, tidied: str) -> None:
    """Extracted facts lose words that are true for a day only, odd quotes and spare white space."""
    assert tidy(text, "semantic", READER) == tidied


def test_tidy_leaves_time_in_notes() -> None:
    """An episodic note keeps its yesterday."""
    assert tidy("We met  yesterday .", "episodic", READER) == "We met yesterday ."


def test_sentences() -> None:
    """Sentences end with any script's full stop; a decimal point ends none, nor does that of a title."""
    assert sentences("Dr. Sá met Mrs. Lima, e.g. in St. Ives.", READER) == 1
    assert sentences("Pi is 3.14", READER) == 1
    assert sentences("One. Two! Three? Four…", READER) == 4
    assert sentences("The pills are for 8 a.m. and 8 p.m. but never for Sundays.", READER) == 1
    assert sentences("Ana worked for J. R. Smith in the U.S. Army.", READER) == 1
    assert sentences("一。二。", READER) >= 1
    assert sentences("", READER) == 1


@pytest.mark.parametrize(
    ("policy", "text", "says"),
    [
        ("semantic", "You live in Faro.", "speaks to somebody"),
        ("semantic", "Ana wants the assistant to use your table.", "speaks to somebody"),
        ("semantic", "Its colour is red.", "pronoun"),
        ("semantic", "Ana lives in Faro. She loves it.", ""),
        ("episodic", "Ana visited Rome in May 2026.", ""),
        ("episodic", "Ana has visited Rome.", ""),
        ("episodic", "Ana said that Rome is big.", ""),
    ],
)
def test_candidates_stand_on_their_own(policy: str, text: str, says: str) -> None:
    """A fact speaks to nobody and needs nobody's antecedent; a note tells what happened."""
    found = violations(text, policy, POLICY, READER)
    assert [says in one for one in found] == ([True] if says else [])


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("Ana likes tea.", "Ana likes tea."),
        ("- Ana  likes “tea”.", 'Ana likes "tea".'),
        ("Note that Ana likes tea.", "Ana likes tea."),
        ("fact: Ana likes tea", "Ana likes tea"),
        ("Ana likes tea. Ana hates milk. Ana is tall.", "Ana likes tea. Ana hates milk."),
        ("y" * 300, "y" * 300),
        ("Ana's dentist is Dr. " + "Haddad " * 50, "Ana's dentist is Dr. " + " ".join(["Haddad"] * 50)),
        ("Mrs. Costa met Prof. Lima. Mr. Sá left. It rained.", "Mrs. Costa met Prof. Lima. Mr. Sá left."),
        ("", ""),
        ("- ", "-"),
    ],
)
def test_mended(text: str, fixed: str) -> None:
    """Frames and sentences too many are taken off; what cannot be trimmed safely is left alone."""
    assert mended(text, POLICY, READER) == (fixed, fixed != text)
    assert mended(fixed, POLICY, READER) == (fixed, False)
