"""The contract of a storage engine as tests: inherit `StoreContract`, say how to open, and run pytest.

class TestMine(StoreContract):
    def prepare(self, folder):          # an empty database for one test
        self.url = f"mine:///{folder}/memory"

    def open(self):                     # another handle on that same database
        return MyStore(self.url)

    def harm(self, sql):                # optional: run raw SQL behind the store's back
        ...
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import Conflict, NotFound, RecollectError
from recollect.model.change import (
    Absent,
    Change,
    Committed,
    Connect,
    Cut,
    Drop,
    Enqueue,
    Expectation,
    Finish,
    Fresh,
    Lease,
    Leased,
    Load,
    Mend,
    Open,
    Patch,
    Put,
    Remove,
    Vacant,
    Version,
    Wipe,
    Write,
)
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import owner_key
from recollect.model.receipt import Receipt
from recollect.providers.entities import extract
from recollect.rules.similarity import content_hash
from recollect.rules.terms import TermsPolicy, fold, length, terms
from recollect.store.base import TABLES, Store
from recollect.store.rows import pack_terms, to_json

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
ANA = owner_key("ana")
HOSTILE: tuple[str, ...] = (
    "ana", "Ana", "ana ", " ana", "ANA", "ána", "a%", "a_a", "%", "_", "a/b", "a%2Fb", "'; DROP TABLE memories; --",
    "😀", "😁", "ａｎａ", "ß", "ss", "\u0130", "ana\n", "..",
)  # fmt: skip
"""Names of owners that a careless engine would mix up."""


def make(id: str, content: str = "Tea is served at four.", owner: str = ANA, **fields: Any) -> Memory:
    """Make a memory with sensible values for what a test does not care about."""
    at = fields.pop("at", AT)
    given: dict[str, Any] = {"kind": "fact", "importance": 5, "decay_rate": 0.1, "source": "session"} | fields
    times = {name: given.pop(name, at) for name in ("created_at", "updated_at", "event_time", "valid_from")}
    return Memory(owner=owner, id=id, content=content, **times, **given)


def put(memory: Memory) -> Put:
    """Give a memory what it is found by, as the flows do."""
    text = f"{memory.topic}\n{memory.content}" if memory.topic else memory.content
    found = terms(text, TermsPolicy(), memory.tags)
    return Put(memory, content_hash(memory.content), found, tuple(extract(memory.content)))


def commit(
    store: Store,
    *changes: Change,
    owner: str = ANA,
    at: datetime = AT,
    expect: Sequence[Expectation] = (),
    request_id: str = "",
    receipt: Receipt | None = None,
    session: str = "",
) -> Committed:
    """Write as one caller."""
    return store.commit(
        Write(
            owner=owner,
            at=at,
            node="test",
            changes=changes,
            expect=tuple(expect),
            actor="tester",
            session=session,
            request_id=request_id,
            receipt=receipt,
        )
    )


def everything(owner: str = ANA, **fields: Any) -> Filter:
    """Give a filter that lets an owner's active memories through."""
    return Filter(owner=owner, now=AT, **fields)


def together(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run callables in threads that start at once; give their answers or their errors."""
    answers: list[Any] = [None] * len(jobs)
    gate = threading.Barrier(len(jobs))

    def run(number: int) -> None:
        gate.wait()
        try:
            answers[number] = jobs[number]()
        except RecollectError as error:
            answers[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


FILTERS: tuple[tuple[str, dict[str, Any], set[str]], ...] = (
    ("none", {}, {"fact_1", "ev_2", "ep_3"}),
    ("agent", {"agent": "helper"}, {"ev_2"}),
    ("shared agent", {"agent": ""}, {"fact_1", "ep_3"}),
    ("kinds", {"kinds": ("fact", "event")}, {"fact_1", "ev_2"}),
    ("one kind", {"kinds": ("episode",)}, {"ep_3"}),
    ("tiers", {"tiers": ("long",)}, {"ep_3"}),
    ("states", {"states": ("deleted", "superseded")}, {"fact_4", "fact_5"}),
    ("any state", {"states": ()}, {"fact_1", "ev_2", "ep_3", "fact_4", "fact_5", "fact_6"}),
    ("categories", {"categories": ("goals",)}, {"ev_2"}),
    ("topic", {"topic": "DRINK"}, {"fact_1"}),
    ("topic is no pattern", {"topic": "%"}, set()),
    ("tags", {"tags": ("Hot", "green")}, {"fact_1"}),
    ("any tag", {"tags": ("green", "late"), "any_tag": True}, {"fact_1", "ev_2"}),
    ("sessions", {"sessions": ("s1",)}, {"ev_2", "ep_3"}),
    ("exclude session", {"exclude_session": "s1"}, {"fact_1"}),
    ("explicit is kept", {"exclude_session": "s0"}, {"fact_1", "ev_2", "ep_3"}),
    ("event after", {"event_after": AT + DAY}, {"ev_2"}),
    ("event before", {"event_before": AT - DAY}, {"ep_3"}),
    ("created after", {"created_after": AT + MINUTE}, {"ev_2", "ep_3"}),
    ("created before", {"created_before": AT}, {"fact_1"}),
    ("updated after", {"updated_after": AT + 2 * MINUTE}, {"ep_3"}),
    ("updated before", {"updated_before": AT + MINUTE}, {"fact_1", "ev_2"}),
    ("importance at least", {"importance_min": 6}, {"ev_2"}),
    ("importance at most", {"importance_max": 5}, {"fact_1"}),
    ("pinned", {"pinned": True}, {"ev_2"}),
    ("not pinned", {"pinned": False}, {"fact_1", "ep_3"}),
    ("role", {"role": "user"}, {"ep_3"}),
    ("actor", {"actor": "bob"}, {"ev_2"}),
    ("key", {"key": "drink"}, {"fact_1"}),
    ("as of now", {"as_of": AT}, {"fact_1", "ev_2", "ep_3"}),
    ("as of then", {"as_of": AT - 2 * DAY}, {"fact_5", "fact_6"}),
)
"""Every field of a Filter, and which of the memories of `stock` it lets through."""


def stock(store: Store) -> None:
    """Store six memories about Lisbon tea that differ in every field a filter looks at."""
    text = "We met over tea in Lisbon with #tearoom"
    early = AT - 3 * DAY
    for memory in (
        make("fact_1", text, topic="drinks", tags=("hot", "Green"), key="drink", source="user", session="s0"),
        make(
            "ev_2", text, kind="event", agent="helper", category="goals", tags=("late",), session="s1",
            importance=7, pinned=True, actor="bob", created_at=AT + MINUTE, updated_at=AT + MINUTE,
            event_time=AT + DAY,
        ),
        make(
            "ep_3", text, kind="episode", tier="long", session="s1", importance=None, role="user", source="user",
            created_at=AT + 2 * MINUTE, updated_at=AT + 2 * MINUTE, event_time=AT - DAY,
        ),
        make("fact_4", text, state="deleted"),
        make("fact_5", text, state="superseded", valid_from=early, valid_until=AT - DAY),
        make("fact_6", text, valid_from=early, valid_until=AT),
    ):  # fmt: skip
        commit(store, put(memory))


class StoreContract:
    """What every storage engine promises. Subclass it in a test file and give `prepare` and `open`."""

    _handles: list[Store]

    def prepare(self, folder: Path) -> None:
        """Make an empty database for one test."""
        raise NotImplementedError

    def open(self) -> Store:
        """Open one more handle on the database of this test."""
        raise NotImplementedError

    def harm(self, sql: str) -> None:
        """Run raw SQL behind the store's back; tests that need it are skipped where there is none."""
        pytest.skip("this engine's tests cannot run raw SQL")

    @pytest.fixture(autouse=True)
    def database(self, tmp_path: Path) -> Iterator[None]:
        """Give each test its own database, and close every handle after it."""
        self._handles = []
        self.prepare(tmp_path)
        yield
        for handle in self._handles:
            handle.close()

    @pytest.fixture
    def store(self) -> Store:
        """Give a handle on this test's database."""
        return self.handle()

    def handle(self) -> Store:
        """Open a handle that is closed when the test ends."""
        self._handles.append(self.open())
        return self._handles[-1]

    def sound(self, store: Store) -> None:
        """Hold every owner's rows against each other."""
        store.flush()
        with store.view() as view:
            for owner in view.owners():
                assert [finding for finding in view.check(owner) if not finding.ok] == []

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
        commit(store, Enqueue("import", AT), expect=[Vacant()])
        commit(store, put(make("fact_1")), expect=[Vacant()])
        for change in (put(make("fact_2", "Two.")), Enqueue("import", AT)):
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
        """Only active memories count in N, the total length and each term's frequency."""
        commit(store, put(make("fact_1", "tea tea milk")))
        commit(store, put(make("fact_2", "tea sugar")))
        with store.view() as view:
            assert (view.counters(ANA).docs, view.counters(ANA).total_length) == (2, 5)
            assert view.frequencies(ANA, ["tea", "milk", "beer"]) == {"tea": 2, "milk": 1}
        commit(store, Patch("fact_1", {"state": "superseded"}))
        with store.view() as view:
            assert (view.counters(ANA).docs, view.counters(ANA).total_length) == (1, 2)
            assert view.frequencies(ANA, ["tea", "milk"]) == {"tea": 1, "milk": 0}
        commit(store, Patch("fact_1", {"state": "active"}))
        with store.view() as view:
            assert view.frequencies(ANA, ["tea", "milk"]) == {"tea": 2, "milk": 1}
        self.sound(store)

    def test_superseded_memories_keep_their_postings(self, store: Store) -> None:
        """What was superseded is still found by its words when the filter asks for it."""
        commit(store, put(make("fact_1", "tea")))
        commit(store, Patch("fact_1", {"state": "superseded"}))
        with store.view() as view:
            assert view.matches(everything(), ["tea"]) == []
            assert view.matches(everything(states=("superseded",)), ["tea"]) == [("tea", 1, 1, 1)]

    def test_known_terms(self, store: Store) -> None:
        """Terms are found by a part or by their beginning, signs of LIKE mean themselves, tags are left out."""
        commit(store, put(make("fact_1", "teapot steam stream", tags=("teatag",))))
        with store.view() as view:
            assert view.terms_with(ANA, "tea", 5) == ["steam", "teapot"]
            assert view.terms_with(ANA, "tea", 1) == ["steam"]
            assert view.terms_with(ANA, "%", 5) == []
            assert view.terms_with(ANA, "_", 5) == []
            assert sorted(view.terms_from(ANA, "st")) == ["steam", "stream"]

    # Links and sessions

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

    # Jobs

    def test_a_job_is_enqueued_once(self, store: Store) -> None:
        """Enqueueing again keeps the earlier due time, takes the newer payload, and moves no revision."""
        commit(store, Enqueue("age", AT + DAY, "k", {"n": 1}))
        done = commit(store, Enqueue("age", AT + 2 * DAY, "k", {"n": 2}))
        assert done.rev == 0
        with store.view() as view:
            (job,) = view.jobs(ANA)
            assert (job.name, job.key, job.due_at, job.payload) == ("age", "k", AT + DAY, {"n": 2})
            assert view.due(AT) == []
            assert view.due(AT + DAY) == [job]
            assert view.due(AT + DAY, ["other"]) == []
            assert view.counters(ANA).rev == 0

    def test_one_worker_holds_a_job(self, store: Store) -> None:
        """Of many that want a job one gets it, and only it can finish."""
        commit(store, Enqueue("age", AT))
        answers = together([lambda n=n: commit(store, Lease("age", "", f"t{n}", AT + MINUTE)) for n in range(8)])  # type: ignore[misc]
        (winner,) = [n for n, one in enumerate(answers) if isinstance(one, Committed)]
        with store.view() as view:
            assert view.due(AT) == []
            assert view.jobs(ANA)[0].lease_token == f"t{winner}"
        with pytest.raises(Conflict):
            commit(store, Finish("age", "", "stranger", {}))
        commit(store, Finish("age", "", f"t{winner}", {}))
        with store.view() as view:
            assert view.jobs(ANA) == []

    def test_a_job_not_due_is_leased_only_by_force(self, store: Store) -> None:
        """Before its time a job can be taken only by asking for it by name."""
        commit(store, Enqueue("age", AT + DAY))
        with pytest.raises(Conflict):
            commit(store, Lease("age", "", "t", AT + MINUTE))
        commit(store, Lease("age", "", "t", AT + MINUTE, force=True))
        with pytest.raises(Conflict):
            commit(store, Lease("age", "", "u", AT + MINUTE, force=True))

    def test_an_expired_lease_can_be_taken(self, store: Store) -> None:
        """A dead worker's job comes back, and the dead worker can no longer finish it."""
        commit(store, Enqueue("age", AT))
        commit(store, Lease("age", "", "dead", AT + MINUTE))
        with pytest.raises(Conflict):
            commit(store, Lease("age", "", "next", AT + 2 * MINUTE))
        commit(store, Lease("age", "", "next", AT + 2 * MINUTE), at=AT + MINUTE)
        with pytest.raises(Conflict):
            commit(store, Finish("age", "", "dead", {}))
        with store.view() as view:
            assert view.jobs(ANA)[0].attempts == 2

    def test_a_job_wanted_while_running_comes_back(self, store: Store) -> None:
        """What is enqueued during a run is not lost when the run finishes, however late it is due."""
        for wanted in (AT, AT + DAY):
            commit(store, Enqueue("age", AT))
            commit(store, Lease("age", "", "t", AT + MINUTE))
            commit(store, Enqueue("age", wanted, payload={"again": True}))
            commit(store, Finish("age", "", "t", {"status": "ok"}))
            with store.view() as view:
                (job,) = view.jobs(ANA)
                assert (job.lease_token, job.payload, job.last_report) == ("", {"again": True}, {"status": "ok"})
                assert job.due_at <= wanted
            commit(store, Lease("age", "", "u", AT + DAY, force=True))
            commit(store, Finish("age", "", "u", {}))

    def test_a_failed_job_becomes_due_again(self, store: Store) -> None:
        """Finishing with a due time keeps the row, its attempts and its report."""
        commit(store, Enqueue("age", AT))
        commit(store, Lease("age", "", "t", AT + MINUTE))
        commit(store, Finish("age", "", "t", {"status": "failed"}, AT + DAY, 1))
        with store.view() as view:
            (job,) = view.jobs(ANA)
        assert (job.due_at, job.attempts, job.lease_until, job.last_run) == (AT + DAY, 1, None, AT)

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

    # Filters and orders

    @pytest.mark.parametrize(("fields", "passing"), [one[1:] for one in FILTERS], ids=[one[0] for one in FILTERS])
    def test_every_filter(self, store: Store, fields: dict[str, Any], passing: set[str]) -> None:
        """Each field of a filter holds inside ranked matches, names, pages and counts alike."""
        stock(store)
        where = everything(**fields)
        with store.view() as view:
            paged = {memory.id for memory in view.page(where, "recent", 10)}
            docs = {doc for _, doc, _, _ in view.matches(where, ["tea"])}
            named = [doc for doc, _ in view.about(where, ["tearoom"], 10)]
            known = {doc: memory.id for doc, memory in view.documents(ANA, range(1, 10)).items()}
            assert paged == passing
            assert {known[doc] for doc in docs} == passing
            assert {known[doc] for doc in named} == passing
            assert len(named) == len(passing)
            assert view.count(where) == len(passing)
            assert view.count(replace(where, owner=owner_key("bob"))) == 0

    def test_filters_come_before_limits(self, store: Store) -> None:
        """A match far down the list is found although many that do not pass come first."""
        commit(store, put(make("fact_0", "tea with @ana", topic="rare")))
        for n in range(1, 30):
            commit(store, put(make(f"fact_{n}", "tea with @ana", topic="common")))
        where = everything(topic="rare")
        with store.view() as view:
            assert [memory.id for memory in view.page(where, "recent", 1)] == ["fact_0"]
            assert view.about(where, ["ana"], 1) == [(1, 1)]
            assert [match[1] for match in view.matches(where, ["tea"])] == [1]

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
        assert len(view.matches(where, ["tea", *(f"word{n}" for n in range(many))])) == 4
        assert view.frequencies(owner, ["tea", word, f"word{(number + 1) % many}"]) == {"tea": 2, word: 2}
        assert view.terms_with(owner, "word", 99) == [word]
        assert view.terms_from(owner, "wo") == [word]
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
            assert view.matches(everything(states=()), ["secretword", "#hush"]) == []
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
            assert view.counters(copy) == wanted
            assert len(view.matches(everything(copy), ["tea"])) == 3
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
            "length": length(found), "terms": pack_terms(found),
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
            ("UPDATE terms SET df = df + 1 WHERE term = 'tea'", "terms"),
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
            assert len(view.matches(everything(), ["tea"])) == 3

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
