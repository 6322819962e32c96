"""Messages are embedded with their speaker and the message before; what changes there is embedded anew."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
import pytest

from recollect import Recollect, Space
from recollect.providers.embedders import Embedded, Embedder, Told
from recollect.testing import FixedClock


class Listening(Embedder):
    """Notes what it is given; equal texts get equal vectors."""

    name, dimensions, local, context = "listening", 8, True, True
    link_min, same_min = 0.3, 0.99

    def __init__(self) -> None:
        self.heard: list[Told] = []

    def embed(self, texts: Sequence[str]) -> Embedded:
        return self.embed_told([Told(text) for text in texts])

    def embed_told(self, texts: Sequence[Told]) -> Embedded:
        self.heard += texts
        vectors = [np.random.default_rng(crc32(f"{one.before}|{one.text}".encode())).normal(size=8) for one in texts]
        return Embedded([(one / np.linalg.norm(one)).astype(np.float32) for one in vectors])

    def close(self) -> None:
        pass


@pytest.fixture
def ear() -> Listening:
    """Give an embedder that says what it was given."""
    return Listening()


@pytest.fixture
def heard(database: str, clock: FixedClock, ear: Listening) -> Recollect:
    """Give a memory with that embedder."""
    return Recollect(database, clock=clock, embedder=ear)


def run(rc: Recollect, ear: Listening) -> list[Told]:
    """Run the job that embeds, and give what it embedded."""
    ear.heard.clear()
    rc.run_jobs(["embed"])
    return sorted(ear.heard, key=lambda one: one.text)


def chat(rc: Recollect, session: str = "s1") -> Space:
    """Have a talk of three messages."""
    ana = rc.space("ana", session=session)
    for actor, text in (("Ana", "How old is your dog?"), ("Tom", "Eleven."), ("Ana", "That is old.")):
        ana.observe("user", text, actor=actor)
    return ana


def test_a_message_has_its_speaker_and_its_predecessor(heard: Recollect, ear: Listening) -> None:
    """Only within a session; without a name the role speaks; facts stand alone."""
    with heard as rc:
        chat(rc)
        rc.space("ana", session="s2").observe("assistant", "Good morning.")
        rc.space("ana").observe("user", "Outside of any session.")
        rc.space("ana").remember("Tom's dog is eleven.")
        assert run(rc, ear) == [
            Told("Ana: How old is your dog?"),
            Told("Ana: That is old.", "Tom: Eleven."),
            Told("Tom: Eleven.", "Ana: How old is your dog?"),
            Told("assistant: Good morning."),
            Told("user: Outside of any session."),
        ]


@pytest.mark.parametrize("how", ["forget", "erase"])
def test_the_successor_of_what_goes_is_embedded_anew(heard: Recollect, ear: Listening, how: str) -> None:
    """Nothing of a message that is gone is left in the vector of the next; all others keep theirs."""
    with heard as rc:
        ana = chat(rc)
        run(rc, ear)
        middle = next(one for one in ana.list(kinds=["episode"]) if one.content == "Eleven.")
        if how == "forget":
            ana.forget(middle.id)
        else:
            ana.erase(middle.id)
        assert run(rc, ear) == [Told("Ana: That is old.", "Ana: How old is your dog?")]
        assert run(rc, ear) == []
        assert [one.memory.content for one in rc.space("ana").recall("That is old.", kinds=["episode"])][:1] == [
            "That is old."
        ]


def test_what_comes_back_stands_before_again(heard: Recollect, ear: Listening) -> None:
    """A message that was forgotten and is restored is read before its successor once more."""
    with heard as rc:
        ana = chat(rc)
        run(rc, ear)
        middle = next(one for one in ana.list(kinds=["episode"]) if one.content == "Eleven.")
        ana.forget(middle.id)
        run(rc, ear)
        ana.restore(middle.id)
        assert Told("Ana: That is old.", "Tom: Eleven.") in run(rc, ear)


def test_at_once_is_the_same(database: str, clock: FixedClock, ear: Listening) -> None:
    """A vector made in `observe` itself is the one the job would have made."""
    with Recollect(database, clock=clock, embedder=ear, embedding={"at_once": True}) as rc:
        chat(rc)
        assert ear.heard[-1] == Told("Ana: That is old.", "Tom: Eleven.")
        assert run(rc, ear) == []


def test_a_worker_asked_to_stop_embeds_no_further(heard: Recollect, ear: Listening) -> None:
    """What is in hand is written down, and the rest waits for the next run: nobody waits for ten thousand messages."""
    ana = heard.space("ana", session="s1")
    for number in range(300):
        ana.observe("user", f"Message {number}")
    worker = heard.worker()
    first = ear.embed_told

    def stops(texts: Sequence[Told]) -> Embedded:
        worker.ask_to_stop()
        return first(texts)

    ear.embed_told = stops  # type: ignore[method-assign]
    worker.run()
    done = len(ear.heard)
    assert 0 < done < 300
    ear.embed_told = first  # type: ignore[method-assign]
    heard.worker().run(once=True)
    assert len(ear.heard) == 300
