"""The contract of the record: events are written a little later, counted with the journal, and both are cut in time."""

from __future__ import annotations

from datetime import datetime

from recollect.model.change import Clear, Enqueue, Open, Patch, Remove, Trim, Write
from recollect.model.event import Activity, Event, Old
from recollect.model.receipt import Receipt
from recollect.store.base import Store, View
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, DAY, MINUTE, commit, everything, make, put, together


def search(store: Store, number: int = 0, at: datetime = AT, sim: float | None = None, owner: str = ANA) -> None:
    """Note a search."""
    store.note(Event(owner, "recall", "search", "ok", sim=sim), at, f"id{number:06}")


def counted(view: View, *days: datetime) -> dict[tuple[str, str, str], int]:
    """Count what happened by day, node and op."""
    return {(one.day, one.node, one.op): one.count for one in view.activity(ANA, days)}


class Record(Ground):
    """What events and the age of the journal promise."""

    def test_events_are_counted(self, store: Store) -> None:
        """Each day's searches and changes are counted apart, similarities on average; no revision moves."""
        commit(store, put(make("fact_1")), request_id="r", receipt=Receipt(outcome="stored"))
        for number, sim in enumerate((0.5, None, 0.7)):
            search(store, number, sim=sim)
        search(store, 3, AT + DAY)
        search(store, 4, AT - DAY)
        store.flush()
        with store.view() as view:
            found = view.activity(ANA, [AT, AT + DAY])
            assert Activity(3, "2026-01-05", ANA, "recall", "search", "ok", "", 0.6, 2) in found
            assert Activity(1, "2026-01-06", ANA, "recall", "search", "ok") in found
            assert Activity(1, "2026-01-05", ANA, "test", "created", "ok") in found
            assert len(found) == 3
            assert counted(view, AT - DAY)["2026-01-04", "recall", "search"] == 5
            assert view.counters(ANA).rev == 1

    def test_events_of_nobody(self, store: Store) -> None:
        """An owner who is not there, or not any more, gets no events and no row by them."""
        search(store, owner="/nobody")
        store.flush()
        with store.view() as view:
            assert view.owners() == []
            assert view.activity("/nobody", [AT]) == []
        assert store.dropped == 0

    def test_none_is_lost(self, store: Store) -> None:
        """Many threads may note at once, and everything is written, in one handle or two."""
        commit(store, put(make("fact_1")))
        other = self.handle()
        stores = [store, other] * 4

        def many(number: int) -> None:
            for at in range(300):
                search(stores[number], number * 1000 + at, AT + at * MINUTE / 1000)

        together([lambda n=n: many(n) for n in range(8)])  # type: ignore[misc]
        store.flush()
        other.flush()
        with store.view() as view:
            assert counted(view, AT)["2026-01-05", "recall", "search"] == 2400

    def test_what_follows_from_events(self, store: Store) -> None:
        """Writing events makes a job due, the earliest wish kept."""
        commit(store, put(make("fact_1")))
        store.follow(lambda owner, at: Enqueue("trim", at + 30 * DAY))
        search(store, 1, AT + DAY)
        store.flush()
        search(store, 2, AT + 2 * DAY)
        store.flush()
        with store.view() as view:
            assert [(job.name, job.due_at) for job in view.jobs(ANA)] == [("trim", AT + 31 * DAY)]

    def test_events_are_cut(self, store: Store) -> None:
        """Old events are found a few at a time, by whole moments, and go without a revision."""
        commit(store, put(make("fact_1")))
        for number in range(6):
            search(store, number, AT + number // 2 * DAY)
        store.flush()
        with store.view() as view:
            old = view.old_events(ANA, AT + 2 * DAY, 3)
            assert (old.count, old.more) == (2, True)
            assert view.old_events(ANA, AT + 2 * DAY, 4).count == 4
        assert commit(store, Clear(AT + DAY)).rev == 0
        with store.view() as view:
            left = view.old_events(ANA, AT + 2 * DAY, 3)
            assert (left.count, left.more) == (0, False)
            assert left.next_at == int((AT + 2 * DAY).timestamp() * 1000)
            assert counted(view, AT)[("2026-01-05", "recall", "search")] == 2

    def test_the_journal_is_cut(self, store: Store) -> None:
        """Lines of living memories stay; those of purged ones, receipts and runs go; the doctor finds no gap."""
        commit(store, put(make("fact_1")), put(make("fact_2")), request_id="r", receipt=Receipt(outcome="stored"))
        commit(store, Patch("fact_2", {"importance": 7}))
        commit(store, Remove(("fact_2",), "purged"))
        commit(store, Open("s", "", AT + DAY), at=AT + DAY)
        with store.view() as view:
            old = view.old_lines(ANA, AT + DAY, 10)
            assert (old.count, old.upto, old.more) == (4, 3, False)  # created, updated, purged, and the receipt
            assert view.old_lines(ANA, AT + DAY, 2).more
            assert view.old_lines(ANA, AT + DAY, 10, after=1).count == 2
            assert view.replay(ANA, "r") is not None
        assert commit(store, Trim(old.upto, AT + DAY), at=AT + 2 * DAY).rev == 5
        self.sound(store)
        with store.view() as view:
            lines = [(entry.rev, entry.op) for entry in view.journal(ANA)]
            assert lines == [(1, "created"), (4, "opened"), (5, "trimmed")]
            assert view.old_lines(ANA, AT + DAY, 10).count == 0
            assert view.replay(ANA, "r") is None
        assert commit(store, Trim(5, AT + DAY)).rev == 5  # nothing is left to cut, so nothing happens

    def test_trimming_ends(self, store: Store) -> None:
        """What trimming itself wrote is no reason to trim again, but goes with the next that is."""
        commit(store, put(make("fact_1")))
        commit(store, Remove(("fact_1",), "purged"))
        with store.view() as view:
            old = view.old_lines(ANA, AT + DAY, 10)
        self.trim(store, old, AT + DAY)
        with store.view() as view:
            assert view.old_lines(ANA, AT + 99 * DAY, 10) == Old()
        commit(store, put(make("fact_2")), Remove(("fact_2",), "purged"), at=AT + 3 * DAY)
        with store.view() as view:
            old = view.old_lines(ANA, AT + 99 * DAY, 10)
            assert old.count == 3
        self.trim(store, old, AT + 99 * DAY)
        self.sound(store)
        with store.view() as view:
            assert [entry.op for entry in view.journal(ANA)] == ["trimmed"]

    def trim(self, store: Store, old: Old, before: datetime) -> None:
        """Cut journal lines as the job does."""
        store.commit(Write(owner=ANA, at=before, node="trim", changes=(Trim(old.upto, before),)))

    def test_who_slept_longer_than_the_trimming(self, store: Store) -> None:
        """A reader that missed lines which are gone by now reads its columns anew."""
        reader = self.handle()
        commit(store, *(put(make(f"fact_{number}")) for number in range(8)))
        with reader.view() as view:
            assert view.allowed(everything()).sum() == 8
        commit(store, Remove(("fact_3", "fact_4"), "purged"))
        with store.view() as view:
            old = view.old_lines(ANA, AT + DAY, 10)
        self.trim(store, old, AT + DAY)
        with reader.view() as view:
            assert view.allowed(everything()).sum() == 6
        commit(store, put(make("fact_8")), Remove(("fact_5",), "purged"), at=AT + DAY)
        with reader.view() as view:
            assert view.allowed(everything()).sum() == 6
