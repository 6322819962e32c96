"""Vectors as they lie: gone from rows and segments with their memory, and found through signs when there are many."""

from __future__ import annotations

import pytest

from recollect import Recollect
from recollect.model.change import Embed, Seal, Write
from recollect.model.clock import from_ms
from recollect.store.cache import codebook
from recollect.store.cache.codebook import SEGMENT, Codebook
from recollect.text.arrays import np
from recollect.text.vectors import kept, nearest_signs, packed, quantised, unpacked
from tests.engines import ask

SIZE = 64


def made(number: int, size: int = SIZE) -> bytes:
    """Make the vector of a number, as it is kept."""
    return packed(np.random.default_rng(number).normal(size=size) / np.sqrt(size))


def test_erased_from_rows_and_segments(database: str) -> None:
    """Of an erased memory no row of vectors is left, and no number of it in any segment."""
    with Recollect(database) as rc:
        ana = rc.space("ana", session="s1")
        receipts = ana.remember_many([{"content": f"Tea number {n} is served."} for n in range(SEGMENT)])
        vectors = tuple((receipt.id, made(at)) for at, receipt in enumerate(receipts))
        changes = (Embed("m", vectors), *((Seal("m"),) if rc._runtime.store.segmented else ()))
        rc._runtime.store.commit(Write(owner=ana.owner, at=from_ms(0), node="test", changes=changes))
        gone = 7
        with rc._runtime.store.view() as view:
            doc = view.numbers(ana.owner, [receipts[gone].id])[receipts[gone].id]
        ana.erase(receipts[gone].id)
        assert ask(database, f"SELECT COUNT(*) FROM vectors WHERE doc = {doc}") == [(0,)]
        assert ask(database, "SELECT COUNT(*) FROM vectors") == [(SEGMENT - 1,)]
        segments = ask(database, "SELECT docs, codes, scale FROM segments")
        assert len(segments) == int(rc._runtime.store.segmented)
        for docs, packed_codes, steps in segments:
            assert doc not in np.frombuffer(bytes(docs), dtype="<i8")
            assert (len(docs), len(steps)) == (8 * (SEGMENT - 1), 4 * (SEGMENT - 1))
            whole, _ = quantised(unpacked([made(gone)]))
            assert whole.tobytes() not in bytes(packed_codes)
        ana.erase(everything=True)
        for table in ("vectors", "segments"):
            assert ask(database, f"SELECT COUNT(*) FROM {table}") == [(0,)]


@pytest.mark.parametrize("size", [SIZE, 100, 384])
def test_many_are_found_through_signs(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Above a number of vectors the signs choose first: a vector near to one is found, and no filter is overlooked."""
    monkeypatch.setattr(codebook, "EXACT_MOST", 100)
    monkeypatch.setattr(codebook, "EXACT_MOST_PLAIN", 100)
    monkeypatch.setattr(codebook, "SKETCHED", 40)
    book = Codebook()
    for start in (1, 300):  # it grows between two looks
        docs = list(range(start, start + 299))
        book.add(docs, [made(doc, size) for doc in docs])
        allowed = np.ones(start + 299, dtype=bool)
        for wanted in (start, start + 150):
            query = kept(np.frombuffer(made(wanted, size), dtype="<f2").astype(np.float32))
            found = book.nearest(query, allowed, 5).pairs()
            assert found[0][0] == wanted
            barred = allowed.copy()
            barred[wanted] = False
            found = book.nearest(query, barred, 5).pairs()
            assert len(found) == 5
            assert wanted not in [doc for doc, _ in found]
        only = np.zeros(start + 299, dtype=bool)
        only[start + 7] = True
        assert book.nearest(query, only, 5).docs.tolist() == [start + 7]


def test_the_signs_find_what_a_comparison_with_all_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the ten nearest among many, chosen by half of the signs and then by all, hardly any is lost."""
    chance = np.random.default_rng(3)
    centres = chance.normal(size=(100, 384))
    near = centres.repeat(120, axis=0) + chance.normal(size=(12_000, 384))
    book = Codebook()
    book.add(list(range(1, 12_001)), [packed(one) for one in near])
    allowed = np.ones(12_001, dtype=bool)
    asked = [kept(one / np.linalg.norm(one)) for one in centres[:20] + chance.normal(size=(20, 384))]
    exact = [book.nearest(one, allowed, 10).docs.tolist() for one in asked]
    for name in ("EXACT_MOST", "EXACT_MOST_PLAIN"):
        monkeypatch.setattr(codebook, name, 100)
    monkeypatch.setattr(codebook, "SKETCHED", 100)
    chosen = [book.nearest(one, allowed, 10).docs.tolist() for one in asked]
    assert sum(len(set(one) & set(other)) for one, other in zip(exact, chosen, strict=True)) >= 190


@pytest.mark.parametrize("parity", [0, 1])
def test_the_nearest_signs_of_every_second(parity: int) -> None:
    """About as many are chosen as were asked for, also when what passes a filter comes in turns."""
    distances = np.random.default_rng(1).binomial(384, 0.4, size=600_000).astype(np.uint16)
    distances[parity::2] = 2**16 - 1
    chosen = nearest_signs(distances, 2000)
    assert 1500 < len(chosen) < 4000
    assert (chosen % 2 != parity).all()


def test_without_the_kernel_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain numpy gives the same documents and, to two digits, the same similarities as the SIMD kernel."""
    book = Codebook()
    book.add(list(range(1, 200)), [made(doc) for doc in range(1, 200)])
    query, allowed = kept(np.random.default_rng(999).normal(size=SIZE) / 8), np.ones(200, dtype=bool)
    fast = book.nearest(query, allowed, 20).pairs()
    monkeypatch.setattr("recollect.text.vectors._kernel", False)
    plain = dict(book.nearest(query, allowed, 199).pairs())
    assert [similarity for _, similarity in fast] == pytest.approx([plain[doc] for doc, _ in fast], abs=0.02)
