"""The contract of sessions: how far each was worked through, and what makes another due."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from recollect.errors import Conflict, NotFound
from recollect.model.change import Enqueue, Open, Patch, Reach, Remove
from recollect.model.expectation import Reached
from recollect.store.base import Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, DAY, commit, make, put


class Talks(Ground):
    """What the table of sessions promises."""

    def test_a_session_is_worked_through_step_by_step(self, store: Store) -> None:
        """The mark moves only from where it is expected to be, and its moves are journaled."""
        self._talk(store, "s1", 3)
        with store.view() as view:
            said = view.said(ANA, "s1", 0, 10)
            assert [one.content for _, one in said] == ["s1 says 0", "s1 says 1", "s1 says 2"]
            assert view.said(ANA, "s1", said[0][0], 1) == said[1:2]
            assert (view.said(ANA, "s2", 0, 10), view.session(ANA, "s2")) == ([], None)
        commit(store, Reach("s1", said[1][0]), expect=(Reached("s1", 0),))
        with pytest.raises(Conflict):
            commit(store, Reach("s1", said[2][0]), expect=(Reached("s1", 0),))
        with pytest.raises(Conflict):
            commit(store, Enqueue("age", AT), expect=(Reached("s2", 0),))
        with pytest.raises(NotFound):
            commit(store, Reach("s2", 1))
        with store.view() as view:
            row = view.session(ANA, "s1")
            assert row is not None
            assert (row.consolidated_upto, view.progress(ANA)) == (said[1][0], {"s1": (3, 2)})
            assert view.sessions(ANA) == [row]
            (line,) = [entry for entry in view.journal(ANA) if entry.op == "consolidated"]
            assert (line.before, line.meta) == ({"upto": 0}, {"session": "s1", "upto": said[1][0]})
            assert view.progress("/ben") == {}
        self.sound(store)

    def test_messages_out_of_sight_are_not_worked_through(self, store: Store) -> None:
        """What is no message, or was forgotten, is not read and not counted."""
        self._talk(store, "s1", 2)
        commit(store, put(make("fact_1", "A fact.", session="s1")), Patch("ep_s1_0", {"state": "deleted"}, "deleted"))
        with store.view() as view:
            assert [one.id for _, one in view.said(ANA, "s1", 0, 10)] == ["ep_s1_1"]
            assert view.progress(ANA) == {"s1": (1, 0)}

    def test_a_new_session_makes_all_that_wait_due(self, store: Store) -> None:
        """Every other session that waits, of whichever agent, as many as there are; never the new one, and once."""
        late = {f"s{number}": AT + 2 * DAY for number in range(30)}
        for at, session in enumerate(late):
            self._talk(store, session, 1, "other" if at % 2 else "", waits=late[session])
        commit(store, Enqueue("consolidate", AT + 2 * DAY), Enqueue("age", AT + 2 * DAY, "s1"))
        self._talk(store, "new", 2, others=True, waits=AT + 2 * DAY)
        with store.view() as view:
            waiting = {(job.name, job.key): job.due_at for job in view.jobs(ANA)}
        untouched = {("consolidate", ""), ("consolidate", "new"), ("age", "s1")}
        assert {job: waiting.pop(job) for job in untouched} == dict.fromkeys(untouched, AT + 2 * DAY)
        assert waiting == {("consolidate", session): AT + DAY for session in late}

    def test_an_export_gives_the_place_of_the_mark(self, store: Store) -> None:
        """Numbers of documents leave gaps; the place among the memories is what a fresh database counts."""
        self._talk(store, "s1", 4)
        with store.view() as view:
            third = view.said(ANA, "s1", 0, 10)[2][0]
        commit(store, Reach("s1", third), Remove(("ep_s1_0",), "erased"))
        with store.view() as view:
            assert [row["consolidated_upto"] for row in view.dump(ANA, "sessions")] == [2]

    def _talk(
        self,
        store: Store,
        session: str,
        many: int,
        agent: str = "",
        *,
        others: bool = False,
        waits: datetime | None = None,
    ) -> None:
        for number in range(many):
            said = make(f"ep_{session}_{number}", f"{session} says {number}", kind="episode", session=session)
            follows = Enqueue("consolidate", AT + DAY) if others else None
            seen = (
                Open(session, agent, AT, (), follows),
                *((Enqueue("consolidate", waits, session),) if waits else ()),
            )
            commit(store, put(replace(said, agent=agent)), *seen)
