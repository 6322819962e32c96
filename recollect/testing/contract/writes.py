"""The contract of writing: revisions, preconditions, requests, the journal and touches."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from recollect.errors import Conflict, NotFound
from recollect.model.change import Committed, Connect, Cut, Enqueue, Lease, Open, Patch
from recollect.model.expectation import Absent, Fresh, Leased, Vacant, Version
from recollect.model.owner import owner_key
from recollect.model.receipt import Receipt
from recollect.store.base import COMMON, Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, DAY, MINUTE, commit, everything, make, matched, put, together


class Writes(Ground):
    """What a commit promises."""

    # Revisions and preconditions

    def test_revisions_are_gapless(self, store: Store) -> None:
        """Every write gets the owner's next revision, starting at one."""
        assert [commit(store, put(make(f"fact_{n}", f"Number {n}."))).rev for n in range(1, 6)] == [1, 2, 3, 4, 5]
        with store.view() as view:
            assert view.counters(ANA).rev == 5
            assert [entry.rev for entry in view.journal(ANA)] == [1, 2, 3, 4, 5]

    def test_owners_count_for_themselves(self, store: Store) -> None:
        """One owner's writes move no other owner's revision."""
        commit(store, put(make("fact_1")))
        bob = owner_key("bob")
        assert commit(store, put(make("fact_1", owner=bob)), owner=bob).rev == 1

    def test_a_conflict_consumes_no_revision(self, store: Store) -> None:
        """A write that fails leaves rows, counters and revision as they were."""
        commit(store, put(make("fact_1")))
        with pytest.raises(Conflict):
            commit(store, put(make("fact_2", "Other.")), expect=[Version("fact_1", 7)])
        assert commit(store, put(make("fact_3", "Third."))).rev == 2
        with store.view() as view:
            assert view.get(ANA, ["fact_2"]) == []
        self.sound(store)

    def test_a_failure_halfway_undoes_the_first_half(self, store: Store) -> None:
        """Changes are applied whole or not at all."""
        with pytest.raises(NotFound):
            commit(store, put(make("fact_1")), Patch("fact_0", {"pinned": True}))
        with store.view() as view:
            assert view.counters(ANA).rev == 0
            assert view.get(ANA, ["fact_1"]) == []
            assert view.owners() == []

    def test_nothing_done_is_no_revision(self, store: Store) -> None:
        """A write whose changes change nothing leaves the revision alone, and its receipt says so."""
        commit(store, put(make("fact_1")), put(make("fact_2", "Two.")), Connect("fact_1", "fact_2", "related_to", 0.5))
        done = commit(store, Connect("fact_1", "fact_2", "related_to", 0.4), receipt=Receipt(outcome="stored"))
        assert done.rev == 1
        assert done.receipt is not None
        assert done.receipt.rev == 1

    def test_absent(self, store: Store) -> None:
        """Absent holds until an active memory of that kind has the text, and again when it is gone."""
        first = put(make("fact_1"))
        expect = [Absent("fact", first.content_hash)]
        commit(store, first, expect=expect)
        with pytest.raises(Conflict):
            commit(store, put(make("fact_2")), expect=expect)
        assert commit(store, put(make("ev_1", kind="event")), expect=[Absent("event", first.content_hash)]).rev == 2
        commit(store, Patch("fact_1", {"state": "deleted"}))
        assert commit(store, put(make("fact_2")), expect=expect).rev == 4

    def test_absent_forgets_what_has_run_out(self, store: Store) -> None:
        """A memory past its valid_until does not keep the same text out."""
        first = put(make("fact_1", valid_until=AT + DAY))
        commit(store, first)
        expect = [Absent("fact", first.content_hash)]
        with pytest.raises(Conflict):
            commit(store, put(make("fact_2")), expect=expect)
        assert commit(store, put(make("fact_2")), expect=expect, at=AT + DAY).rev == 2

    def test_version(self, store: Store) -> None:
        """Version holds for the version stored and for no other, nor for an unknown memory."""
        commit(store, put(make("fact_1")))
        commit(store, Patch("fact_1", {"pinned": True}), expect=[Version("fact_1", 1)])
        for expected in (Version("fact_1", 1), Version("fact_1", 3), Version("fact_9", 1)):
            with pytest.raises(Conflict):
                commit(store, Patch("fact_1", {"pinned": False}), expect=[expected])
        with store.view() as view:
            assert view.get(ANA, ["fact_1"])[0].version == 2

    def test_fresh(self, store: Store) -> None:
        """Fresh holds until a memory of that very kind is created after the revision."""
        commit(store, put(make("fact_1")))
        commit(store, put(make("ev_1", "An event.", kind="event")))
        commit(store, put(make("fact_2", "Two.")), expect=[Fresh("fact", 1)])
        with pytest.raises(Conflict):
            commit(store, put(make("fact_3", "Three.")), expect=[Fresh("fact", 2)])
        assert commit(store, put(make("fact_3", "Three.")), expect=[Fresh("fact", 3)]).rev == 4

    def test_leased(self, store: Store) -> None:
        """Leased holds for the worker whose token the job carries."""
        commit(store, Enqueue("age", AT))
        commit(store, Lease("age", "", "mine", AT + MINUTE))
        assert commit(store, put(make("fact_1")), expect=[Leased("age", "", "mine")]).rev == 1
        for expected in (Leased("age", "", "yours"), Leased("age", "other", "mine")):
            with pytest.raises(Conflict):
                commit(store, put(make("fact_2", "Two.")), expect=[expected])

    def test_vacant(self, store: Store) -> None:
        """Vacant holds only for an owner with nothing, also when nothing but a job is written."""
        commit(store, Enqueue("later", AT), expect=[Vacant()])
        commit(store, put(make("fact_1")), expect=[Vacant()])
        for change in (put(make("fact_2", "Two.")), Enqueue("later", AT)):
            with pytest.raises(Conflict):
                commit(store, change, expect=[Vacant()])

    def test_a_memory_of_another_owner_is_refused(self, store: Store) -> None:
        """A write cannot place a memory under an owner it does not speak for."""
        with pytest.raises(Conflict):
            commit(store, put(make("fact_1", owner=owner_key("bob"))))

    # Group commit

    def test_group_commit(self, store: Store) -> None:
        """Many callers at once: conflicts sink only their own caller, and every receipt has its own revision."""
        commit(store, put(make("fact_0", "Zero.")))

        def job(n: int) -> Callable[[], Committed]:
            expect = [Version("fact_0", 99)] if n % 4 == 0 else []
            given = Receipt(outcome="stored", id=f"fact_{n}")
            return lambda: commit(store, put(make(f"fact_{n}", f"Number {n}.")), expect=expect, receipt=given)

        answers = together([job(n) for n in range(1, 41)])
        good = [one for one in answers if isinstance(one, Committed)]
        assert [isinstance(one, Conflict) for one in answers] == [n % 4 == 0 for n in range(1, 41)]
        assert sorted(one.rev for one in good) == list(range(2, 32))
        with store.view() as view:
            for one in good:
                assert one.receipt is not None
                assert one.receipt.rev == one.rev
                assert [entry.rev for entry in view.journal(ANA, [one.receipt.id])] == [one.rev]
        self.sound(store)

    def test_handles_share_revisions(self) -> None:
        """Several handles writing at once still give gapless revisions."""
        handles = [self.handle() for _ in range(3)]
        jobs = [(lambda n=n: commit(handles[n % 3], put(make(f"fact_{n}", f"Number {n}.")))) for n in range(24)]
        assert sorted(one.rev for one in together(jobs)) == list(range(1, 25))
        self.sound(handles[0])

    # Requests

    def test_a_request_is_carried_out_once(self, store: Store) -> None:
        """A retry writes nothing and gets the first receipt, also through another handle."""
        given = Receipt(outcome="stored", id="fact_1")
        first = commit(store, put(make("fact_1")), request_id="r1", receipt=given)
        for handle in (store, self.handle()):
            other = Receipt(outcome="stored", id="fact_2")
            again = commit(handle, put(make("fact_2", "Two.")), request_id="r1", receipt=other)
            assert again.replayed
            assert again.receipt == first.receipt
            assert again.rev == 1
            with handle.view() as view:
                assert view.replay(ANA, "r1") == first.receipt
                assert view.replay(ANA, "r2") is None
                assert view.replay(owner_key("bob"), "r1") is None
                assert view.get(ANA, ["fact_2"]) == []
        self.sound(store)

    def test_one_request_sent_by_many(self) -> None:
        """The same request sent at once through several handles is stored once and answered alike."""
        handles = [self.handle() for _ in range(2)]
        jobs = [
            (
                lambda n=n: commit(
                    handles[n % 2],
                    put(make(f"fact_{n}")),
                    request_id="r1",
                    receipt=Receipt(outcome="stored", id=f"fact_{n}"),
                )
            )
            for n in range(12)
        ]
        answers = together(jobs)
        assert len({one.receipt.id for one in answers}) == 1
        assert sum(not one.replayed for one in answers) == 1
        with handles[0].view() as view:
            assert view.count(everything()) == 1
            assert view.counters(ANA).rev == 1

    # Journal, patches, counters

    def test_the_journal_keeps_what_was_before(self, store: Store) -> None:
        """A patch journals the old values of what it changed, and who did it when."""
        commit(store, put(make("fact_1")), session="s1")
        commit(store, Patch("fact_1", {"importance": 9, "pinned": False}, "updated"), at=AT + MINUTE)
        with store.view() as view:
            created, updated = view.journal(ANA, ["fact_1"])
            assert view.journal(ANA, since=1) == [updated]
            assert view.journal(ANA, limit=1) == [created]
        assert (created.op, created.before, created.session, created.actor) == ("created", None, "s1", "tester")
        assert (updated.op, updated.before, updated.at) == ("updated", {"importance": 5}, AT + MINUTE)

    def test_a_patch_bumps_version_and_time(self, store: Store) -> None:
        """A patched memory has the next version and the time of the patch."""
        commit(store, put(make("fact_1")))
        commit(store, Patch("fact_1", {"tags": ("x",), "valid_until": AT + DAY}), at=AT + MINUTE)
        with store.view() as view:
            memory = view.get(ANA, ["fact_1"])[0]
        assert (memory.version, memory.updated_at, memory.created_at) == (2, AT + MINUTE, AT)
        assert (memory.tags, memory.valid_until) == (("x",), AT + DAY)

    def test_a_memory_comes_back_as_it_went_in(self, store: Store) -> None:
        """Every field survives, far dates and any text included."""
        memory = make(
            "fact_1", "Ünï 😀 «x»\n\t'quote' \"double\" \\ %", kind="lesson", tier="archive", agent="a", session="s",
            actor="b", role="r", trust=0.25, category="goals", topic="T’s", key="k", importance=10, confidence=0.125,
            decay_rate=0.02, pinned=True, source="directive", tags=("x y", "Ž"), attributes={"a": [1, {"b": None}]},
            event_time=datetime(1000, 1, 1, 0, 0, 0, 1000, tzinfo=UTC),
            valid_until=datetime(2999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC), purge_at=AT + DAY, last_accessed=AT,
            access_count=3,
        )  # fmt: skip
        commit(store, put(memory))
        with store.view() as view:
            assert view.get(ANA, ["fact_1"]) == [memory]

    def test_counters_follow_the_state(self, store: Store) -> None:
        """Only active memories count in N and the total length; a term is known of all of them."""
        commit(store, put(make("fact_1", "tea tea milk")))
        commit(store, put(make("fact_2", "tea sugar")))
        with store.view() as view:
            assert (view.counters(ANA).docs, view.counters(ANA).total_length) == (2, 5)
            assert view.frequencies(ANA, ["tea", "milk", "beer"]) == {"tea": 2, "milk": 1}
        commit(store, Patch("fact_1", {"state": "superseded"}))
        with store.view() as view:
            assert (view.counters(ANA).docs, view.counters(ANA).total_length) == (1, 2)
            assert view.frequencies(ANA, ["tea", "milk"]) == {"tea": 2, "milk": 1}
        commit(store, Patch("fact_1", {"state": "active"}))
        with store.view() as view:
            assert (view.counters(ANA).docs, view.counters(ANA).total_length) == (2, 5)
        self.sound(store)

    def test_how_common_terms_are_is_judged_by_the_first_of_them(self, store: Store) -> None:
        """Memories with a term are counted up to a limit; how many more there are follows from how soon it came."""
        commit(store, *(put(make(f"fact_{n}", "tea milk" if n else "tea")) for n in range(COMMON)))
        with store.view() as view:
            assert view.frequencies(ANA, ["tea", "milk", "beer"]) == {"tea": COMMON, "milk": COMMON - 1}
        commit(store, *(put(make(f"cup_{n}", "tea" if n % 2 else "milk")) for n in range(COMMON)))
        with store.view() as view:
            found = view.frequencies(ANA, ["tea", "milk"])
        assert COMMON <= found["milk"] < found["tea"] == 2 * COMMON

    def test_superseded_memories_keep_their_postings(self, store: Store) -> None:
        """What was superseded is still found by its words when the filter asks for it."""
        commit(store, put(make("fact_1", "tea")))
        commit(store, Patch("fact_1", {"state": "superseded"}))
        with store.view() as view:
            assert matched(view, everything(), ["tea"]) == []
            assert matched(view, everything(states=("superseded",)), ["tea"]) == [("tea", 1, 1)]

    def test_known_terms(self, store: Store) -> None:
        """Terms are found by a part or by their beginning, signs of LIKE mean themselves, tags are left out."""
        commit(store, put(make("fact_1", "teapot steam stream", tags=("teatag",))))
        with store.view() as view:
            assert view.terms_with(ANA, "tea", 5) == ["steam", "teapot"]
            assert view.terms_with(ANA, "tea", 1) == ["steam"]
            assert view.terms_with(ANA, "%", 5) == []
            assert view.terms_with(ANA, "_", 5) == []
            assert sorted(view.terms_from(ANA, "st", 5, 6)) == ["steam", "stream"]
            assert view.terms_from(ANA, "st", 6, 9) == ["stream"]

    # Links and sessions

    def test_links_are_read_once_in_a_moment(self, store: Store) -> None:
        """However they are asked for, a view gives the same links; another owner has none, a later view what is new."""
        commit(store, *(put(make(f"fact_{number}", f"Number {number}.")) for number in range(4)))
        commit(store, Connect("fact_0", "fact_1", "related_to", 0.5), Connect("fact_2", "fact_0", "related_to", 0.5))
        with store.view() as early:
            one, two = early.links(ANA, ["fact_0"]), early.links(ANA, ["fact_0", "fact_1", "fact_3", "fact_0"])
            assert [(link.from_id, link.to_id) for link in one] == [("fact_0", "fact_1"), ("fact_2", "fact_0")]
            assert two == one
            assert early.links(ANA, ["fact_1"]) == one[:1]
            assert early.links(owner_key("bob"), ["fact_0", "fact_1"]) == []
            assert early.links(ANA, ["fact_2"]) == one[1:]
        commit(store, Connect("fact_3", "fact_1", "related_to", 0.5))
        with store.view() as later:
            assert len(later.links(ANA, ["fact_1"])) == 2

    def test_links_keep_the_greater_strength(self, store: Store) -> None:
        """Connecting again never weakens a link; a link to oneself is refused; cutting needs a link."""
        commit(store, put(make("fact_1")), put(make("fact_2", "Two.")))
        for strength, kept in ((0.5, 0.5), (0.9, 0.9), (0.2, 0.9)):
            commit(store, Connect("fact_1", "fact_2", "related_to", strength))
            with store.view() as view:
                assert [link.strength for link in view.links(ANA, ["fact_2"])] == [kept]
        with pytest.raises(Conflict):
            commit(store, Connect("fact_1", "fact_1", "related_to"))
        commit(store, Cut("fact_1", "fact_2", "related_to"))
        with store.view() as view:
            assert [link for link in view.links(ANA, ["fact_1", "fact_2"]) if link.type == "related_to"] == []
        with pytest.raises(NotFound):
            commit(store, Cut("fact_1", "fact_2", "related_to"))

    def test_sessions(self, store: Store) -> None:
        """A session opens once with what is to follow, and its sights only widen."""
        later = (Enqueue("age", AT),)
        commit(store, put(make("ep_1", kind="episode")), Open("s1", "helper", AT, later))
        commit(store, put(make("ep_2", "b", kind="episode")), Open("s1", "other", AT + DAY, later))
        commit(store, put(make("ep_3", "c", kind="episode")), Open("s1", "other", AT - DAY))
        commit(store, put(make("ep_4", "d", kind="episode")), Open("s2", "", AT + 2 * DAY))
        with store.view() as view:
            second, first = view.sessions(ANA)
            assert (first.id, first.agent, first.first_seen, first.last_seen) == ("s1", "helper", AT - DAY, AT + DAY)
            assert second.id == "s2"
            assert [job.name for job in view.jobs(ANA)] == ["age"]
            assert [entry.op for entry in view.journal(ANA) if not entry.memory_id] == ["opened", "opened"]

    # Touches and views

    def test_touches_are_buffered(self, store: Store) -> None:
        """Uses are counted later, together, and without a revision or a version."""
        commit(store, put(make("fact_1")))
        for minute in (1, 2, 3):
            store.touch(ANA, ["fact_1", "fact_unknown"], AT + minute * MINUTE)
        store.flush()
        with store.view() as view:
            memory = view.get(ANA, ["fact_1"])[0]
            assert (memory.access_count, memory.last_accessed) == (3, AT + 3 * MINUTE)
            assert (memory.version, view.counters(ANA).rev) == (1, 1)

    def test_closing_writes_the_touches(self) -> None:
        """Uses noted before closing are not lost."""
        store = self.handle()
        commit(store, put(make("fact_1")))
        store.touch(ANA, ["fact_1"], AT)
        store.close()
        with self.handle().view() as view:
            assert view.get(ANA, ["fact_1"])[0].access_count == 1

    def test_a_view_sees_one_moment(self, store: Store) -> None:
        """What is written after a view's first look is not in it, but in the next view."""
        commit(store, put(make("fact_1")))
        other = self.handle()
        with store.view() as view:
            assert view.counters(ANA).rev == 1
            commit(other, put(make("fact_2", "Two.")))
            commit(store, put(make("fact_3", "Three.")))
            assert view.counters(ANA).rev == 1
            assert view.count(everything()) == 1
        with store.view() as view:
            assert view.count(everything()) == 3

    def test_writers_see_their_own_writes(self, store: Store) -> None:
        """A view opened after a commit holds it, on this handle and on any other."""
        other = self.handle()
        for n in range(10):
            commit(store, put(make(f"fact_{n}", f"Number {n}.")))
            for handle in (store, other):
                with handle.view() as view:
                    assert view.count(everything()) == n + 1
