"""Packed postings: whole blocks of documents read at once, equal to the single ones whatever happens to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.errors import Conflict
from recollect.model.change import Pack, Remove, Write
from recollect.model.clock import from_ms
from recollect.model.receipt import Report
from recollect.store.cache import blocks
from recollect.store.sql import packs as sql_packs
from recollect.store.sql.read import words
from recollect.text.arrays import np
from tests.engines import ask

BITS = 5
MANY = 3 * 2**BITS + 10
"""Three whole blocks, and a part of a fourth."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let blocks be small."""
    monkeypatch.setattr(blocks, "BITS", BITS)
    monkeypatch.setattr(words, "GAPS", 1)


def told(rc: Recollect, many: int = MANY) -> Space:
    """Let somebody tell things: tea is in all of them, honey in every fourth, dates only in the first block."""
    ana = rc.space("ana", session="s1")
    ana.remember_many(
        [
            {
                "content": f"Tea {'tea ' * (n % 3)}number {n} is served{' with honey' * (n % 4 == 0)}"
                f"{' and dates' * (n < 2**BITS)}."
            }
            for n in range(many)
        ]
    )
    return ana


TERMS = ("tea", "honey", "date", "number", "7", "unknown")


def posted(rc: Recollect, ana: Space) -> dict[str, list[tuple[int, int]]]:
    """Give the postings of some terms as a search reads them."""
    with rc._runtime.store.view() as view:
        found = view.postings(ana.owner, TERMS)
    lists: dict[str, list[tuple[int, int]]] = {term: [] for term in TERMS}
    for at, doc, tf in zip(found.term.tolist(), found.doc.tolist(), found.tf.tolist(), strict=True):
        lists[TERMS[at]].append((doc, int(tf)))
    return lists


def rows(database: str, owner: str) -> dict[str, list[tuple[int, int]]]:
    """Give the same postings as they lie in the rows."""
    sql = "SELECT doc, tf FROM postings WHERE owner = '{}' AND term = '{}' ORDER BY doc"
    return {term: [(doc, tf) for doc, tf in ask(database, sql.format(owner, term))] for term in TERMS}


def pack_all(rc: Recollect) -> list[Report]:
    """Run the job until there is nothing left to pack, and give the reports of what it did."""
    return [one for _ in range(5) for one in rc.run_jobs(["pack"]) if one.changed]


def test_packed_read_as_the_single_ones(database: str) -> None:
    """Whole blocks are packed by a job that a full block makes due; what is read is the same before and after."""
    with Recollect(database) as rc:
        ana = told(rc)
        assert "pack" in [job.name for job in ana.jobs()]
        before = posted(rc, ana)
        assert before == rows(database, ana.owner)
        (shown,) = [one for one in rc.run_jobs(["pack"], dry=True) if one.changed]
        assert ask(database, "SELECT COUNT(*) FROM packs") == [(0,)]
        done = pack_all(rc)
        assert shown.text == done[0].text == f"Packed the {done[0].changed} common words of {2**BITS - 1} memories."
        assert len(done) == 3
        assert "pack" not in [job.name for job in ana.jobs()]
        assert len(ask(database, "SELECT block FROM packs WHERE term = ''")) == 3
        assert len(ask(database, "SELECT block FROM packs WHERE term = 'tea'")) == 3
        assert ask(database, "SELECT COUNT(*) FROM packs WHERE term = '7'") == [(0,)]
    with Recollect(database) as rc:
        ana = rc.space("ana")
        assert posted(rc, ana) == before
        assert all(finding.ok for finding in rc.doctor())
        told_later = ana.remember("Tea is what comes last, with honey.")
        assert len(posted(rc, ana)["tea"]) == len(before["tea"]) + 1
        assert ana.recall("what comes last with tea and honey?")[0].memory.id == told_later.id


def test_only_the_rest_is_read_row_by_row(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a word that is packed nothing is read from the single postings but what came behind the last block."""
    with Recollect(database) as rc:
        told(rc)
        pack_all(rc)
    with Recollect(database) as rc:
        ana = rc.space("ana")
        asked: list[tuple[list[str], int]] = []
        with rc._runtime.store.view() as view:
            plain = view._read_postings  # type: ignore[attr-defined]

            def noted(self: object, owner: str, terms: list[str], since: int, *until: int) -> object:
                asked.append((terms, since))
                return plain(owner, terms, since, *until)

            monkeypatch.setattr(type(view), "_read_postings", noted)
            found = view.postings(ana.owner, ["tea", "7"])
        assert found.many.tolist() == [MANY, 1]
        assert asked == [(["tea"], 3 * 2**BITS - 1), (["7"], 0)]


def test_taken_out_when_erased(database: str) -> None:
    """Of an erased memory nothing is left in a packed row; a whole owner's go with it, and nobody else's."""
    with Recollect(database) as rc:
        ana = told(rc)
        bob = rc.space("bob", session="s1")
        bob.remember_many([{"content": f"Tea with {n} friends."} for n in range(2**BITS)])
        pack_all(rc)
        first = ana.list(order="oldest", limit=1)[0]
        ana.erase(first.id)
    with Recollect(database) as rc:
        ana = rc.space("ana")
        assert posted(rc, ana) == rows(database, ana.owner)
        assert 1 not in [doc for doc, _ in posted(rc, ana)["tea"]]
        for block, data in ask(database, f"SELECT block, data FROM packs WHERE owner = '{ana.owner}' AND term <> ''"):
            assert 1 not in blocks.unpacked(block, bytes(data))[0]
        assert all(finding.ok for finding in rc.doctor())
        ana.erase(everything=True)
        assert ask(database, f"SELECT COUNT(*) FROM packs WHERE owner = '{ana.owner}'") == [(0,)]
        assert ask(database, "SELECT COUNT(*) FROM packs WHERE term = 'tea'") == [(1,)]


def test_many_that_go_at_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a good part of a block goes at once, it is packed anew; meanwhile it is read row by row."""
    monkeypatch.setattr(sql_packs, "MANY", 5)
    with Recollect(database) as rc:
        ana = told(rc)
        pack_all(rc)
        ids = [one.id for one in ana.list(order="oldest", limit=9)]
        at = rc._runtime.now()
        rc._runtime.store.commit(Write(owner=ana.owner, at=at, node="t", changes=(Remove(tuple(ids), "purged"),)))
        assert [row[0] for row in ask(database, "SELECT block FROM packs WHERE term = '' ORDER BY block")] == [1, 2]
        assert "pack" in [job.name for job in ana.jobs()]
    with Recollect(database) as rc:
        assert posted(rc, rc.space("ana")) == rows(database, ana.owner)
        assert len(pack_all(rc)) == 1
        assert all(finding.ok for finding in rc.doctor())


@pytest.mark.parametrize("packed", [True, False])
def test_exported_and_copied(database: str, tmp_path: Path, packed: bool) -> None:
    """What is put back or copied is packed anew there, whether it was packed where it comes from or waits for it."""
    target = f"sqlite:///{tmp_path}/copy.db"
    with Recollect(database) as rc:
        told(rc)
        if packed:
            pack_all(rc)
        rc.export(tmp_path / "all.jsonl")
    with Recollect(tmp_path / "back.db") as rc:
        rc.import_file(tmp_path / "all.jsonl")
        assert len(pack_all(rc)) == 3
        assert all(finding.ok for finding in rc.doctor())
    with Recollect(database) as rc, Recollect(target) as other:
        rc.copy_to(other)
    with Recollect(target) as rc:
        assert len(pack_all(rc)) == 3
        assert all(finding.ok for finding in rc.doctor())


def test_damage_is_found_and_mended(database: str) -> None:
    """The doctor sees a packed row that differs; mending packs anew."""
    with Recollect(database) as rc:
        told(rc)
        pack_all(rc)
        ask(database, "UPDATE packs SET block = 7 WHERE term = 'tea' AND block = 1")
        assert [one.check for one in rc.doctor() if not one.ok] == ["packs"]
        assert all(one.ok for one in rc.doctor(fix=True))
        assert "pack" in [job.name for job in rc.space("ana").jobs()]
        pack_all(rc)
        assert len(ask(database, "SELECT block FROM packs WHERE term = 'tea' AND block < 3")) == 3
    with Recollect(database) as rc:
        ana = rc.space("ana")
        assert posted(rc, ana) == rows(database, ana.owner)


def test_refused_when_the_block_changed(database: str) -> None:
    """What was packed before a memory of the block went is not kept, and a block packed twice is packed once."""
    with Recollect(database) as rc:
        ana = told(rc)
        store = rc._runtime.store

        with store.view() as view:
            now = view.counters(ana.owner).born

        def write(documents: int, born: int = now) -> Write:
            return Write(
                owner=ana.owner, at=from_ms(0), node="t", changes=(Pack(0, documents, (("tea", b"\1\0\1\0"),), born),)
            )

        for stale in (write(2**BITS), write(2**BITS - 1, now - 1)):
            with pytest.raises(Conflict, match="taken away"):
                store.commit(stale)
        store.commit(write(2**BITS - 1))
        store.commit(write(2**BITS - 1))
        assert ask(database, "SELECT COUNT(*) FROM packs") == [(2,)]


def test_rows() -> None:
    """A row holds its documents and counts; rare words and words of too many repeats are not packed."""
    documents = [(doc, {"tea": doc, "rare": 1} if doc == 70 else {"tea": doc}) for doc in range(64, 80)]
    ((term, data),) = blocks.packed([*documents, (80, {"tea": blocks.MOST})])
    docs, counts = blocks.unpacked(2, data)
    assert (term, docs.tolist()[:3], counts.tolist()[-1]) == ("tea", [64, 65, 66], blocks.MOST)
    assert blocks.unpacked(2, blocks.without(data, [65]))[0].tolist() == [64, *range(66, 81)]
    assert blocks.packed([*documents, (80, {"tea": blocks.MOST + 1})]) == []
    assert not len(np.frombuffer(blocks.without(blocks.packed(documents)[0][1][:2] * 2, [64]), dtype="<u2"))
