"""The contract of reading: filters, orders, slots and the walls between owners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recollect.errors import Conflict
from recollect.model.change import Connect, Enqueue, Open, Patch, Wipe
from recollect.model.expectation import Absent
from recollect.model.owner import owner_key
from recollect.model.receipt import Receipt
from recollect.store.base import LEFT, TABLES, Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import (
    ANA,
    AT,
    DAY,
    FILTERS,
    HOSTILE,
    MINUTE,
    commit,
    everything,
    make,
    matched,
    put,
    stock,
)
from recollect.text.normal import content_hash


class Reads(Ground):
    """What a view promises."""

    def test_pairs_nobody_has_judged(self, store: Store) -> None:
        """A weak `compared` link is a pair not judged yet: oldest first, this owner's only; judged ones by when."""
        stock(store)
        commit(store, Connect("fact_1", "fact_2", "compared", 0.0), at=AT + DAY)
        commit(store, Connect("fact_2", "fact_3", "compared", 0.0), at=AT)
        commit(store, Connect("fact_1", "fact_3", "related_to", 0.0))
        with store.view() as view:
            assert [(one.from_id, one.to_id) for one in view.unjudged(ANA, 9)] == [
                ("fact_2", "fact_3"),
                ("fact_1", "fact_2"),
            ]
            assert len(view.unjudged(ANA, 1)) == 1
            assert view.unjudged(owner_key("bob"), 9) == []
        commit(store, Connect("fact_2", "fact_3", "compared", 1.0))
        with store.view() as view:
            assert [one.to_id for one in view.unjudged(ANA, 9)] == ["fact_2"]
            assert [one.to_id for one in view.unjudged(ANA, 9, judged_before=AT)] == ["fact_3"]
            assert view.unjudged(ANA, 9, judged_before=AT - DAY) == []
        commit(store, Connect("fact_1", "fact_2", "compared", LEFT))
        with store.view() as view:
            assert view.unjudged(ANA, 9) == []

    def test_what_a_memory_rests_on(self, store: Store) -> None:
        """Only sources count that are active and not run out; looking back, those replaced or merged count too."""
        states = ("active", "active", "superseded", "merged", "deleted", "proposed")
        commit(store, *(put(make(f"fact_{n}", f"N {n}", state=state)) for n, state in enumerate(states)))
        commit(store, *(put(make(f"fact_{n}", f"A digest {n}.")) for n in (7, 8, 9)))
        commit(store, Patch("fact_1", {"valid_until": AT + DAY}))
        commit(store, *(Connect("fact_7", f"fact_{n}", "derived_from") for n in range(6)))
        commit(store, Connect("fact_8", "fact_0", "derived_from"), Connect("fact_9", "fact_0", "supersedes"))
        with store.view() as view:
            ids = ["fact_7", "fact_8", "fact_9", "fact_unknown"]
            assert view.founded(ANA, ids, AT) == {"fact_7": 2, "fact_8": 1}
            assert view.founded(ANA, ids, AT + DAY) == {"fact_7": 1, "fact_8": 1}
            assert view.founded(ANA, ids, None) == {"fact_7": 4, "fact_8": 1}
            assert view.founded(ANA, [], AT) == {}
            assert view.founded(owner_key("bob"), ids, AT) == {}

    # Filters and orders

    @pytest.mark.parametrize(("fields", "passing"), [one[1:] for one in FILTERS], ids=[one[0] for one in FILTERS])
    def test_every_filter(self, store: Store, fields: dict[str, Any], passing: set[str]) -> None:
        """Each field of a filter holds inside ranked matches, names, pages and counts alike."""
        stock(store)
        where = everything(**fields)
        with store.view() as view:
            paged = {memory.id for memory in view.page(where, "recent", 10)}
            docs = {doc for _, doc, _ in matched(view, where, ["tea"])}
            named = [doc for doc, _ in view.about(where, ["tearoom"], 10)]
            known = {doc: memory.id for doc, memory in view.documents(ANA, range(1, 10)).items()}
            assert paged == passing
            assert {known[doc] for doc in docs} == passing
            assert {known[doc] for doc in named} == passing
            assert len(named) == len(passing)
            assert view.count(where) == len(passing)
            assert {one.id for one in view.lightest(where, 1000)} == set(passing)
            assert {(one.id, one.content) for one in view.lives(where)} == {(one, "") for one in passing}
            assert view.count(replace(where, owner=owner_key("bob"))) == 0

    def test_messages_are_read_as_they_are(self, store: Store) -> None:
        """Read as messages, memories are the same to the last column, whatever is unusual about one of them."""
        usual: dict[str, Any] = {"kind": "episode", "tier": "long", "importance": None, "decay_rate": 0.0}
        odd: list[dict[str, Any]] = [
            {"tier": "archive", "archive": "a.jsonl"}, {"kind": "fact"}, {"tier": "short"}, {"source": "user"},
            {"agent": "helper"}, {"category": "health"},
            {"topic": "tea"}, {"key": "tea"}, {"importance": 5}, {"confidence": 0.9999999999999999}, {"trust": 0.6},
            {"decay_rate": 1e-300}, {"pinned": True}, {"access_count": 1}, {"last_accessed": AT},
            {"valid_until": AT + DAY}, {"purge_at": AT}, {"version": 2}, {"tags": ("a", "b")}, {"state": "deleted"},
            {"attributes": {"n": [1, None]}}, {"event_time": AT - DAY}, {"updated_at": AT + DAY},
            {"valid_from": AT - MINUTE}, {"session": "s1", "actor": "Bo", "role": "user"},
        ]  # fmt: skip
        made = [make(f"ep_{n:02}", f"tea {n}", **usual | fields) for n, fields in enumerate([*odd, {}, {}])]
        commit(store, *map(put, made))
        with store.view() as view:
            docs = range(1, len(made) + 1)
            for found in (view.documents(ANA, docs), view.documents(ANA, docs, said=True)):
                assert [found[doc] for doc in docs] == made
            one, two = view.documents(ANA, docs[-2:], said=True).values()
            assert one.attributes is not two.attributes
            assert view.documents(owner_key("bob"), docs, said=True) == {}

    def test_filters_come_before_limits(self, store: Store) -> None:
        """A match far down the list is found although many that do not pass come first."""
        commit(store, put(make("fact_0", "tea with @ana", topic="rare")))
        for n in range(1, 30):
            commit(store, put(make(f"fact_{n}", "tea with @ana", topic="common")))
        where = everything(topic="rare")
        with store.view() as view:
            assert [memory.id for memory in view.page(where, "recent", 1)] == ["fact_0"]
            assert view.about(where, ["ana"], 1) == [(1, 1)]
            assert [match[1] for match in matched(view, where, ["tea"])] == [1]

    def test_orders(self, store: Store) -> None:
        """Each order sorts by what it says, the newer of equals first; pages do not overlap."""
        for n, (importance, days) in enumerate(((5, 3), (9, 1), (5, 2))):
            at = AT + n * MINUTE
            commit(store, put(make(f"fact_{n}", f"N {n}", importance=importance, at=at, event_time=AT + days * DAY)))
        commit(store, Patch("fact_0", {"confidence": 0.5}), at=AT + DAY)
        store.touch(ANA, ["fact_1"], AT + DAY)
        store.flush()
        wanted = {
            "recent": "210",
            "oldest": "012",
            "importance": "120",
            "updated": "021",
            "event": "021",
            "used": "120",
        }
        with store.view() as view:
            for order, ids in wanted.items():
                assert [m.id[-1] for m in view.page(everything(), order, 10)] == list(ids)
                assert [m.id[-1] for m in view.page(everything(), order, 1, 1)] == [ids[1]]

    # Slots

    def test_a_slot_holds_one_active_memory(self, store: Store) -> None:
        """A second active memory under a key is refused; another agent, kind, key or state is not."""
        commit(store, put(make("fact_1", "Lisbon", key="city")))
        with pytest.raises(Conflict):
            commit(store, put(make("fact_2", "Porto", key="city")))
        for number, fields in enumerate(({"agent": "x"}, {"kind": "lesson"}, {"key": "City"}, {"state": "proposed"})):
            commit(store, put(make(f"fact_a{number}", "Porto", **{"key": "city", **fields})))
        with store.view() as view:
            slot = view.slot(ANA, "", "fact", "city")
            assert slot is not None
            assert slot.id == "fact_1"
        commit(store, Patch("fact_1", {"state": "superseded"}), put(make("fact_2", "Porto", key="city")))
        with pytest.raises(Conflict):
            commit(store, Patch("fact_1", {"state": "active"}))
        with store.view() as view:
            slot = view.slot(ANA, "", "fact", "city")
            assert slot is not None
            assert slot.id == "fact_2"
        self.sound(store)

    def test_slots_are_no_duplicates(self, store: Store) -> None:
        """A slot's text does not count when the same text is looked for outside slots."""
        first = put(make("fact_1", key="tea"))
        commit(store, first)
        with store.view() as view:
            assert view.active_with_hash(ANA, "fact", first.content_hash, AT) is None
        commit(store, put(make("fact_2", valid_until=AT + DAY)), expect=[Absent("fact", first.content_hash)])
        with store.view() as view:
            assert view.active_with_hash(ANA, "fact", first.content_hash, AT) == "fact_2"
            assert view.active_with_hash(ANA, "fact", first.content_hash, AT + DAY) is None

    # Owners

    def test_owners_never_mix(self, store: Store) -> None:
        """No method of a view gives one owner anything of another, whatever their names."""
        owners = [owner_key(name) for name in HOSTILE] + [owner_key("b", "a"), owner_key("a", "b")]
        for number, owner in enumerate(owners):
            memory = make("fact_1", f"tea word{number} with @ana", owner, key="k", tags=("t",), session="s")
            other = make("fact_2", f"tea word{number}", owner)
            changes = (
                put(memory),
                put(other),
                Open("s", f"agent{number}", AT),
                Connect("fact_1", "fact_2", "related_to"),
            )
            commit(store, *changes, owner=owner, request_id="r", receipt=Receipt(outcome="stored", id=str(number)))
            commit(store, Enqueue("age", AT, payload={"n": number}), owner=owner)
        with store.view() as view:
            assert view.owners() == sorted(owners)
            for number, owner in enumerate(owners):
                self._alone(view, owner, number, len(owners))

    def _alone(self, view: Any, owner: str, number: int, many: int) -> None:
        where, word = everything(owner), f"word{number}"
        assert view.counters(owner).docs == 2
        assert view.replay(owner, "r").id == str(number)
        assert {word in memory.content for memory in view.get(owner, ["fact_1", "fact_2"])} == {True}
        assert {memory.owner for memory in view.documents(owner, [1, 2]).values()} == {owner}
        assert len(matched(view, where, ["tea", *(f"word{n}" for n in range(many))])) == 4
        assert view.frequencies(owner, ["tea", word, f"word{(number + 1) % many}"]) == {"tea": 2, word: 2}
        assert view.terms_with(owner, "word", 99) == [word]
        assert view.terms_from(owner, "wo", 1, 99) == [word]
        assert view.about(where, ["ana"], 99) == [(1, 1)]
        assert {memory.owner for memory in view.page(where, "recent", 99)} == {owner}
        assert view.count(where) == 2
        assert view.active_with_hash(owner, "fact", content_hash(f"tea {word}"), AT) == "fact_2"
        assert view.active_with_hash(owner, "fact", content_hash(f"tea word{(number + 1) % many}"), AT) is None
        assert word in view.slot(owner, "", "fact", "k").content
        assert [entity.mentions for entity in view.entities(owner, ["ana"])] == [1]
        assert len(view.links(owner, ["fact_1"])) == 2
        assert {entry.rev for entry in view.journal(owner)} == {1}
        assert (view.stats(owner).total, view.stats(owner).sessions, view.stats(owner).entities) == (2, 1, 1)
        assert [session.agent for session in view.sessions(owner)] == [f"agent{number}"]
        assert [job.payload for job in view.jobs(owner)] == [{"n": number}]
        assert len([row for table in TABLES for row in view.dump(owner, table)]) == 14
        assert all(finding.ok for finding in view.check(owner))

    def test_a_stranger_sees_nothing(self, store: Store) -> None:
        """An owner never seen has zeros and empty lists everywhere."""
        stock(store)
        bob = owner_key("bob")
        with store.view() as view:
            assert view.counters(bob).rev == 0
            assert view.get(bob, ["fact_1"]) == []
            assert view.journal(bob) == []
            assert view.stats(bob).total == 0
            assert view.stats(bob).latest is None
            assert [row for table in TABLES for row in view.dump(bob, table)] == []

    def test_wiping_one_owner_leaves_the_others(self, store: Store) -> None:
        """Wipe takes everything of one owner and nothing of another; a wiped owner starts over at one."""
        owners = [owner_key(name) for name in HOSTILE]
        for owner in owners:
            commit(store, put(make("fact_1", "tea with @ana", owner)), Open("s", "", AT), owner=owner, request_id="r")
        commit(store, Wipe(), owner=owners[0])
        with store.view() as view:
            assert view.owners() == sorted(owners[1:])
            assert [row for table in TABLES for row in view.dump(owners[0], table)] == []
            assert view.frequencies(owners[0], ["tea"]) == {}
            assert view.count(everything(owners[0])) == 0
        assert commit(store, put(make("fact_1", "tea", owners[0])), owner=owners[0], request_id="r").rev == 1
        self.sound(store)
