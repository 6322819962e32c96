"""Ranking is a function of one snapshot: no store behind it, and the same answer every time."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

from recollect import Recollect
from recollect.flows.find.recall import Wish, find, understood
from recollect.model.filter import Filter
from recollect.rules.find.ranking import rank, weigh


def test_a_snapshot_is_ranked_without_a_store(tmp_path: Path) -> None:
    """A snapshot outlives its store, and is ranked as the search ranked it."""
    with Recollect(f"{tmp_path}/memory.db", embedder="none") as rc:
        ana = rc.space("ana", session="s1")
        for text in ("green tea in Lisbon", "a cup of tea", "the harbour at night", "tea, tea and more tea"):
            ana.observe("user", text)
        runtime = rc._runtime
        where = Filter(owner=ana.owner, now=runtime.now(), kinds=("episode",))
        hits = find(runtime, "cups of tea", where, Wish())
        with runtime.store.view() as view:
            query = understood(runtime, view, "cups of tea", where, Wish())
            snapshot = view.snapshot(query.sought)
            ids = {doc: memory.id for doc, memory in view.documents(ana.owner, snapshot.docs.tolist()).items()}
    rankings = [rank(weigh(snapshot, query.asks, runtime.settings.fusion)) for _ in range(2)]
    found = [[ids[doc] for doc in snapshot.docs[one.order].tolist()] for one in rankings]
    assert found[0] == found[1] == [hit.memory.id for hit in hits]
    assert rankings[0].total[rankings[0].order].tolist() == [hit.score for hit in hits]


def test_spellings_are_compared_by_who_needs_it(tmp_path: Path) -> None:
    """The library that compares spellings is loaded with the first unknown word, not before."""
    code = (
        "import sys; from recollect import Recollect\n"
        f"rc = Recollect({str(tmp_path / 'memory.db')!r}, embedder='none'); ana = rc.space('ana')\n"
        "ana.remember('The bicycle is green.'); ana.recall('bicycle'); print('rapidfuzz' in sys.modules)\n"
        "print(len(ana.recall('bicicle')), 'rapidfuzz' in sys.modules)"
    )
    told = run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["False", "1", "True"]
