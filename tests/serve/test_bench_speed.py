"""The speed benchmark: its loader against the verbs, its vectors, its limits, and a whole run."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, Recollect
from recollect.providers.embedders import Embedded, Embedder, Vector
from recollect.serve.bench import measure
from recollect.serve.bench.corpus import Corpus
from recollect.serve.bench.exactness import share_found
from recollect.serve.bench.limits import Limit, limits
from recollect.serve.bench.loader import ROLES, SESSION, STEP, batches, load
from recollect.serve.bench.measure import HYBRID, LEXICAL, OBSERVE, Line, Run, source
from recollect.serve.bench.synthetic import Synthetic
from recollect.serve.cli import whole
from recollect.store.base import BORN_BITS, View
from recollect.store.sql.remove import OWNED
from recollect.testing import FixedClock
from recollect.text.arrays import np
from tests.engines import ENGINES, fresh
from tests.wide import many

APP = whole()

MESSAGES = 700
RUNNER = CliRunner()


def opened(url: str) -> Recollect:
    """Open a memory whose clock stands still and whose ids come in the same order every time."""
    rc = Recollect(url, clock=FixedClock(), embedder=Synthetic(), record={"events": False})
    numbers = count(1)
    rc._runtime.random = lambda bits: next(numbers)
    return rc


def spoken(rc: Recollect) -> None:
    """Fill a memory through the verbs."""
    facts, corpus = source(0)
    clock = rc._runtime.clock
    assert isinstance(clock, FixedClock)
    start = clock.moment
    rc.space("user0", session="s0").remember_many(facts)
    for at, text in enumerate(corpus.messages(MESSAGES)):
        clock.moment = start + at * STEP
        rc.space("user0", session=f"s{at // SESSION}").observe(ROLES[at % 2], text)
    rc.run_jobs(["embed"])


def loaded(rc: Recollect) -> None:
    """Fill a memory through the loader."""
    facts, corpus = source(0)
    runtime = rc._runtime
    space = rc.space("user0", session="s0")
    rev = space.remember_many(facts)[0].rev
    made = batches(runtime, corpus.messages(MESSAGES), runtime.now(), rev, Synthetic())
    load(runtime, space.owner, made, lambda done: None)
    with runtime.store.view() as view:
        assert not view.pending(space.owner, Synthetic().name, 0, 1)  # every vector is the loader's own
    assert isinstance(runtime.clock, FixedClock)
    runtime.clock.moment += (MESSAGES - 1) * STEP
    rc.run_jobs(["embed"])  # the facts get their class


def rows(rc: Recollect, table: str) -> list[str]:
    """Read a whole table behind the store's back, in an order that does not hang on the engine."""
    with rc._runtime.store.view() as view:
        return sorted(repr(tuple(map(_counted, row))) for row in _all(view, table))


def _counted(value: Any) -> Any:
    """Leave off a vector revision when the memory was begun: loading begins it anew for whoever looks on."""
    return value % (1 << BORN_BITS) if isinstance(value, int) and value >= 1 << 50 else value


def _all(view: View, table: str) -> list[Any]:
    found: list[Any] = view._rows(f"SELECT * FROM {table}")  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_the_loader_writes_what_the_verbs_write(engine: str, tmp_path: Path) -> None:
    """Every row of every table is the same, ids, times, revisions, index, vectors and segments included."""
    tables: list[dict[str, list[str]]] = []
    for fill in (spoken, loaded):
        (tmp_path / fill.__name__).mkdir()
        with opened(fresh(engine, tmp_path / fill.__name__)) as rc:
            fill(rc)
            tables.append({table: rows(rc, table) for table in OWNED})
            assert all(finding.ok for finding in rc.doctor())
            segmented = rc._runtime.store.segmented
    for table in OWNED:
        assert tables[0][table] == tables[1][table], table
    empty = {
        "spend",
        "events",
        "windows",
        "checkpoints",
        "calls",
        "packs",
    }  # no model is asked, nothing noted, no window or task kept, and no block is full
    empty |= set() if segmented else {"segments"}
    assert {table for table in OWNED if not tables[0][table]} == empty


def test_vectors_lie_like_those_of_a_model() -> None:
    """Strangers are hardly alike, a question has near neighbours, and the same text has the same vector."""
    embedder, corpus = Synthetic(), Corpus(1000)
    texts = list(corpus.messages(4000))
    kept = embedder.matrix(texts)
    asked = embedder.matrix([Corpus.known(again) for again in [Corpus(1000)] for _ in range(100)])
    alike = asked @ kept.T
    assert np.allclose(np.linalg.norm(kept, axis=1), 1, atol=1e-5)
    assert 0.0 < alike.mean() < 0.2
    assert 0.55 < np.median(alike.max(axis=1)) < 0.9
    embedder.prepare(texts[:1])
    (ready,) = embedder.embed(texts[:1]).vectors
    (again,) = Synthetic().embed(texts[:1]).vectors
    assert ready is not None
    assert again is not None
    assert np.array_equal(ready, again)


def test_what_the_search_finds_is_held_against_all_vectors(tmp_path: Path) -> None:
    """A search that compares all vectors finds nearly all of the nearest; one that is blind finds none."""
    with opened(f"{tmp_path}/memory.db") as rc:
        loaded(rc)
        questions = [source(0)[1].known() for _ in range(20)]
        owner = rc.space("user0").owner
        assert share_found(rc._runtime, owner, Synthetic(), questions, lambda done: None) > 0.98


def made(engine: str, owners: int, memories: int, ms: float, **figures: float) -> Run:
    """Give a run in which a recall took so long."""
    line = Line(1, ms, ms, ms, ms)
    return Run(engine, engine, owners, memories, {HYBRID: line, LEXICAL: line, OBSERVE: line}, figures)


def test_limits_follow_the_size_and_the_engine() -> None:
    """Each promise is held against the runs it speaks of, and against no other."""
    runs = [made("sqlite", 10, 1000, 1.0), made("sqlite", 1000, 1000, 2.5)]
    assert [(one.bound, one.value, one.met) for one in limits(runs)] == [
        (2.0, 1.0, True),
        (2.0, 2.5, False),
        *[(1.0, 1.0, True)] * 2,
        *[(1.5, 2.5, False)] * 3,
    ]
    large = made("sqlite", 1, 1_000_000, 39.0, **{"recall@10 of exact": 0.94})
    assert [(one.bound, one.met) for one in limits([large])] == [(40.0, True), (0.95, False)]
    assert limits([replace(large, memories=100_000)])[0].bound == 15.0
    servers = [made("postgres", 1000, 1000, 7.0), made("mariadb", 1000, 1000, 22.0)]
    assert [(one.bound, one.met) for one in limits(servers)] == [(8.0, True), (3.0, False)]
    assert limits(servers[1:]) == []
    assert Limit("", 1.0, 1.0).met


def test_a_whole_run_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command fills, measures and answers with every figure; several numbers of owners follow one option."""
    monkeypatch.setattr(measure, "CALLS", many(40, measure.CALLS))
    result = RUNNER.invoke(APP, ["bench", "speed", "--owners", "1", "6", "--memories", "60", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [(one["owners"], one["memories"]) for one in told["runs"]] == [(1, 60), (6, 60)]
    first = told["runs"][0]
    assert {"first recall of an owner", "recall", "recall by words", "context", "observe", "remember"} <= set(
        first["lines"]
    )
    assert all(line["cpu"] > 0 and line["wall_p95"] > 0 for line in first["lines"].values())
    assert {"loaded per second", "bytes per memory", "peak RSS MB"} == set(first["figures"])
    assert len(told["embedding"]) == 2
    assert [one["bound"] for one in told["limits"]] == [2.0, 2.0, 1.0, 1.0, 1.5, 1.5, 1.5]


def test_numbers_need_their_option_and_a_database_must_be_empty(tmp_path: Path) -> None:
    """A number without `--owners` is refused, and so is a database that holds somebody's memories."""
    bare = RUNNER.invoke(APP, ["bench", "speed", "10"])
    assert (bare.exit_code, "--owners 10 1000" in bare.stderr) == (2, True)
    with Recollect(f"{tmp_path}/memory.db", embedder="none") as rc:
        rc.space("ana").remember("Ana drinks tea.")
    full = RUNNER.invoke(APP, ["bench", "speed", "--db", f"{tmp_path}/memory.db"])
    assert (full.exit_code, "is not empty" in full.stderr) == (2, True)
    with Recollect(f"{tmp_path}/memory.db", embedder="none") as rc:
        assert len(rc.space("ana").recall("tea")) == 1


class Letters(Embedder):
    """Compares texts by their letters."""

    name = "letters"
    dimensions = 26
    local = True
    link_min = 0.5
    same_min = 0.99

    def embed(self, texts: Any) -> Embedded:
        made: list[Vector | None] = []
        for text in texts:
            counts = np.array([text.lower().count(chr(97 + at)) for at in range(26)], dtype=np.float32)
            made.append(counts / np.linalg.norm(counts))
        return Embedded(made)

    def close(self) -> None:
        self.closed = True


def test_an_embedder_of_your_own(tmp_path: Path) -> None:
    """An object in place of a name is asked for every vector, its name kept with them, and closed at the end."""
    mine = Letters()
    with Recollect(f"{tmp_path}/memory.db", embedder=mine) as rc:
        space = rc.space("ana")
        space.remember("Astronomer")
        space.remember("Blue whale")
        assert space.recall("moon starer")[0].memory.content == "Astronomer"
        with rc._runtime.store.view() as view:
            assert view.embedded(space.owner) == {"letters": 2}
    assert mine.closed
    mine.name = ""
    with pytest.raises(InvalidInput, match="the embedder's name"):
        Recollect(f"{tmp_path}/other.db", embedder=mine)
