"""The contract of names: memories read again, two entities made one, and all of it taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from recollect.errors import Conflict, NotFound
from recollect.model.change import Drop, Name, Patch, Remove, Rename, Unite, Unname, Write
from recollect.model.entity import Entity, Mention
from recollect.rules.life.inverse import inverse_of
from recollect.store.base import Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, commit, everything, make, put

READ = "2026-01-05T09:00:00Z"
KEPT = ("memories", "entities", "names", "links")


def rows(store: Store) -> dict[str, list[Any]]:
    """Give everything an owner has but its journal."""
    with store.view() as view:
        return {table: [dict(row) for row in view.dump(ANA, table)] for table in KEPT}


def named(store: Store, *names: str) -> list[Entity]:
    """Give the entities known by names."""
    with store.view() as view:
        return view.entities(ANA, names)


def person(name: str, *aliases: str) -> Mention:
    """Give a mention of a person."""
    return Mention(name, "person", 0, len(name), 0.75, aliases)


def take_back(store: Store, since: int) -> None:
    """Take back what was done after a revision, the last first."""
    with store.view() as view:
        entries = view.journal(ANA, (), since)
    back = [inverse_of(entry) for entry in reversed(entries)]
    commit(store, *(change for change in back if change is not None))


class Naming(Ground):
    """What a store promises about who and what memories name."""

    def test_a_memory_read_again(self, store: Store) -> None:
        """What more a memory names is linked, a bare name gets its type, and the memory is marked at its version."""
        commit(store, put(make("fact_1", "We met Ana Silva in Lisbon.")))
        place = Mention("Lisbon", "location", 0, 6, 0.75)
        commit(store, Name("fact_1", (person("Ana Silva"), place, Mention("Atlas", "project", 0, 5)), READ))
        assert [(one.name, one.type, one.mentions) for one in named(store, "ana silva", "lisbon", "atlas")] == [
            ("Ana Silva", "person", 1),
            ("Atlas", "project", 1),
            ("Lisbon", "location", 1),
        ]
        with store.view() as view:
            (memory,) = view.get(ANA, ["fact_1"])
            assert (memory.version, memory.attributes) == (1, {"enriched_at": READ})
            assert [entry.op for entry in view.journal(ANA, ["fact_1"])] == ["created", "named"]
            assert view.about(everything(), ["lisbon"], 5) == [(1, 1)]
        commit(store, Name("fact_9", (person("Nobody"),), READ))
        assert named(store, "nobody") == []
        self.sound(store)

    def test_names_follow_their_type(self, store: Store) -> None:
        """Where only the name is seen later it is the one known; of one word, another type is another entity."""
        commit(store, put(make("fact_1", "I saw Paris.")))
        commit(store, put(make("fact_2", "We met Paris.")))
        commit(store, Name("fact_1", (Mention("Paris", "location", 0, 5),), READ))
        commit(store, Name("fact_2", (person("Paris"),), READ))
        commit(store, put(make("fact_3", "They love Paris.")))
        found = {one.type: one for one in named(store, "paris")}
        assert {type: one.mentions for type, one in found.items()} == {"location": 2, "person": 1}
        commit(store, Name("fact_3", (Mention("Jo Li", "location", 0, 5),), READ))
        commit(store, Name("fact_1", (person("Jo Li"),), READ))
        assert [(one.type, one.mentions) for one in named(store, "jo li")] == [("location", 2)]
        self.sound(store)

    def test_reading_is_taken_back_whole(self, store: Store) -> None:
        """The inverse of its journal lines leaves no trace of a run, wherever two memories met the same entity."""
        for number, text in enumerate(("I saw Paris.", "We met Paris and Bob.", "Nothing here."), 1):
            commit(store, put(make(f"fact_{number}", text)))
        before = rows(store)
        done = (
            Name("fact_1", (Mention("Paris", "location", 0, 5), person("Robert Smith", "Rob")), READ),
            Name("fact_2", (person("Paris"), person("Bob")), READ),
            Name("fact_3", (person("Robert Smith"),), READ),
        )
        commit(store, *done)
        assert rows(store) != before
        assert [one.mentions for one in named(store, "rob")] == [2]
        take_back(store, 3)
        assert rows(store) == before
        self.sound(store)

    def test_names_a_new_memory_taught_are_taken_back(self, store: Store) -> None:
        """What somebody known is also called in a new memory is told in its line, and goes with the inverse of it."""
        commit(store, put(make("fact_1", "we met.")))
        commit(store, Name("fact_1", (person("Robert Smith"),), READ))
        before = rows(store)
        fresh = put(make("fact_2", "we met again."))
        commit(store, replace(fresh, mentions=(person("Robert Smith", "Rob"), person("Eve", "Evie"))))
        assert [one.name for one in named(store, "rob", "evie")] == ["Robert Smith", "Eve"]
        take_back(store, 2)
        assert named(store, "rob") == []
        commit(store, Remove(("fact_2",), "purged"))
        assert rows(store) == before
        self.sound(store)

    def test_two_become_one(self, store: Store) -> None:
        """Names, links and counts go over, a memory that had both has one, and taking it back restores the rows."""
        for number, text in enumerate(
            ("Yesterday Bob came.", "We saw Robert Smith and Bob.", "we asked Robert Smith."), 1
        ):
            commit(store, put(make(f"fact_{number}", text)))
        (bob,), (robert,) = named(store, "bob"), named(store, "robert smith")
        before = rows(store)
        commit(store, Unite(bob.id, robert.id))
        (one,) = named(store, "bob", "robert smith")
        assert (one.id, one.aliases, one.mentions) == (robert.id, ("bob", "robert smith"), 3)
        with store.view() as view:
            assert [doc for doc, _ in view.about(everything(), ["bob"], 5)] == [3, 2, 1]
        commit(store, put(make("fact_4", "Then Bob left.")))
        assert named(store, "bob")[0].mentions == 4
        commit(store, Remove(("fact_4",), "purged"))
        take_back(store, 3)
        assert rows(store) == before
        for wrong, error in ((Unite(bob.id, bob.id), Conflict), (Unite("ent_none", bob.id), NotFound)):
            with pytest.raises(error):
                commit(store, wrong)
        self.sound(store)

    def test_names_leave_the_journal(self, store: Store) -> None:
        """When an entity goes, so do the names of all that were united into it, journal and all."""
        for number, text in enumerate(("we saw Bobby.", "we saw Bob.", "we asked Robert Smith."), 1):
            commit(store, put(make(f"fact_{number}", text)))
        (bobby,), (bob,), (robert,) = (named(store, name) for name in ("bobby", "bob", "robert smith"))
        commit(store, Unite(bobby.id, bob.id))
        commit(store, Unite(bob.id, robert.id))
        commit(store, Remove(("fact_1", "fact_2", "fact_3"), "erased"), Drop(entities=(robert.id,)))
        with store.view() as view:
            assert not any("ob" in str((entry.before, entry.meta)) for entry in view.journal(ANA))

    def test_a_name_goes_with_the_last_who_said_it(self, store: Store) -> None:
        """Of somebody others still mention, the names only a removed memory said go, in the rows and in the journal."""
        said = ("we asked Robert Smith.", "we know Robert Smith is Bobby Flint.", "we call Robert Smith Smitty.")
        for number, text in enumerate(said, 1):
            commit(store, put(make(f"fact_{number}", text)))
        (bobby,), (robert,) = (named(store, name) for name in ("bobby flint", "robert smith"))
        commit(store, Unite(bobby.id, robert.id))
        commit(store, Name("fact_3", (Mention("Robert Smith", robert.type, 0, 0, aliases=("smitty",)),)))
        commit(store, put(make("fact_4", "we saw Bobby Flint.")))
        commit(store, Remove(("fact_2", "fact_3"), "purged"))
        assert named(store, "robert smith")[0].aliases == ("bobby flint", "robert smith")
        commit(store, Remove(("fact_4",), "erased"))
        assert [(one.aliases, one.mentions) for one in named(store, "robert smith")] == [(("robert smith",), 1)]
        with store.view() as view:
            told = str([(entry.before, entry.meta) for entry in view.journal(ANA)]).lower()
        assert not [name for name in ("bobby", "flint", "smitty") if name in told]
        self.sound(store)

    def test_who_was_known_by_a_name_that_went(self, store: Store) -> None:
        """An entity whose own name nobody says any more is called as those write it who still mention it."""
        for number, text in enumerate(("we saw Bobby Flint.", "we asked Robert Smith."), 1):
            commit(store, put(make(f"fact_{number}", text)))
        (bobby,), (robert,) = (named(store, name) for name in ("bobby flint", "robert smith"))
        commit(store, Unite(robert.id, bobby.id))
        commit(store, Remove(("fact_1",), "purged"))
        (one,) = named(store, "robert smith")
        assert (one.name, one.aliases, one.mentions) == ("Robert Smith", ("robert smith",), 1)

    def test_names_the_owner_united_by_hand_stay(self, store: Store) -> None:
        """What the owner himself said is one's stays until that one goes; then no line tells of it, parted or not."""
        for number, text in enumerate(("we saw Bobby Flint.", "we asked Robert Smith."), 1):
            commit(store, put(make(f"fact_{number}", text)))
        (bobby,), (robert,) = (named(store, name) for name in ("bobby flint", "robert smith"))
        store.commit(Write(owner=ANA, at=AT, node="unite", changes=(Unite(bobby.id, robert.id),)))
        commit(store, Remove(("fact_1",), "purged"))
        assert named(store, "bobby flint")[0].id == robert.id
        take_back(store, 2)
        commit(store, put(make("fact_3", "then Bobby Flint left.")))
        assert named(store, "bobby flint")[0].id == bobby.id
        commit(store, Remove(("fact_3",), "purged"))
        with store.view() as view:
            assert "obby" not in str([(entry.before, entry.meta) for entry in view.journal(ANA)])
        self.sound(store)

    def test_who_nobody_mentioned_before_can_stay(self, store: Store) -> None:
        """A new memory's line tells whom nobody had mentioned; removing the memory keeps them where that is asked."""
        commit(store, put(make("fact_1", "we met Ana Silva.")))
        (silva,) = named(store, "ana silva")
        commit(store, Unname("fact_1", linked=(silva.id,)))
        before = rows(store)
        commit(store, put(make("fact_2", "we saw Ana Silva.")))
        with store.view() as view:
            assert view.journal(ANA, ["fact_2"])[0].meta == {"bare": [silva.id]}
        commit(store, Remove(("fact_2",), "purged", keep=(silva.id,)))
        assert rows(store) == before

    def test_unread(self, store: Store) -> None:
        """What was not read again and has few names of known type comes newest first, within its filter."""
        for number in range(1, 5):
            commit(store, put(make(f"fact_{number}", f"Number {number} for Ana Silva.")))
        commit(store, put(make("fact_5", "@a @b @c")), put(make("ev_6", "Not this kind.", kind="event")))
        commit(store, Name("fact_3", (), READ))
        with store.view() as view:
            where = everything(kinds=("fact", "episode"))
            assert [one.id for one in view.unread(where, 2, 9)] == ["fact_4", "fact_2", "fact_1"]
            assert [one.id for one in view.unread(where, 3, 1)] == ["fact_5"]
            below = view.numbers(ANA, ["fact_4"])["fact_4"]
            assert [one.id for one in view.unread(where, 2, 9, below)] == ["fact_2", "fact_1"]

    def test_namesakes(self, store: Store) -> None:
        """A name finds those who have it among their words, never inside one, and signs of LIKE mean nothing."""
        commit(store, put(make("fact_1", "We met Ana, Joana, Ana Silva, Maria Ana Costa and Li Ana.")), at=AT)
        with store.view() as view:
            found = {one.name for one in view.namesakes(ANA, "ana")}
            assert found == {"Ana", "Ana Silva", "Maria Ana Costa", "Li Ana"}
            assert view.namesakes(ANA, "a%") == view.namesakes(ANA, "an_") == []

    def test_who_is_mentioned_together(self, store: Store) -> None:
        """Entities are listed by mentions and found by a part of a name; only memories that stand join them."""
        for number, text in enumerate(
            ("Ana Silva met Bob Stone.", "Ana Silva saw Bob Stone.", "Ana Silva, Cy Lake."), 1
        ):
            commit(store, put(make(f"fact_{number}", text)))
        (silva,), (stone,), (lake,) = (named(store, name) for name in ("ana silva", "bob stone", "cy lake"))
        with store.view() as view:
            assert [one.name for one in view.known(ANA, "", "", 9)] == ["Ana Silva", "Bob Stone", "Cy Lake"]
            assert [one.id for one in view.known(ANA, "a s", "", 9)] == [silva.id]
            assert (
                view.known(ANA, "%", "", 9) == view.known(ANA, "", "nothing", 9) == view.known("bob", "", "", 9) == []
            )
            assert [one.id for one in view.known(ANA, "", "", 1, 1)] == [stone.id]
            assert [one.id for one in view.by_id(ANA, [lake.id, "ent_x", silva.id])] == [lake.id, silva.id]
            assert view.near(ANA, silva.id) == [(stone.id, 2), (lake.id, 1)]
            pairs = {frozenset(pair[:2]): pair[2] for pair in view.joined(ANA, [silva.id, stone.id, lake.id])}
            assert pairs == {frozenset((silva.id, stone.id)): 2, frozenset((silva.id, lake.id)): 1}
            assert view.joined(ANA, []) == view.joined(ANA, [stone.id, lake.id]) == []
            assert view.near("bob", silva.id) == []
        commit(store, Patch("fact_1", {"state": "deleted"}, "deleted"))
        with store.view() as view:
            assert dict(view.near(ANA, silva.id)) == {stone.id: 1, lake.id: 1}

    def test_another_name(self, store: Store) -> None:
        """It is shown by the new name and found by both; taken back it is as before, and erased names are nowhere."""
        for number, text in enumerate(("we saw Bobby Flint.", "we asked Robert Smith."), 1):
            commit(store, put(make(f"fact_{number}", text)))
        (bobby,), before = named(store, "bobby flint"), rows(store)
        commit(store, Rename(bobby.id, "Robert Flint"))
        assert [one.name for one in named(store, "bobby flint", "robert flint")] == ["Robert Flint"]
        with pytest.raises(Conflict, match="unite"):
            commit(store, Rename(bobby.id, "Robert Smith"))
        with pytest.raises(NotFound):
            commit(store, Rename("ent_x", "Nobody"))
        take_back(store, 2)
        assert rows(store) == before
        commit(store, Rename(bobby.id, "Robert Flint"))
        commit(store, Remove(("fact_1",), "erased"))
        with store.view() as view:
            assert "lint" not in str([(entry.before, entry.meta) for entry in view.journal(ANA)])
        self.sound(store)

    def test_what_happened_in_between(self, store: Store) -> None:
        """Lines from one moment until before another come newest first, at most as many as asked for."""
        for number in range(4):
            commit(store, put(make(f"fact_{number}", f"Number {number}.")), at=AT + timedelta(hours=number))
        with store.view() as view:
            found = view.happened(ANA, AT + timedelta(hours=1), AT + timedelta(hours=3), 9)
            assert [one.memory_id for one in found if one.op == "created"] == ["fact_2", "fact_1"]
            assert len(view.happened(ANA, AT, AT + timedelta(days=1), 2)) == 2
            assert view.happened("bob", AT, AT + timedelta(days=1), 9) == []
