"""Whole contexts: of a life of thirty sessions to the letter, and of sixty prompts by what they need."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from bench import window
from recollect import Recollect
from recollect.rules.window.profiles import PROFILES
from recollect.testing import FixedClock
from tests.engines import fresh
from tests.window.test_context import life_of_thirty_sessions

GOLDEN = Path(__file__).parent.parent / "fixtures" / "window_contexts.json"


def laid(rc: Recollect, clock: FixedClock) -> dict[str, str]:
    """Give the context of the life in every profile, with ids that are the same every time."""
    life_of_thirty_sessions(rc, clock)
    found: dict[str, str] = {}
    for profile in PROFILES:
        new = rc.space("ana", "helper", f"new {profile}")
        text = str(new.context("How many roses are in the garden?", 3000, profile=profile))
        found[profile] = re.sub(r"\b(?:fact|ep|sum)_[0-9a-f]{32}\b", "ID", text)
    return found


def test_the_contexts_of_a_life_are_the_same_to_the_letter(rc: Recollect, clock: FixedClock) -> None:
    """On every engine each profile gives exactly what the file has; `python -m tests.window.test_drill` writes it."""
    assert laid(rc, clock) == json.loads(GOLDEN.read_text("utf-8"))


def test_sixty_prompts_over_one_life(tmp_path: Path) -> None:
    """At 800 tokens most of what a prompt needs is there, less than half is beside the point, and where nothing fits
    nothing is shown more often than not; `python -m bench.window --verbose` names what is missing."""
    with Recollect(fresh("sqlite", tmp_path), embedder="recollect-1", clock=window.Days()) as rc:
        names = window.live(rc)
        marta = rc.space("marta", "helper", "asks")
        marta.context()
        told = window.asked(marta, names, 800, verbose=False)
    assert len(window.LIFE["prompts"]) == 60
    assert told["needed"] >= 0.9
    assert told["beside the point"] <= 0.45
    assert told["nothing where nothing fits"] >= 0.6


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        Recollect(f"{folder}/life.db", clock=FixedClock(), embedder="none") as opened,
    ):
        clock = opened._runtime.clock
        assert isinstance(clock, FixedClock)
        GOLDEN.write_text(json.dumps(laid(opened, clock), indent=1, ensure_ascii=False) + "\n", "utf-8")


SAID = (
    "The landlord is called Mr. Pereira and wants the rent by the fifth.",
    "I booked the train to Vienna for December 20.",
    "I drive a Toyota Yaris.",
)
ASKED = {"Who do I pay the rent to?": "Pereira", "When do I go to Vienna?": "Vienna", "What car do I have?": "Yaris"}


def test_what_was_said_and_answered_is_found_by_plain_questions(tmp_path: Path) -> None:
    """A message whose note says the same, word for word, is shown, whatever was replied and jobs made of it."""
    with Recollect(fresh("sqlite", tmp_path), embedder="recollect-1") as rc:
        for number, text in enumerate(SAID):
            talk = rc.space("ana", "helper", f"s{number}")
            talk.observe("user", text)
            talk.observe("assistant", "Got it, thanks for telling me!")
            talk.end()
        rc.run_jobs()
        now = rc.space("ana", "helper", "now")
        now.context("hi")
        for prompt, answer in ASKED.items():
            assert answer in str(now.context(prompt)), prompt
