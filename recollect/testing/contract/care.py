"""The contract of care: erasing, moving house, and the doctor."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from recollect.errors import Conflict, NotFound, RecollectError
from recollect.model.change import Change, Connect, Drop, Enqueue, Load, Mend, Open, Patch, Put, Remove
from recollect.model.owner import owner_key
from recollect.model.receipt import Receipt
from recollect.store.base import TABLES, Store
from recollect.store.sql.rows import pack_terms, to_json
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, commit, everything, make, matched, put, stock
from recollect.text.marks import marked
from recollect.text.normal import content_hash
from recollect.text.terms import TermsPolicy, fold, length, terms


class Care(Ground):
    """What is promised about going, moving and mending."""

    # Going for good

    def test_remove_leaves_nothing(self, store: Store) -> None:
        """Removed memories leave no row, posting, term, link, name or journal text, and others stay whole."""
        commit(store, put(make("fact_1", "secretword tea with @zorro", tags=("hush",))), session="s1")
        commit(store, put(make("fact_2", "tea")), Connect("fact_2", "fact_1", "derived_from"))
        commit(store, Patch("fact_1", {"topic": "secrettopic"}), Patch("fact_1", {"topic": ""}))
        commit(store, Remove(("fact_1", "fact_unknown"), "erased"))
        with store.view() as view:
            assert view.get(ANA, ["fact_1"]) == []
            assert view.frequencies(ANA, ["secretword", "#hush", "zorro", "tea"]) == {"tea": 1}
            assert matched(view, everything(states=()), ["secretword", "#hush"]) == []
            assert view.links(ANA, ["fact_1", "fact_2"]) == []
            assert view.entities(ANA, ["zorro", "@zorro"]) == []
            rows = str([row for table in TABLES for row in view.dump(ANA, table)])
            assert not any(word in rows for word in ("secret", "zorro", "hush", "'s1'"))
            assert [entry.op for entry in view.journal(ANA, ["fact_1"])][-1] == "erased"
            assert [memory.id for memory in view.page(everything(), "recent", 9)] == ["fact_2"]
        self.sound(store)

    def test_remove_of_many(self, store: Store) -> None:
        """More memories than fit one statement are removed in one write."""
        commit(store, *(put(make(f"fact_{n}", f"tea {n}")) for n in range(900)))
        commit(store, Remove(tuple(f"fact_{n}" for n in range(899)), "purged"))
        with store.view() as view:
            assert view.count(everything()) == 1
            assert view.frequencies(ANA, ["tea"]) == {"tea": 1}
        self.sound(store)

    def test_erasing_blanks_receipts_and_sessions(self, store: Store) -> None:
        """Who wrote an erased memory and in which session is gone from every journal line of that write."""
        given = Receipt(outcome="stored", id="fact_1")
        changes = (put(make("fact_1", session="hushsession")), Open("hushsession", "", AT))
        commit(store, *changes, session="hushsession", request_id="r", receipt=given)
        commit(store, Remove(("fact_1",), "erased"), Drop(sessions=("hushsession",)))
        with store.view() as view:
            rows = str([row for table in TABLES for row in view.dump(ANA, table)])
            assert "hushsession" not in rows
            assert view.replay(ANA, "r") == replace(given, rev=1)
        self.sound(store)

    def test_drop_takes_sessions_and_entities(self, store: Store) -> None:
        """Dropped sessions and entities leave no row, name, job or link."""
        commit(store, put(make("fact_1", "tea with @zorro")), Open("s9", "", AT), session="s9")
        commit(store, Enqueue("consolidate", AT, "s9"))
        with store.view() as view:
            (zorro,) = view.entities(ANA, ["zorro"])
        commit(store, Drop(sessions=("s9",), entities=(zorro.id,)))
        with store.view() as view:
            assert view.sessions(ANA) == []
            assert view.jobs(ANA) == []
            assert view.entities(ANA, ["zorro", "@zorro"]) == []
            assert view.links(ANA, ["fact_1"]) == []
        self.sound(store)

    # Moving house, and the doctor

    def test_dump_and_load(self, store: Store) -> None:
        """What is dumped and loaded dumps the same again, found by the same words."""
        stock(store)
        commit(store, Open("s1", "helper", AT), Connect("fact_1", "ev_2", "related_to", 0.5), request_id="r")
        commit(store, Enqueue("age", AT, payload={"n": 1}))
        with store.view() as view:
            tables = {table: list(view.dump(ANA, table)) for table in TABLES}
            wanted = view.counters(ANA)
        copy = owner_key("copy")
        for table, rows in tables.items():
            commit(store, Load(table, tuple(self._restored(table, row) for row in rows)), owner=copy)
        with store.view() as view:
            assert {table: list(view.dump(copy, table)) for table in TABLES} == tables
            assert replace(view.counters(copy), vec_rev=wanted.vec_rev) == wanted
            assert len(matched(view, everything(copy), ["tea"])) == 3
        self.sound(store)

    def _restored(self, table: str, row: Any) -> dict[str, Any]:
        packed = {name: to_json(v) if isinstance(v, dict | list) else v for name, v in row.items()}
        if table != "memories":
            return packed
        text = f"{row['topic']}\n{row['content']}" if row["topic"] else row["content"]
        found = terms(text, TermsPolicy(), row["tags"])
        live = row["key"] if row["key"] and row["state"] == "active" else None
        return packed | {
            "topic_folded": fold(row["topic"]), "live_key": live, "content_hash": content_hash(row["content"]),
            "length": length(found), "terms": pack_terms(found), "marks": marked(row["content"], row["role"]),
        }  # fmt: skip

    @pytest.mark.parametrize("seed", range(4))
    def test_random_operations_leave_order(self, store: Store, seed: int) -> None:
        """After any mix of changes counters, postings, links and journal agree with the memories."""
        dice = random.Random(seed)
        words = ("tea", "milk", "@ana", "#green", "Lisbon", "sugar", "Berlin")
        known: list[str] = []
        for n in range(120):
            one = dice.choice(known) if known else ""
            roll = dice.random()
            change: Change
            if roll < 0.5 or not known:
                fields: dict[str, Any] = {
                    "state": dice.choice(("active", "active", "proposed")),
                    "tags": dice.sample(("a", "b"), 1),
                }
                text = " ".join(dice.choices(words, k=dice.randint(1, 6)))
                change = put(make(f"fact_{n}", text, key=dice.choice(("", "", "k1", "k2")), **fields))
            elif roll < 0.75:
                change = Patch(one, {"state": dice.choice(("active", "superseded", "deleted", "merged"))})
            elif roll < 0.88:
                change = Connect(one, dice.choice(known), "related_to", dice.random())
            else:
                change = Remove(tuple(dice.sample(known, min(2, len(known)))), "purged")
            try:
                commit(store, change)
            except (Conflict, NotFound):
                continue
            if isinstance(change, Put):
                known.append(change.memory.id)
            elif isinstance(change, Remove):
                known = [id for id in known if id not in change.ids]
        self.sound(store)
        assert known

    @pytest.mark.parametrize(
        ("damage", "found"),
        [
            ("UPDATE owners SET docs = docs + 1", "counters"),
            ("UPDATE owners SET total_length = 0", "counters"),
            ("UPDATE owners SET next_doc = 1", "counters"),
            ("UPDATE terms SET term = 'coffee' WHERE term = 'tea'", "terms"),
            ("DELETE FROM terms WHERE term = 'tea'", "terms"),
            ("DELETE FROM postings WHERE term = 'tea' AND doc = 1", "postings"),
            ("UPDATE postings SET doc = 77 WHERE term = 'tea' AND doc = 1", "postings"),
            ("UPDATE postings SET tf = 9 WHERE term = 'tea' AND doc = 1", "postings"),
            ("UPDATE links SET to_id = REPLACE(to_id, 'ent_', 'gone_') WHERE from_id = 'fact_1'", "links"),
            ("UPDATE entities SET mentions = 99", "entities"),
            ("DELETE FROM entities", "entities"),
            ("UPDATE memories SET live_key = NULL WHERE id = 'fact_1'", "slots"),
            ("UPDATE memories SET live_key = 'x' WHERE id = 'fact_4'", "slots"),
        ],
    )
    def test_damage_is_found_and_mended(self, store: Store, damage: str, found: str) -> None:
        """Planted damage is named by the check, and mending makes everything agree again."""
        stock(store)
        self.harm(damage)
        with store.view() as view:
            assert found in {finding.check for finding in view.check(ANA) if not finding.ok}
        commit(store, Mend())
        self.sound(store)
        with store.view() as view:
            assert len(matched(view, everything(), ["tea"])) == 3

    @pytest.mark.parametrize("damage", ["DELETE FROM journal WHERE rev = 3", "UPDATE owners SET rev = rev + 1"])
    def test_lost_history_is_found(self, store: Store, damage: str) -> None:
        """A revision without its journal line is found; it cannot be mended."""
        stock(store)
        self.harm(damage)
        with store.view() as view:
            assert [finding.check for finding in view.check(ANA) if not finding.ok] == ["revisions"]

    def test_the_engine_checks_itself(self, store: Store) -> None:
        """A sound database has no finding, and says what and where it is."""
        stock(store)
        assert all(finding.ok for finding in store.integrity())
        assert {"engine", "url", "schema"} <= store.describe().keys()

    def test_scrub(self, store: Store) -> None:
        """With nobody reading, scrubbing succeeds, and everything is still there."""
        stock(store)
        assert store.scrub()
        with store.view() as view:
            assert view.count(everything()) == 3
        self.sound(store)

    def test_closing_twice_is_harmless(self, store: Store) -> None:
        """A closed handle closes again in silence and refuses work with a typed error."""
        store.close()
        store.close()
        with pytest.raises(RecollectError):
            commit(store, put(make("fact_1")))
        with pytest.raises(RecollectError), store.view():
            pass
