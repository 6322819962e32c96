"""Facts that change: sixty of our own, said and said anew among small talk; how things are now comes first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.testing import FixedClock

FIXTURES = Path(__file__).parent.parent / "fixtures"
PAIRS: list[dict[str, str]] = json.loads((FIXTURES / "changed_facts.json").read_text("utf-8"))
SUBJECTS = (
    "The weather", "The traffic downtown", "The documentary about whales", "The museum", "The farmers' market",
    "The concert in the park", "The bakery's sourdough", "The train ride", "The pottery class", "The sunset",
)  # fmt: skip
VERDICTS = (
    "was better than I expected.", "was a bit disappointing, to be honest.", "reminded me of my childhood.",
    "kept me busy all afternoon.", "turned out to be really crowded.", "made my day.",
)  # fmt: skip
ASKS = ("Can you suggest a recipe for {}?", "I keep thinking about {} lately.", "Could you explain how {} works?")
TOPICS = (
    "lentil soup", "solar panels", "knitting", "compound interest", "black holes", "bird watching", "time zones",
    "growing tomatoes", "old maps", "origami",
)  # fmt: skip
SESSION = 12


def small_talk() -> list[str]:
    """Give messages about nothing that changes, every other one on a subject that does."""
    plain = [f"{subject} {verdict}" for subject, verdict in product(SUBJECTS, VERDICTS)]
    plain += [ask.format(topic) for ask, topic in product(ASKS, TOPICS)]
    return [text for pair in zip((pair["aside"] for pair in PAIRS), plain, strict=False) for text in pair]


def conversation() -> list[str]:
    """Mix the old facts, small talk, and the new facts: an old one stands far before what replaces it, never beside."""
    olds, news = [pair["old"] for pair in PAIRS], [pair["new"] for pair in PAIRS]
    # The new ones come in another order than the old; 23 has no factor in common with 60.
    shuffled = [news[at * 23 % len(news)] for at in range(len(news))]
    chat = small_talk()
    first = [text for pair in zip(olds, chat[:60], strict=True) for text in pair]
    return [*first, *(text for pair in zip(shuffled, chat[60:], strict=True) for text in pair)]


@pytest.fixture(scope="module")
def rc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    """Give a memory in which one has talked, and another saved facts and corrected them."""
    clock = FixedClock()
    with Recollect(tmp_path_factory.mktemp("changed") / "memory.db", clock=clock, embedder="minilm") as opened:
        for at, text in enumerate(conversation()):
            moment = clock.moment - timedelta(days=200) + timedelta(days=at // SESSION * 4, minutes=at % SESSION)
            opened.space("talker", session=f"s{at // SESSION}").observe("user", text, at=moment)
        opened.run_jobs(["embed"])
        saver = opened.space("saver")
        kept = saver.remember_many([{"content": pair["old"]} for pair in PAIRS])
        for receipt, pair in zip(kept, PAIRS, strict=True):
            clock.advance(minutes=1)
            assert saver.correct(receipt.id, pair["new"]).outcome == "superseded"
        yield opened


def test_there_are_sixty() -> None:
    """The pairs are sixty, no two alike, and none is small talk."""
    assert len(PAIRS) == len({pair["question"] for pair in PAIRS}) == 60
    said = conversation()
    assert len(said) == len(set(said)) == 240
    assert all(pair["old"] != pair["new"] and said.index(pair["old"]) < said.index(pair["new"]) for pair in PAIRS)


def test_said_and_said_anew(rc: Recollect) -> None:
    """Of raw messages the newer stands above the older for at least 85 of a hundred questions about now."""
    talker = rc.space("talker")
    behind = []
    for pair in PAIRS:
        found = [hit.memory.content for hit in talker.recall(pair["question"], limit=50, kinds="episode")]
        place = {text: at for at, text in enumerate(found)}
        if place.get(pair["new"], 99) >= place.get(pair["old"], 98):
            behind.append(pair["question"])
    assert len(behind) <= 0.15 * len(PAIRS), behind


def test_corrected(rc: Recollect) -> None:
    """Of corrected facts every question finds the new one first of the two, and no search gives an old one."""
    saver = rc.space("saver")
    old = {pair["old"] for pair in PAIRS}
    for pair in PAIRS:
        for query in (pair["question"], pair["old"]):
            found = [hit.memory.content for hit in saver.recall(query, limit=20)]
            assert pair["new"] in found, query
            assert not old.intersection(found), query
