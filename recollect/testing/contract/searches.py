"""The contract of searching: one snapshot holds what every channel finds under a filter, in one moment."""

from __future__ import annotations

from typing import Any

from recollect.model.change import Connect, Patch
from recollect.model.filter import Filter
from recollect.rules.find.snapshot import Snapshot, Sought
from recollect.store.base import Store, View
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, FILTERS, commit, everything, make, put, stock
from recollect.testing.contract.vectors import MODEL, QUERY, embed, vector
from recollect.text.arrays import np
from recollect.text.terms import TermsPolicy


def asked(*words: str, where: Filter | None = None, **given: Any) -> Sought:
    """Ask for words under a filter, and by meaning where a vector is given."""
    return Sought(where=where or everything(), policy=TermsPolicy(), words=words or ("tea",), **given)


def ids(view: View, docs: Any) -> set[str]:
    """Give the ids of documents."""
    return {memory.id for memory in view.documents(ANA, docs.tolist()).values()}


class Searches(Ground):
    """What is promised about the snapshot of a search."""

    def test_candidates_under_every_filter(self, store: Store) -> None:
        """Every candidate passes the filter, and all that are near in meaning and pass are candidates."""
        stock(store)
        with store.view() as view:
            known = [memory.id for memory in view.page(everything(states=()), "oldest", 10)]
        embed(store, {id: number for number, id in enumerate(known)})
        with store.view() as view:
            for name, fields, passing in FILTERS:
                found = view.snapshot(asked(where=everything(**fields), model=MODEL, vector=vector(QUERY)))
                assert ids(view, found.docs) == passing, name
                assert found.docs.tolist() == sorted(found.docs.tolist()), name
                assert found.similar is not None, name
                assert found.similar.shape == found.around[:3].shape, name

    def test_a_snapshot_is_what_the_channels_find(self, store: Store) -> None:
        """Words, meaning and the columns stand in a snapshot as each gives them by itself."""
        commit(store, *(put(make(f"fact_{n}", "tea" if n % 2 else "milk")) for n in range(12)))
        embed(store, {f"fact_{n}": n for n in range(12)})
        with store.view() as view:
            found = view.snapshot(asked(model=MODEL, vector=vector(QUERY), nearest=4))
            where = found.sought.where
            assert found.found.near.pairs() == view.nearest(where, MODEL, vector(QUERY), 4).pairs()
            assert ids(view, found.found.matched.best(99)) == {f"fact_{n}" for n in range(1, 12, 2)}
            assert found.allowed.tolist() == view.allowed(where).tolist()
            assert found.columns.size == 13
            similar = view.similar(ANA, MODEL, vector(QUERY), found.docs)
        assert found.similar is not None
        assert np.allclose(found.similar[0], similar)

    def test_one_moment(self, store: Store) -> None:
        """What is written while a view is open is in no snapshot of it, and a snapshot stays what it was."""
        commit(store, put(make("fact_1", "tea")))
        with store.view() as view:
            before = view.snapshot(asked())
            commit(store, put(make("fact_2", "tea")))
            again = view.snapshot(asked())
            with store.view() as later:
                after = later.snapshot(asked())
        assert [_docs(one) for one in (before, again, after)] == [[1], [1], [1, 2]]

    def test_who_stands_in_the_place(self, store: Store) -> None:
        """Words of a memory that was replaced find the one that stands in its place, at the end of the line."""
        texts = ("tea", "milk", "beer")
        commit(store, *(put(make(f"fact_{n}", text)) for n, text in enumerate(texts)))
        commit(store, *(Patch(f"fact_{n}", {"state": "superseded"}) for n in range(2)))
        commit(store, *(Connect(f"fact_{n + 1}", f"fact_{n}", "supersedes") for n in range(2)))
        with store.view() as view:
            found = view.snapshot(asked())
            assert ids(view, found.docs) == {"fact_2"}
            ((doc, score),) = found.found.inherited.items()
            assert (doc, score > 0) == (3, True)
            assert not len(view.snapshot(asked("beer", where=everything(states=("superseded",)))).docs)

    def test_owners_apart(self, store: Store) -> None:
        """A snapshot holds nothing of another owner."""
        commit(store, put(make("fact_1", "tea")))
        with store.view() as view:
            found = view.snapshot(asked(where=everything("/somebody")))
        assert (_docs(found), found.columns.size, len(found.found.matched.doc)) == ([], 1, 0)


def _docs(snapshot: Snapshot) -> list[int]:
    return list(snapshot.docs.tolist())
