"""The contract of jobs: enqueued once, held by one, never lost."""

from __future__ import annotations

import pytest

from recollect.errors import Conflict
from recollect.model.change import (
    Committed,
    Enqueue,
    Finish,
    Lease,
)
from recollect.store.base import Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import (
    ANA,
    AT,
    DAY,
    MINUTE,
    commit,
    together,
)


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
