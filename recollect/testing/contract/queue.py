"""The contract of jobs: enqueued once, held by one, never lost."""

from __future__ import annotations

import pytest

from recollect.errors import Conflict
from recollect.model.change import (
    Committed,
    Connect,
    Cut,
    Dequeue,
    Enqueue,
    Extend,
    Finish,
    Lease,
    Note,
    Rejoin,
    Settle,
    Write,
)
from recollect.model.clock import LATEST, to_ms
from recollect.model.expectation import Leased, Version
from recollect.store.base import Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, DAY, MINUTE, commit, everything, make, put, together


class Queue(Ground):
    """What the job table promises."""

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

    def test_jobs_of_one_owner_run_one_after_the_other(self, store: Store) -> None:
        """While one job of an owner is held no other of it can be, unless by force; others' owners are free."""
        for name in ("age", "embed"):
            commit(store, Enqueue(name, AT))
        commit(store, Enqueue("age", AT), owner="/bob")
        commit(store, Lease("age", "", "t", AT + MINUTE))
        with pytest.raises(Conflict, match="one after the other"):
            commit(store, Lease("embed", "", "u", AT + MINUTE))
        commit(store, Lease("age", "", "v", AT + MINUTE), owner="/bob")
        commit(store, Lease("embed", "", "u", AT + 3 * MINUTE), at=AT + 2 * MINUTE)

    def test_a_lease_lasts_longer_for_its_holder_only(self, store: Store) -> None:
        """The holder renews its lease, nobody else does, and a lost one stays lost, for its commits too."""
        commit(store, Enqueue("age", AT))
        commit(store, Lease("age", "", "t", AT + MINUTE))
        commit(store, Extend("age", "", "t", AT + 3 * MINUTE), at=AT + MINUTE)
        with store.view() as view:
            assert view.jobs(ANA)[0].lease_until == view.jobs(ANA)[0].due_at == AT + 3 * MINUTE
        with pytest.raises(Conflict):
            commit(store, Extend("age", "", "stranger", AT + DAY))
        commit(store, Lease("age", "", "next", AT + DAY), at=AT + 3 * MINUTE)
        with pytest.raises(Conflict):
            commit(store, Extend("age", "", "t", AT + DAY))
        with pytest.raises(Conflict):
            commit(store, Note("run_t", "ran"), expect=(Leased("age", "", "t"),))
        commit(store, Note("run_n", "ran"), expect=(Leased("age", "", "next"),))

    def test_what_is_wanted_meanwhile_outlives_a_renewed_lease(self, store: Store) -> None:
        """A due time asked for while a job runs is kept when the lease is renewed, and when the run ends."""
        commit(store, Enqueue("age", AT))
        commit(store, Lease("age", "", "t", AT + MINUTE))
        commit(store, Enqueue("age", AT))
        commit(store, Extend("age", "", "t", AT + 3 * MINUTE))
        commit(store, Finish("age", "", "t", {}))
        with store.view() as view:
            assert [job.due_at for job in view.jobs(ANA)] == [AT]

    def test_a_run_without_a_lease_settles_once(self, store: Store) -> None:
        """A job is settled in the commit of its effects, if it is still due as it was seen and nobody holds it."""
        done = Settle("age", "", AT, {"status": "ok"}, AT + DAY)
        commit(store, Enqueue("age", AT))
        commit(store, Note("run_1", "ran"), done)
        with pytest.raises(Conflict):
            commit(store, Note("run_1", "ran"), done)
        with store.view() as view:
            (job,) = view.jobs(ANA)
            assert (job.due_at, job.last_run, job.last_report) == (AT + DAY, AT, {"status": "ok"})
            assert [line.memory_id for line in view.runs(ANA, 10)] == ["run_1"]
        commit(store, Lease("age", "", "t", AT + 2 * DAY, force=True))
        with pytest.raises(Conflict):
            commit(store, Settle("age", "", AT + 2 * DAY, {}))
        commit(store, Finish("age", "", "t", {}, AT))
        commit(store, Settle("age", "", AT, {}))
        with store.view() as view:
            assert view.jobs(ANA) == []

    def test_a_job_nobody_holds_can_be_taken_out(self, store: Store) -> None:
        """Dequeueing takes a waiting job away, an unknown one without a word, and leaves one that is held."""
        commit(store, Enqueue("age", AT))
        commit(store, Lease("age", "", "t", AT + MINUTE))
        commit(store, Dequeue("age"), Dequeue("unknown"))
        with store.view() as view:
            assert len(view.jobs(ANA)) == 1
        commit(store, Dequeue("age"), at=AT + MINUTE)
        with store.view() as view:
            assert view.jobs(ANA) == []

    def test_a_job_put_aside_starts_over(self, store: Store) -> None:
        """What failed too often is never due, is found at the end of time, and counts anew when it is wanted again."""
        commit(store, Enqueue("age", AT, payload={"n": 1}))
        commit(store, Lease("age", "", "t", AT + MINUTE))
        commit(store, Finish("age", "", "t", {"status": "failed"}, LATEST, 8))
        commit(store, Enqueue("embed", AT))
        with store.view() as view:
            assert [(job.name, job.attempts) for job in view.due(LATEST, since=LATEST)] == [("age", 8)]
            assert [job.name for job in view.due(AT + DAY)] == ["embed"]
        commit(store, Enqueue("age", AT + DAY, payload={"n": 1}))
        with store.view() as view:
            job = next(one for one in view.jobs(ANA) if one.name == "age")
        assert (job.due_at, job.attempts, job.last_report) == (AT + DAY, 0, {"status": "failed"})

    # Taking back

    def test_a_link_is_put_back_as_it_was(self, store: Store) -> None:
        """A cut link comes back with its strength and time; one that grew stronger becomes weaker again."""
        commit(store, put(make("fact_1")), put(make("fact_2", "Two.")), Connect("fact_1", "fact_2", "related_to", 0.5))
        commit(store, Cut("fact_1", "fact_2", "related_to"), at=AT + DAY)
        with store.view() as view:
            assert view.journal(ANA, ["fact_1"])[-1].before == {"strength": 0.5, "at": to_ms(AT)}
        commit(store, Rejoin("fact_1", "fact_2", "related_to", 0.5, AT), at=AT + DAY)
        commit(store, Connect("fact_1", "fact_2", "related_to", 0.9), at=AT + DAY)
        commit(store, Rejoin("fact_1", "fact_2", "related_to", 0.5), at=AT + DAY)
        with store.view() as view:
            (link,) = (one for one in view.links(ANA, ["fact_1"]) if one.type == "related_to")
        assert (link.strength, link.created_at) == (0.5, AT)

    def test_a_revision_is_read_alone(self, store: Store) -> None:
        """The lines of one revision are given in order, and those of no other."""
        commit(store, put(make("fact_1")))
        rev = commit(store, put(make("fact_2", "Two.")), Note("run_1", "ran", {"n": 1}), request_id="r").rev
        commit(store, put(make("fact_3", "Three.")))
        with store.view() as view:
            assert [(line.memory_id, line.op) for line in view.revision(ANA, rev)] == [
                ("fact_2", "created"),
                ("run_1", "ran"),
            ]
            assert view.runs(ANA, 1)[0].meta == {"n": 1}

    def test_a_run_is_named_once(self, store: Store) -> None:
        """A run of several commits is one line, its last; that it was undone is another; the newest comes first."""
        for run in ("run_1", "run_1", "run_2", "run_1"):
            commit(store, Note(run, "ran"))
        commit(store, Note("run_2", "undone"))
        with store.view() as view:
            lines = [(line.rev, line.memory_id, line.op) for line in view.runs(ANA, 10)]
            assert lines == [(5, "run_2", "undone"), (4, "run_1", "ran"), (3, "run_2", "ran")]
            assert [line.rev for line in view.runs(ANA, 2)] == [5, 4]

    def test_a_rehearsal_leaves_nothing(self, store: Store) -> None:
        """What is written in a rehearsal is seen there, refused there as elsewhere, and gone afterwards."""
        commit(store, put(make("fact_1")))

        def act(stage: Store) -> list[str]:
            commit(stage, put(make("fact_2", "Two.")), Enqueue("age", AT))
            with pytest.raises(Conflict):
                commit(stage, put(make("fact_3", "Three.")), Connect("fact_1", "fact_1", "related_to"))
            with stage.view() as view:
                return [memory.id for memory in view.page(everything(), "oldest", 10)]

        assert store.rehearse(act) == ["fact_1", "fact_2"]
        with store.view() as view:
            assert [memory.id for memory in view.page(everything(), "oldest", 10)] == ["fact_1"]
            assert view.jobs(ANA) == []
        assert commit(store, put(make("fact_2", "Two."))).rev == 2

    def test_several_commits_at_once_stand_alone(self, store: Store) -> None:
        """Writes handed in together each get their own answer; what one of them meets is not the others' business."""
        made = [put(make(f"fact_{n}", f"Number {n}.", owner)) for n, owner in enumerate((ANA, "/bob", "/eva"))]
        writes = [
            Write(owner=one.memory.owner, at=AT, node="test", changes=(one,), expect=(Version("none", 1),) * (n == 1))
            for n, one in enumerate(made)
        ]
        first, second, third = store.commit_all(writes)
        assert isinstance(second, Conflict)
        assert isinstance(first, Committed)
        assert isinstance(third, Committed)
        assert (first.rev, third.rev) == (1, 1)
        with store.view() as view:
            assert view.owners() == [ANA, "/eva"]
