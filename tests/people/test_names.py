"""Names: how entities are told apart."""

from __future__ import annotations

from recollect.rules.people.names import entity_id, phrases


def test_names() -> None:
    """An entity's id follows from its folded name and type; phrases are runs of up to four words."""
    assert entity_id("person", "Ana") == entity_id("person", "  ANA ")
    assert len({entity_id("person", "Ann"), entity_id("person", "Joanna"), entity_id("name", "Ann")}) == 3
    none: frozenset[str] = frozenset()
    assert phrases(["a", "b", "c"], none, 2) == ["a", "a b", "b", "b c", "c"]
    assert phrases(["ana", "and", "bob"], frozenset({"and"})) == ["ana", "ana and bob", "bob"]
    assert phrases([], none) == []
