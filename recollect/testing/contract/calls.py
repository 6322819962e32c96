"""The contract of the log of calls: kept for its owner alone, in order, and gone with whatever it may quote."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.model.asking import Call, Usage
from recollect.model.change import Change, Drop, Log, Open, Remove, Unlog, Wipe
from recollect.model.owner import owner_key
from recollect.store.base import Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, DAY, HOSTILE, MINUTE, commit, make, put

TEXT = "Ünï 😀 'quoted' \\ and\nlines"


def call(number: int = 1, **fields: object) -> Call:
    """Make a call that was asked so many minutes after the first."""
    made = Call(
        id=f"call_{number:032x}", at=AT + number * MINUTE, role="judge", name="verdict", status="answered",
        model="openai:small", version="3", milliseconds=2**33, usage=Usage(1, 2**40, 3, 4, 0),
        instructions=TEXT, data="x" * 200_000, answer=TEXT, reason="",
    )  # fmt: skip
    return replace(made, **fields)  # type: ignore[arg-type]


class Calls(Ground):
    """What the log of calls promises."""

    def test_calls_are_kept_as_they_were(self, store: Store) -> None:
        """The newest come first, page by page, without texts; one by its id has all of them; no revision moves."""
        for number in (1, 2, 3):
            assert commit(store, Log(call(number, session="s" if number == 2 else ""))).rev == 0
        with store.view() as view:
            bare = [replace(call(number), instructions="", data="", answer="") for number in (3, 1)]
            assert [one.id for one in view.logged(ANA, "", "", 2)] == [call(3).id, call(2).id]
            assert view.logged(ANA, "", call(2).id, 9) == bare[1:]
            assert [one.id for one in view.logged(ANA, "s", "", 9)] == [call(2).id]
            assert view.call(ANA, call(1).id) == call(1)
            assert view.call(ANA, "call_none") is None
            assert view.journal(ANA) == []

    def test_calls_belong_to_their_owner(self, store: Store) -> None:
        """However alike two names look, neither reads what was asked for the other."""
        for number, user in enumerate(HOSTILE):
            commit(store, Log(call(number, name=f"of {number}")), owner=owner_key(user))
        with store.view() as view:
            found = [[one.name for one in view.logged(owner_key(user), "", "", 9)] for user in HOSTILE]
            assert view.call(owner_key(HOSTILE[1]), call(0).id) is None
        assert found == [[f"of {number}"] for number in range(len(HOSTILE))]

    @pytest.mark.parametrize("gone", [Remove(("fact_1",), "erased"), Drop(sessions=("hush",)), Unlog(), Wipe()])
    def test_what_may_be_quoted_takes_the_log_with_it(self, store: Store, gone: Change) -> None:
        """Whatever is erased, the whole log of its owner goes, and nobody else's."""
        commit(store, put(make("fact_1")), Open("hush", "", AT))
        for owner in (ANA, owner_key("bob")):
            commit(store, Log(call()), owner=owner)
        commit(store, gone, at=AT + 2 * MINUTE)
        with store.view() as view:
            assert view.logged(ANA, "", "", 9) == []
            assert len(view.logged(owner_key("bob"), "", "", 9)) == 1

    def test_an_answer_that_comes_too_late_is_not_kept(self, store: Store) -> None:
        """What was asked before something was erased, or right after it, may quote it; later questions cannot."""
        commit(store, put(make("fact_1")), put(make("fact_2", "Coffee at five.")))
        commit(store, Remove(("fact_1",), "erased"), at=AT + 2 * MINUTE)
        commit(store, Log(call(1)), at=AT + 3 * MINUTE)
        commit(store, Log(call(4)), at=AT + 5 * MINUTE)
        commit(store, Log(call(60)), at=AT + 61 * MINUTE)
        with store.view() as view:
            assert [one.id for one in view.logged(ANA, "", "", 9)] == [call(60).id]

    def test_old_calls_are_cut(self, store: Store) -> None:
        """They are found by their age, about as many as asked for, and cut up to a moment."""
        for number in (1, 2, 3):
            commit(store, Log(call(number)))
        with store.view() as view:
            old = view.old_calls(ANA, call(3).at, 1)
            assert (old.count, old.more) == (1, True)
            assert view.old_calls(ANA, AT, 9).next_at is not None
            assert view.old_calls(ANA, AT + DAY, 9).count == 3
        commit(store, Unlog(call(2).at))
        with store.view() as view:
            assert [one.id for one in view.logged(ANA, "", "", 9)] == [call(3).id]
            assert view.old_calls(ANA, call(3).at + timedelta(milliseconds=1), 9).count == 1
