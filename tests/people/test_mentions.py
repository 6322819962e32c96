"""Names in a text: overlaps, short forms, aliases that a text tells, and who may be one."""

from __future__ import annotations

from itertools import permutations

import pytest

from recollect.language import open_reader
from recollect.model.entity import Entity, Mention
from recollect.providers.entities import extract
from recollect.rules.people.mentions import EntitiesPolicy, problem, resolve, widened
from recollect.rules.people.names import certain, whole

READER = open_reader("words")


def person(name: str, start: int = 0) -> Mention:
    """Give a mention of a person."""
    return Mention(name, "person", start, start + len(name), 0.75)


def test_overlaps_do_not_depend_on_order() -> None:
    """Of overlapping finds the surer stands, then the longer, in whatever order they came."""
    found = [
        Mention("Ana", "name", 0, 3, 0.5),
        Mention("Ana Silva", "person", 0, 9, 0.75),
        Mention("Silva Lda", "organization", 4, 13, 0.75),
        Mention("Lda in Porto", "location", 10, 22, 0.9),
    ]
    assert {tuple(resolve(order)) for order in permutations(found)} == {(found[1], found[3])}


def test_a_part_of_a_run_is_widened() -> None:
    """A find at the end of a run of capitalised words is the whole run; one in the middle of nothing stays."""
    text = "we saw Ana Silva and Bob"
    runs = extract(text, READER.cues("english"))
    wide = list(widened([person("Silva", 11), person("Bob", 21)], runs))
    assert [(one.name, one.start, one.end) for one in wide] == [("Ana Silva", 7, 16), ("Bob", 21, 24)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My cousin Paris turned twelve.", [("Paris", "person")]),
        ("our old neighbour Olga Petrova's cat", [("Olga Petrova", "person")]),
        ("Call Dr. Nowak or Mrs Li", [("Nowak", "person"), ("Li", "person")]),
        ("Project Apollo and the project Atlas", [("Project Apollo", "project"), ("Atlas", "project")]),
        ("my sister said Paris is nice", []),
    ],
)
def test_cues(text: str, found: list[tuple[str, str]]) -> None:
    """The word before a name tells what it is."""
    assert [(one.name, one.type) for one in READER.cued(text)] == found


def test_short_forms_within_one_text() -> None:
    """A first name beside the one full name that has it is no second person; beside two it stays."""
    names = [one.name for one in whole([person("Ana Silva"), person("Ana", 20), person("Joana", 30)])]
    assert names == ["Ana Silva", "Joana"]
    names = [one.name for one in whole([person("Ana Silva"), person("Ana Costa", 10), person("Ana", 20)])]
    assert names == ["Ana Silva", "Ana Costa", "Ana"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Robert Smith is also known as Bob.", [("Robert Smith", "Bob")]),
        ("Bob, a.k.a. Robert Smith, came.", [("Robert Smith", "Bob")]),
        ("Liz is short for Elizabeth.", [("Elizabeth", "Liz")]),
        ("Is Ana Silva also known as Bob?", []),
        ("Ana Silva is not known as Bob. Maybe Ana is short for Joana.", []),
        ("Ana called Bob. The project is known as late.", []),
    ],
)
def test_also_called(text: str, pairs: list[tuple[str, str]]) -> None:
    """Only what a text says outright makes two names one's: no question, doubt or phone call does."""
    assert READER.also_called(text) == pairs


def test_certain() -> None:
    """A short name is united only when nobody else is known by it or by a longer name that has it."""
    robert = Entity("ent_1", "Robert Smith", "person", ("robert smith",), 3)
    bob = Entity("ent_2", "Bob", "name", ("bob",), 2)
    jones = Entity("ent_3", "Bob Jones", "person", ("bob jones",), 1)
    assert certain(robert, "bob", [])
    assert certain(robert, "bob", [bob])
    assert not certain(robert, "bob", [bob, jones])
    assert not certain(robert, "bob", [Entity("ent_4", "Bob", "person", ("bob", "bob jones"), 2)])
    assert not certain(robert, "bob", [Entity("ent_5", "Bob", "location", ("bob",), 2)])


@pytest.mark.parametrize(
    "policy",
    [
        EntitiesPolicy(fast=("llm",)),
        EntitiesPolicy(accurate=("regex", "magic")),
        EntitiesPolicy(spacy_model="../x"),
    ],
)
def test_readers_are_checked(policy: EntitiesPolicy) -> None:
    """An unknown reader, a model on the way of a message, and a strange package are refused."""
    assert problem(policy).startswith("entities.")
