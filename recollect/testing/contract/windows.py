"""The contract of windows and checkpoints: rows beside what is remembered, that bump no revision."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.errors import Conflict
from recollect.model.change import DropCheckpoints, Remove, SaveCheckpoint, SetWindow, Wipe
from recollect.model.expectation import Sighted
from recollect.model.window import Checkpoint
from recollect.store.base import Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, commit, everything, make, put


class Windows(Ground):
    """What the tables of windows and checkpoints promise."""

    def test_a_window_is_changed_part_by_part(self, store: Store) -> None:
        """What a change leaves out stays; notes are merged; nothing of it is a revision."""
        with store.view() as view:
            assert (view.window(ANA, "s1"), view.told(ANA, "a")) == (None, 0)
        commit(store, SetWindow("s1", "a", messages=("ep_1", "ep_2"), notes={"flushed": True}))
        commit(store, SetWindow("s1", seen_rev=7, notes={"factor": 1.5}))
        commit(store, SetWindow("s2", "b", seen_rev=9))
        with store.view() as view:
            seen = view.window(ANA, "s1")
            assert seen is not None
            assert (seen.agent, seen.seen_rev, seen.messages) == ("a", 7, ("ep_1", "ep_2"))
            assert seen.notes == {"flushed": True, "factor": 1.5}
            other = view.window(ANA, "s2")
            assert other is not None
            assert other.messages is None
            assert (view.told(ANA, "a"), view.told(ANA, "b"), view.told("/ben", "a")) == (7, 9, 0)
            assert view.counters(ANA).rev == 0

    def test_a_window_is_only_moved_from_where_it_was_seen(self, store: Store) -> None:
        """Of two who compact at once, one must look again."""
        commit(store, SetWindow("s1", messages=("ep_1",)), expect=(Sighted("s1", None),))
        with pytest.raises(Conflict):
            commit(store, SetWindow("s1", messages=("ep_2",)), expect=(Sighted("s1", None),))
        commit(store, SetWindow("s1", messages=()), expect=(Sighted("s1", ("ep_1",)),))
        with store.view() as view:
            seen = view.window(ANA, "s1")
            assert seen is not None
            assert seen.messages == ()

    def test_checkpoints_are_listed_the_newest_first(self, store: Store) -> None:
        """They are told apart by session and namespace, replaced by id, and only so many are kept."""
        for number in range(4):
            one = Checkpoint("s1", "", f"c{number}", f"c{number - 1}", {"n": [number, "é"]}, AT)
            commit(store, SaveCheckpoint(one))
        commit(store, SaveCheckpoint(Checkpoint("s1", "sub", "c9", "", None, AT + timedelta(days=1))))
        commit(store, SaveCheckpoint(Checkpoint("s2", "", "c9", "", 7, AT)))
        with store.view() as view:
            found = view.checkpoints(ANA, "s1", "", 10)
            assert [one.id for one in found] == ["c3", "c2", "c1", "c0"]
            assert (found[0].data, found[0].parent, found[0].created_at) == ({"n": [3, "é"]}, "c2", AT)
            assert [one.id for one in view.checkpoints(ANA, "s1", None, 2)] == ["c9", "c3"]
            assert view.checkpoints(ANA, "s1", "", 1, id="c1")[0].data == {"n": [1, "é"]}
            assert [one.id for one in view.checkpoints(ANA, "s1", "", 9, before="c2")] == ["c1", "c0"]
            assert view.checkpoints("/ben", "s1", None, 10) == []
        commit(store, SaveCheckpoint(replace(found[0], data="new"), keep=2))
        with store.view() as view:
            assert [one.data for one in view.checkpoints(ANA, "s1", "", 10)] == ["new", {"n": [2, "é"]}]
        commit(store, DropCheckpoints("s1", "", "c2"))
        commit(store, DropCheckpoints("s2"))
        with store.view() as view:
            assert [one.id for one in view.checkpoints(ANA, "s1", None, 10)] == ["c9", "c3"]
            assert view.checkpoints(ANA, "s2", None, 10) == []

    def test_what_is_erased_leaves_no_checkpoint_that_may_quote_it(self, store: Store) -> None:
        """Erasing a memory takes the saved states of its session along, erasing everything takes all."""
        commit(store, put(make("fact_1", "Tea.", session="s1")))
        for session in ("s1", "s2"):
            commit(store, SaveCheckpoint(Checkpoint(session, "", "c1", "", "Tea.", AT)), SetWindow(session))
        commit(store, Remove(("fact_1",), "erased"))
        with store.view() as view:
            assert view.checkpoints(ANA, "s1", None, 10) == []
            assert len(view.checkpoints(ANA, "s2", None, 10)) == 1
        commit(store, Wipe())
        with store.view() as view:
            assert (view.checkpoints(ANA, "s2", None, 10), view.window(ANA, "s2")) == ([], None)

    def test_projects_are_told_apart(self, store: Store) -> None:
        """A filter may name projects; what is in none is the project without a name."""
        commit(store, put(make("fact_1", "Tea.")), put(make("fact_2", "Tea too.", project="boat")))
        with store.view() as view:
            for projects, ids in (((), {"fact_1", "fact_2"}), (("",), {"fact_1"}), (("boat",), {"fact_2"})):
                where = everything(projects=projects)
                assert {one.id for one in view.page(where, "recent", 9)} == ids
                docs = view.documents(ANA, [int(doc) for doc in view.allowed(where).nonzero()[0]])
                assert {one.id for one in docs.values()} == ids
