"""How what a model claims is written, by the seeds' rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.language import open_reader
from recollect.rules.gate.writing import WritingPolicy, violations
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

READER = open_reader("words")
FORMED = """
Ana gave up coffee at the start of spring because of heart flutters.
Ana's younger sister is studying to become a midwife.
Ana sleeps badly when she eats late.
Ana restores old church organs for a living.
Ana's budget for the kitchen is twelve thousand pounds.
Ana has been sober for three years and goes to a group on Mondays.
Ana's neighbour complains about her drumming.
Ana takes the tram to work, since her licence was suspended.
The user is considering a move to Norway.
The user's phone battery lasts barely half a day.
The user would like to be addressed formally.
Finlay and Anouk split up amicably last winter.
Ana's grandson was born early, weighing under two kilos.
Ana was bitten by a dog as a child and is still nervous around them.
Ana inherited a piano that nobody in the house can play.
Die Enkel von Roswitha wohnen in Kiel.
Bernadette ne supporte pas la chaleur de l'été.
La hija pequeña de Encarna empieza el colegio en septiembre.
L'officina di Amilcare è chiusa per tutto agosto.
O restaurante do Saturnino fecha às terças.
""".strip().splitlines()


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("The user told his boss that he likes it there.", "leaves open which of two people is meant"),
        ("Ana's daughter says she is tired.", "leaves open which of two people is meant"),
        ("He lives in Porto.", "starts with a pronoun"),
        ("I live in Porto.", "first person"),
        ("You live in Porto.", "speaks to somebody"),
        ("Ana has lived in Porto since she was five.", ""),
        ("Ana likes her boss.", ""),
    ],
)
def test_003_38_third_person_and_nobody_left_open(content: str, wrong: str) -> None:
    """003.38: a claim is in the third person, and a pronoun in it can mean one person only."""
    found = " ".join(violations(content, "semantic", WritingPolicy(), READER))
    assert (wrong in found) if wrong else not found


def test_003_38_such_a_claim_is_not_stored(tmp_path: Path, clock: FixedClock) -> None:
    """003.38: a model's claim that leaves open who is meant is refused, with what to write instead."""
    fact = {"content": "The user told his boss that he likes it there.", "quote": "I told my boss I like it", "turn": 1}
    with ScriptedLlm(lambda asked: {"facts": [fact], "summary": ""}) as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
        with Recollect(tmp_path / "m.db", embedder="none", clock=clock, llm="openai:small", models=chosen) as rc:
            space = rc.space("u1", session="s")
            for text in ("I told my boss I like it here.", "Hm.", "So.", "Bye."):
                space.observe("user", text)
            assert "name who it is instead of he or she" in space.end().text
            assert space.list(kinds=["fact"]) == []


def test_003_42_free_words_pass_at_first() -> None:
    """003.42: of claims worded freely, as strong models word them, at least 95 % are in form as they come."""
    passed = [one for one in FORMED if not violations(one, "semantic", WritingPolicy(), READER)]
    assert len(passed) >= 0.95 * len(FORMED), set(FORMED) - set(passed)
