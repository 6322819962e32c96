"""The gate by meaning: new memories are linked to their neighbours, and known ones told in other words are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.flows.find.neighbours import MOST
from recollect.language.english.conflict import compare
from recollect.language.english.rewording import reworded
from recollect.testing import FixedClock
from recollect.text.vectors import kept

MUSIC = (
    "Ana plays the violin in an orchestra.",
    "Ana practises the cello every evening.",
    "The orchestra rehearses on Fridays.",
    "Ben repairs old violins.",
    "The concert hall has a new organ.",
    "Mara sings in the choir.",
    "The tractor needs diesel.",
    "Joe teaches the piano to children.",
    "The band tours with a string quartet.",
)
LAST = "Ana bought new strings for her violin."


@pytest.fixture(scope="module")
def rc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    """Give a memory with the bundled model; each test speaks for a user of its own."""
    with Recollect(tmp_path_factory.mktemp("gate") / "memory.db", clock=FixedClock(), embedder="minilm") as opened:
        yield opened


def similarity(rc: Recollect, one: str, other: str) -> float:
    """Compare two texts by the model itself."""
    embedder = rc._runtime.embedder()
    assert embedder is not None
    first, second = embedder.embed([one]).vectors[0], embedder.embed([other]).vectors[0]
    assert first is not None
    assert second is not None
    return float(kept(first) @ kept(second))


def related(space: Space, id: str) -> dict[str, float]:
    """Give what a memory was linked to when it came, with the strength of each link."""
    links = [link for link in space.links(id) if link.type == "related_to" and link.from_id == id]
    return {space.get(link.to_id).content: link.strength for link in links}


def test_links_to_the_nearest(rc: Recollect) -> None:
    """A new fact is linked to the five nearest that are near enough, as strongly as they are similar."""
    ana = rc.space("links")
    ana.observe("user", "I bought new strings for my violin.")  # messages are not linked to
    for text in MUSIC:
        ana.remember(text)
    rc.run_jobs(["embed"])
    near = sorted(((similarity(rc, text, LAST), text) for text in MUSIC), reverse=True)
    wanted = {text: strength for strength, text in near[:MOST] if strength >= rc._runtime.link_min}
    found = related(ana, ana.remember(LAST).id)
    assert set(found) == set(wanted)
    assert [found[text] for text in wanted] == pytest.approx(list(wanted.values()), abs=2e-3)
    assert 2 <= len(found) <= MOST
    assert "The tractor needs diesel." not in found


def test_no_more_links_than_five(rc: Recollect) -> None:
    """Among many that are near enough only the five nearest are linked."""
    tea = rc.space("tea")
    for place in ("Assam", "Ceylon", "Darjeeling", "Kenya", "Nepal", "Java", "Malawi"):
        assert tea.remember(f"Much tea comes from {place}.").outcome == "stored"
    assert len(related(tea, tea.remember("Much tea comes from Turkey.").id)) == MOST


def test_links_can_be_made_harder(rc: Recollect, clock: FixedClock) -> None:
    """With a higher `link_min` what is merely on the same subject is not linked."""
    with Recollect(rc.describe()["url"], clock=clock, embedder="minilm", embedding={"link_min": 0.99}) as strict:
        space = strict.space("strict")
        space.remember(MUSIC[0])
        assert related(space, space.remember(LAST).id) == {}


@pytest.mark.parametrize(
    ("known", "again"),
    [
        ("Ana lives in Lisbon.", "In Lisbon Ana lives."),
        ("The cat sleeps on the sofa at night.", "At night the cat sleeps on the sofa."),
        ("The keys are under the flower pot.", "The keys are under the flower pots."),
    ],
)
def test_told_again_in_other_words(rc: Recollect, known: str, again: str) -> None:
    """What says the same in another order or form is a duplicate of what is known."""
    space = rc.space(f"same {known}")
    first = space.remember(known).id
    second = space.remember(again)
    assert (second.outcome, second.id) == ("duplicate", first)
    assert [hit.memory.content for hit in space.recall(known)] == [known]


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("Ana is older than Ben.", "Ana is younger than Ben."),
        ("The rent is 850 euros a month.", "The rent is 920 euros a month."),
        ("Ana likes green tea.", "Ana does not like green tea."),
        ("Ana gave Ben the book.", "Ben gave Ana the book."),
        ("Ana works at the bakery in town.", "Mara works at the bakery in town."),
        ("The meeting is on Monday morning.", "The meeting is on Tuesday morning."),
        ("Ana lives in Lisbon.", "Ana used to live in Lisbon."),
        ("Ana flew from Rome to Oslo.", "Ana flew from Oslo to Rome."),
        ("The door of the shed is red.", "The door of the shed is blue."),
        ("Ben never eats meat.", "Ben always eats meat."),
    ],
)
def test_what_changed_is_new(rc: Recollect, known: str, other: str) -> None:
    """However near two texts are, another number, name, negation, or word in a word's place makes a new memory."""
    space = rc.space(f"other {known} {other}")
    first = space.remember(known).id
    second = space.remember(other)
    assert second.outcome == ("superseded" if compare(known, other).name == "changed" else "stored")
    assert second.id != first
    assert not reworded(known, other)
    standing = {other} if second.outcome == "superseded" else {known, other}
    assert {hit.memory.content for hit in space.recall(known)} == standing


def test_of_another_kind_or_slot_it_is_new(rc: Recollect) -> None:
    """The same in other words is kept when it is another kind of memory, or stands in a slot."""
    space = rc.space("kinds")
    space.remember("Ana lives in Lisbon.")
    assert space.remember("In Lisbon Ana lives.", kind="lesson").outcome == "stored"
    assert space.remember("In Lisbon Ana lives.", key="home").outcome == "stored"
    assert space.remember("In Lisbon Ana lives.").outcome == "duplicate"


def test_without_a_model_words_judge(tmp_path: Path, clock: FixedClock) -> None:
    """Without an embedder nothing is linked, and only what is said in the same words is the same."""
    with Recollect(tmp_path / "memory.db", clock=clock) as rc:
        space = rc.space("ana")
        space.remember("Ana lives in Lisbon.")
        assert space.remember("In Lisbon Ana lives.").outcome == "duplicate"
        other = space.remember("Ana's home is Lisbon.")
        assert other.outcome == "stored"
        assert related(space, other.id) == {}
