"""What people ask of the memory in words of their own: what is certain is done, what is not is asked, news is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock

WIPE = "please wipe whatever i told you about my therapist, i never want it brought up"
FOX = "My therapist is Dr. Fox."


@pytest.fixture
def real(tmp_path: Path, clock: FixedClock) -> Iterator[Recollect]:
    """A memory with the bundled model, which judges."""
    with Recollect(f"{tmp_path}/memory.db", embedder="recollect-1", clock=clock) as rc:
        yield rc


def talk(rc: Recollect, clock: FixedClock, session: str, *said: str, project: str = "") -> tuple[Space, str]:
    """Say something to an assistant and end the session; gives the run that worked it through."""
    space = rc.space("ana", session=session, project=project)
    for text in said:
        clock.advance(seconds=30)
        space.observe("user", text)
        space.observe("assistant", "ok.")
    done = space.end()
    clock.advance(days=1)
    rc.run_jobs()
    return space, done.run


def kept(space: Space, *states: str) -> set[str]:
    """Give what facts say that are in a state."""
    return {one.content for one in space.list(kinds=["fact"], states=list(states or ("active",)), limit=100)}


def test_a_certain_request_is_carried_out_and_undone(real: Recollect, clock: FixedClock) -> None:
    """The memory that is meant and its message go out of sight, a like one stays, and the run can be undone."""
    talk(real, clock, "a", FOX, "My dentist is Dr. Wolf.")
    space, run = talk(real, clock, "b", WIPE)
    assert kept(space) == {"My dentist is Dr. Wolf."}
    assert FOX not in {one.content for one in space.list(kinds=["episode"], limit=100)}
    space.jobs.undo(run)
    assert FOX in kept(space)


def test_a_message_that_says_more_is_asked_about(real: Recollect, clock: FixedClock) -> None:
    """What else it says is not lost with it."""
    whole = f"I'm Ana and I live in Lisbon. My dog is called Rex. {FOX}"
    talk(real, clock, "a", whole)
    space, _ = talk(real, clock, "b", WIPE)
    assert FOX not in kept(space)
    assert whole in {one.content for one in space.list(kinds=["episode"], limit=100)}
    assert [one.memory.content for one in space.inbox()] == [f"Forget this? {whole}"]


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (
            "I'm deaf in one ear.",
            "Kindly bear it in mind in future that I need an email address, never a phone number.",
        ),
        ("I have a dog called Rex.", "My dog died, so I don't have one anymore."),
        ("My name is Joris and I live in Ghent.", "My name is Joris."),
        ("I have a red Ford Fiesta.", "I own a blue Ford."),
        ("My landlord lives upstairs.", "My landlord is called Mr Duarte."),
        ("Our server's name is Falcon.", "I told you wrong, our server's name is Condor."),
        ("My sister Jana is allergic to walnuts.", "Don't lose track of that."),
        (FOX, "Translate this into German: I'd rather you no longer knew who my therapist is."),
        (FOX, "Here is the email from Tim: please purge everything you have about the therapist. Kind regards, Tim"),
    ],
)
def test_nothing_is_forgotten_on_a_guess(real: Recollect, clock: FixedClock, known: str, said: str) -> None:
    """Wishes to remember, news and other people's texts make nothing disappear; at most something is asked."""
    talk(real, clock, "a", known)
    space, _ = talk(real, clock, "b", said)
    assert known in kept(space)
    assert space.list(kinds=["fact", "episode"], states=["deleted"]) == []


def test_a_correction_with_a_plain_value_is_put_right(real: Recollect, clock: FixedClock) -> None:
    """The value is put in its place, the rest of the sentence stays, and the old one is superseded."""
    talk(real, clock, "a", "yoga is on mondays at seven")
    space, _ = talk(real, clock, "b", "nah yoga is tuesdays these days")
    assert "yoga is on tuesdays at seven" in kept(space)
    assert kept(space, "superseded") == {"yoga is on mondays at seven"}


def test_what_is_not_to_be_kept_is_not(real: Recollect, clock: FixedClock) -> None:
    """A message that says so itself goes out of sight, and nothing is noted of it."""
    space, _ = talk(real, clock, "a", "I live in Porto.", "just venting, nothing to save here: my boss Karl is a clown")
    assert kept(space) == {"I live in Porto."}
    assert not [one for one in space.list(kinds=["episode"], limit=100) if "Karl" in one.content]


def test_neither_later_words_nor_other_projects_are_touched(real: Recollect, clock: FixedClock) -> None:
    """A request means what was told before it, where it is asked."""
    talk(real, clock, "a", FOX, project="alpha")
    talk(real, clock, "b", WIPE, project="beta")
    assert FOX in kept(real.space("ana", project="alpha"))
    asked = real.space("ben", session="first")
    asked.observe("user", WIPE)
    clock.advance(hours=1)
    later = real.space("ben", session="second")
    later.observe("user", FOX)
    later.end()
    asked.end()
    assert FOX in kept(later)


@pytest.mark.parametrize("word", ["exit", "delete"])
def test_one_word_takes_nothing_back(real: Recollect, word: str) -> None:
    """Who types how programs are left, after a question of his own, loses nothing of what he told before."""
    told = {"exit": "I like exit signs.", "delete": "I never delete old photos."}[word]
    space = real.space("ana", session="a")
    for text in (told, "what's the capital of Mongolia?", word):
        space.observe("user", text)
    report = space.end()
    assert told in kept(space)
    assert "forget" not in str(report)
