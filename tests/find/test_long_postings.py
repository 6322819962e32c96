"""Words of owners who have very much: their postings are read one by one where they may not fit one text."""

from __future__ import annotations

import pytest

from recollect import Recollect
from recollect.store.sql.read import words
from recollect.text.arrays import Ints, Reals


def test_read_one_by_one_they_are_the_same(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same memories are found with the same scores, also when some were written since."""
    with Recollect(database) as rc:
        ana = rc.space("ana", session="s1")
        for number in range(12):
            ana.observe("user", f"The boat {number} lies in the harbour" + " boat" * (number % 3))

    def asked() -> list[tuple[str, float]]:
        with Recollect(database) as rc:
            return [
                (hit.memory.content, hit.score) for hit in rc.space("ana").recall("boat harbour", 20, kinds=["episode"])
            ]

    together = asked()
    monkeypatch.setattr(words, "HELD", 1)
    monkeypatch.setattr(words, "COMMON", 3)
    read: list[str] = []
    one_by_one = words.ByWords._read_long

    def noted(self: words.ByWords, owner: str, term: str) -> tuple[Ints, Reals]:
        read.append(term)
        return one_by_one(self, owner, term)

    monkeypatch.setattr(words.ByWords, "_read_long", noted)
    assert len(together) == 12
    assert asked() == together
    assert sorted(read) == ["boat", "harbour"]
