"""The contract of vectors: found by nearness under every filter, apart by owner and model, gone with their memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from recollect.model.change import Adopt, Embed, Patch, Remove, Seal, Wipe
from recollect.model.filter import Filter
from recollect.model.owner import owner_key
from recollect.store.base import EXACT, Store, View
from recollect.store.cache.codebook import SEGMENT
from recollect.store.sql.view import SqlView
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, DAY, FILTERS, commit, everything, make, put, stock
from recollect.text.arrays import Reals, np
from recollect.text.vectors import packed, unpacked

MODEL, OTHER, SIZE = "tiny", "another", 32
QUERY = -1
TWO_DIGITS = 0.02


def vector(number: int, size: int = SIZE) -> Reals:
    """Make the vector of a number, of length one and as exact as it is kept."""
    made = np.random.default_rng(number + 1000).normal(size=size)
    return np.asarray(unpacked([packed(made / np.sqrt(made @ made))])[0])


def embed(store: Store, numbers: Mapping[str, int], model: str = MODEL, owner: str = ANA, size: int = SIZE) -> None:
    """Give memories the vectors of numbers, all in one write."""
    vectors = tuple((id, packed(vector(number, size))) for id, number in numbers.items())
    commit(store, Embed(model, vectors), owner=owner)


def many(store: Store, count: int, batch: int, start: int = 0) -> dict[str, int]:
    """Store many memories with the vectors of their numbers, so many in a write."""
    numbers = {f"fact_{number}": number for number in range(start, start + count)}
    commit(store, *(put(make(id, "tea")) for id in numbers))
    ids = list(numbers)
    for at in range(0, count, batch):
        embed(store, {id: numbers[id] for id in ids[at : at + batch]})
    return numbers


def seal(store: Store) -> None:
    """Pack what can be packed, as the job that embeds does; an engine that searches by itself is never asked to."""
    if store.segmented:
        commit(store, Seal(MODEL))


def nearest(view: View, limit: int = 10, model: str = MODEL, **fields: Any) -> list[tuple[str, float]]:
    """Give the ids of the nearest to the vector every test asks for, with their similarity."""
    where = everything(**fields)
    return named(view, where, view.nearest(where, model, vector(QUERY), limit).pairs())


def named(view: View, where: Filter, found: Sequence[tuple[int, float]]) -> list[tuple[str, float]]:
    """Give ids for document numbers; a document nobody knows has none."""
    known = view.documents(where.owner, [doc for doc, _ in found])
    return [(known[doc].id if doc in known else f"unknown {doc}", similarity) for doc, similarity in found]


def compared(numbers: Mapping[str, int]) -> list[tuple[str, float]]:
    """Compare every vector with the one asked for: what a search may not differ from."""
    similar = [(id, float(vector(number) @ vector(QUERY))) for id, number in numbers.items()]
    return sorted(similar, key=lambda one: -one[1])


def hold(found: Sequence[tuple[str, float]], numbers: Mapping[str, int], limit: int) -> None:
    """Hold what was found against a comparison with all: exact at first, to two digits behind."""
    wanted = compared(numbers)[:limit]
    first = min(EXACT, limit) - 1  # where two are all but equal, the last of the exact ones may be either
    assert [id for id, _ in found[:first]] == [id for id, _ in wanted[:first]]
    assert [similarity for _, similarity in found[:first]] == pytest.approx([s for _, s in wanted[:first]], abs=1e-3)
    assert len({id for id, _ in found}) == len(found) == len(wanted)
    assert [similarity for _, similarity in found] == pytest.approx([s for _, s in wanted], abs=TWO_DIGITS)


class Vectors(Ground):
    """What is promised about meaning."""

    # Finding

    def test_nearest_under_every_filter(self, store: Store) -> None:
        """The nearest are those a comparison of all that pass the filter gives, whatever the filter and the limit."""
        stock(store)
        with store.view() as view:
            ids = [memory.id for memory in view.page(everything(states=()), "oldest", 10)]
        numbers = {id: number for number, id in enumerate(ids)}
        embed(store, numbers)
        with store.view() as view:
            for name, fields, passing in FILTERS:
                wanted = compared({id: numbers[id] for id in passing})
                found = nearest(view, **fields)
                assert [id for id, _ in found] == [id for id, _ in wanted], name
                assert [one for _, one in found] == pytest.approx([one for _, one in wanted], abs=1e-3), name
                assert nearest(view, 1, **fields) == found[:1], name

    def test_a_filter_comes_before_the_limit(self, store: Store) -> None:
        """The one that passes is found although many that do not are nearer."""
        commit(store, *(put(make(f"fact_{n}", "tea", topic="rare" if n == 0 else "common")) for n in range(60)))
        opposite = packed(-vector(QUERY))
        commit(store, Embed(MODEL, (("fact_0", opposite),)))
        embed(store, {f"fact_{n}": QUERY for n in range(1, 60)})
        with store.view() as view:
            ((found, similarity),) = nearest(view, 3, topic="rare")
        assert found == "fact_0"
        assert similarity == pytest.approx(-1, abs=1e-3)

    def test_similar_and_alike(self, store: Store) -> None:
        """Chosen documents are compared with a vector and with each other; one without a vector says so."""
        commit(store, *(put(make(f"fact_{n}")) for n in range(4)))
        embed(store, {"fact_0": 0, "fact_1": 1, "fact_3": 3})
        docs = np.array([4, 3, 1, 2, 99])
        asked = {4: vector(3), 1: vector(0), 2: vector(1)}
        with store.view() as view:
            similar = view.similar(ANA, MODEL, vector(QUERY), docs)
            alike = view.alike(ANA, MODEL, docs)
        wanted = [float(asked[doc] @ vector(QUERY)) if doc in asked else np.nan for doc in docs.tolist()]
        assert similar == pytest.approx(wanted, abs=TWO_DIGITS, nan_ok=True)
        rows = np.stack([asked.get(doc, np.zeros(SIZE)) for doc in docs.tolist()])
        assert alike == pytest.approx(rows @ rows.T, abs=TWO_DIGITS)

    def test_what_nobody_has_embedded(self, store: Store) -> None:
        """Without vectors, and for an owner never seen, nothing is near and nothing is similar."""
        commit(store, put(make("fact_1")))
        with store.view() as view:
            for owner in (ANA, owner_key("bob")):
                assert view.nearest(everything(owner), MODEL, vector(QUERY), 5).pairs() == []
                assert np.isnan(view.similar(owner, MODEL, vector(QUERY), np.array([1]))).all()
                assert not view.alike(owner, MODEL, np.array([1])).any()
                assert (view.embeddings(owner, MODEL, [1]), view.embedded(owner)) == ({}, {})
            assert view.pending(ANA, MODEL, 0, 5) == [(1, "fact_1")]

    # Keeping

    def test_embeddings_come_back(self, store: Store) -> None:
        """A vector comes back to the last bit; unknown memories and second vectors are passed over."""
        commit(store, *(put(make(f"fact_{n}")) for n in range(2)))
        embed(store, {"fact_0": 0, "fact_unknown": 5})
        embed(store, {"fact_0": 7, "fact_1": 1})
        with store.view() as view:
            wanted = {1: packed(vector(0)), 2: packed(vector(1))}
            assert view.embeddings(ANA, MODEL, [1, 2, 3]) == wanted
            assert view.embeddings(ANA, OTHER, [1, 2]) == {}
            assert view.embedded(ANA) == {MODEL: 2}
            assert view.counters(ANA).model == MODEL
            assert view.counters(ANA).rev == 1

    def test_pending(self, store: Store) -> None:
        """Those without a vector of a model wait in the order they came; what was forgotten does not."""
        commit(store, *(put(make(f"fact_{n}")) for n in range(6)))
        commit(store, Patch("fact_4", {"state": "deleted"}), Patch("fact_3", {"state": "superseded"}))
        embed(store, {"fact_0": 0, "fact_2": 2})
        with store.view() as view:
            assert view.pending(ANA, MODEL, 0, 9) == [(2, "fact_1"), (4, "fact_3"), (6, "fact_5")]
            assert view.pending(ANA, MODEL, 2, 1) == [(4, "fact_3")]
            assert len(view.pending(ANA, OTHER, 0, 9)) == 5

    def test_vectors_of_a_wrong_size(self, store: Store) -> None:
        """Vectors of another size break nothing and hide nothing, in rows, in segments and in questions."""
        numbers = many(store, 2 * SEGMENT, 2 * SEGMENT)
        seal(store)
        for at, size in enumerate((2 * SIZE, 3 * SIZE)):
            commit(store, put(make(f"fact_wrong{at}")))
            embed(store, {f"fact_wrong{at}": at}, size=size)
        numbers |= many(store, SEGMENT, SEGMENT, 2 * SEGMENT)
        for sealed in (False, True):
            if sealed:
                seal(store)
            for handle in (store, self.handle()):
                with handle.view() as view:
                    hold(nearest(view, 20), numbers, 20)
                    assert np.isnan(view.similar(ANA, MODEL, vector(QUERY), np.array([2 * SEGMENT + 1]))).all()
                    assert view.nearest(everything(), MODEL, vector(QUERY, 4 * SIZE), 10).pairs() == []
                    assert np.isnan(view.similar(ANA, MODEL, vector(QUERY, 4 * SIZE), np.array([1]))).all()
                    around = np.arange(2 * SEGMENT - 1, 2 * SEGMENT + 5)
                    assert (np.diag(view.alike(ANA, MODEL, around)) > 0.9).sum() >= 4

    @pytest.mark.parametrize("batch", [100, 3 * SEGMENT])
    def test_more_than_a_segment(self, store: Store, batch: int) -> None:
        """Vectors are found the same before they are packed, after, and by who reads the packed ones alone."""
        numbers = many(store, 3 * SEGMENT, batch)
        with store.view() as view:
            hold(nearest(view, 50), numbers, 50)
        seal(store)
        for handle in (store, self.handle()):
            with handle.view() as view:
                hold(nearest(view, 50), numbers, 50)
                assert len(nearest(view, 1000)) == len(numbers)
        numbers |= many(store, 20, 7, len(numbers))
        seal(store)
        for handle in (store, self.handle()):
            with handle.view() as view:
                hold(nearest(view, 50), numbers, 50)
                assert len(nearest(view, 1000)) == len(numbers)
                assert view.embedded(ANA) == {MODEL: len(numbers)}

    def test_of_equals_the_newer_first(self, store: Store) -> None:
        """Of memories that are equally near the newest are found, however many there are."""
        ids = [f"fact_{number}" for number in range(300)]
        commit(store, *(put(make(id, "tea")) for id in ids))
        embed(store, dict.fromkeys(ids, 7))
        with store.view() as view:
            assert [id for id, _ in nearest(view, 5)] == ids[:-6:-1]

    # Walls

    def test_owners_never_meet(self, store: Store) -> None:
        """The same ids, document numbers and vectors of two owners stay apart, whoever looks first."""
        bob = owner_key("bob")
        for owner, number in ((ANA, 1), (bob, 2)):
            commit(store, *(put(make(f"fact_{n}", "tea", owner)) for n in range(number + 1)), owner=owner)
            embed(store, {"fact_0": number}, owner=owner)
        asked = vector(QUERY)
        with store.view() as view:
            for owner, number in ((bob, 2), (ANA, 1), (bob, 2)):
                similar = view.similar(owner, MODEL, asked, np.array([1]))
                assert similar.tolist() == pytest.approx([float(vector(number) @ asked)], abs=TWO_DIGITS)
                assert np.isnan(view.similar(owner, OTHER, asked, np.array([1]))).all()
                ((doc, similarity),) = view.nearest(everything(owner), MODEL, vector(QUERY), 10).pairs()
                assert doc == 1
                assert similarity == pytest.approx(float(vector(number) @ vector(QUERY)), abs=1e-3)
                assert view.embeddings(owner, MODEL, [1, 2]) == {1: packed(vector(number))}
                assert view.embedded(owner) == {MODEL: 1}
                assert len(view.pending(owner, MODEL, 0, 9)) == number
        commit(store, Wipe(), owner=bob)
        with store.view() as view:
            assert [id for id, _ in nearest(view)] == ["fact_0"]
            assert view.nearest(everything(bob), MODEL, vector(QUERY), 10).pairs() == []

    def test_models_are_apart(self, store: Store) -> None:
        """Each model finds by its own vectors; when another serves, what the first left is gone."""
        numbers = many(store, 50, 50)
        embed(store, {"fact_3": 7}, OTHER)
        with store.view() as view:
            assert len(nearest(view, 100)) == 50
            assert [id for id, _ in nearest(view, model=OTHER)] == ["fact_3"]
            assert view.embedded(ANA) == {OTHER: 1, MODEL: 50}
            assert view.counters(ANA).model == MODEL
        commit(store, Adopt(OTHER))
        for handle in (store, self.handle()):
            with handle.view() as view:
                assert nearest(view, 100) == []
                assert [id for id, _ in nearest(view, model=OTHER)] == ["fact_3"]
                assert view.embedded(ANA) == {OTHER: 1}
                assert view.counters(ANA).model == OTHER
                assert len(view.pending(ANA, MODEL, 0, 99)) == len(numbers)

    def test_a_model_that_comes_back(self, store: Store) -> None:
        """A model that served before, was given up and serves again finds each memory once, by its new vector."""
        numbers = many(store, 50, 50)
        with store.view() as view:
            assert len(nearest(view, 100)) == 50
        commit(store, Adopt(OTHER))
        commit(store, Adopt(MODEL))
        embed(store, {id: number + 500 for id, number in numbers.items()})
        for handle in (store, self.handle()):
            with handle.view() as view:
                hold(nearest(view, 100), {id: number + 500 for id, number in numbers.items()}, 100)

    # Going

    def test_erased_vectors_are_not_found(self, store: Store) -> None:
        """What is erased is in no answer of who looked before, nor of who looks now, packed or not."""
        numbers = many(store, 2 * SEGMENT, 100)
        before = self.handle()
        with before.view() as view:
            assert len(nearest(view, 1000)) == len(numbers)
        seal(store)
        numbers |= many(store, 10, 10, len(numbers))
        gone = [id for id, _ in compared(numbers)[: len(numbers) - 40]]
        commit(store, Remove(tuple(gone), "erased"))
        left = {id: number for id, number in numbers.items() if id not in gone}
        for handle in (store, before, self.handle()):
            with handle.view() as view:
                hold(nearest(view, 1000, states=()), left, 40)
                assert view.embedded(ANA) == {MODEL: 40}
                assert len(view.embeddings(ANA, MODEL, range(600))) == 40
        self.sound(store)

    def test_wiped_and_begun_anew(self, store: Store) -> None:
        """Who looked before a wipe sees only what came after it, although numbers and ids begin again."""
        many(store, 50, 50)
        before = self.handle()
        with before.view() as view:
            assert len(nearest(view, 100)) == 50
        commit(store, Wipe())
        with before.view() as view:
            assert nearest(view, 100) == []
            assert view.embedded(ANA) == {}
        commit(store, put(make("fact_0", "coffee")), at=AT + DAY)
        embed(store, {"fact_0": 77})
        for handle in (store, before, self.handle()):
            with handle.view() as view:
                hold(nearest(view, 100), {"fact_0": 77}, 100)
                assert view.allowed(everything()).tolist() == [False, True]

    # Another process

    def test_another_handle_reads_what_is_new(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """Another handle sees new vectors and changed states at its next look, and reads only what has changed."""
        numbers = many(store, 400, 100)
        reader = self.handle()
        with reader.view() as view:
            assert len(nearest(view, 1000)) == view.allowed(everything()).sum() == 400
        commit(store, put(make("fact_new")), Patch("fact_1", {"state": "deleted"}))
        embed(store, {"fact_new": QUERY})
        read: list[int] = []
        plain = SqlView._rows

        def counted(view: SqlView, sql: str, params: Sequence[Any] = ()) -> list[Any]:
            rows = plain(view, sql, params)
            read.append(len(rows))
            return rows

        monkeypatch.setattr(SqlView, "_rows", counted)
        with reader.view() as view:
            found = view.nearest(everything(), MODEL, vector(QUERY), 1).pairs()
            assert view.documents(ANA, [found[0][0]])[found[0][0]].id == "fact_new"
            assert view.allowed(everything()).sum() == 400
        assert 0 < sum(read) < 60
        with reader.view() as view:
            wanted = {id: number for id, number in numbers.items() if id != "fact_1"} | {"fact_new": QUERY}
            hold(nearest(view, 30), wanted, 30)
