"""How SQLite goes about statements that name what they look for: by the index, however much the owner has."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.store.sql import sessions
from recollect.store.sql.apply import IN_SLOT, TWIN
from recollect.store.sql.view import SqlView
from recollect.store.sql.where import where


def test_links_are_found_by_their_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither end of a link makes SQLite read all the links of an owner."""
    asked: list[tuple[str, object]] = []
    rows = SqlView._rows

    def noted(view: SqlView, sql: str, params: object = ()) -> list[object]:
        asked.append((sql, params))
        return rows(view, sql, params)  # type: ignore[arg-type]

    path = tmp_path / "m.db"
    with Recollect(path, embedder="none") as rc:
        ana = rc.space("ana")
        one = ana.remember("Ana met @bob.").id
        monkeypatch.setattr(SqlView, "_rows", noted)
        assert "mentions" in [link.type for link in ana.links(one)]
    assert len(asked) == 2
    db = sqlite3.connect(path)
    plans = [str(step[3]) for sql, params in asked for step in db.execute(f"EXPLAIN QUERY PLAN {sql}", params)]  # type: ignore[arg-type]
    db.close()
    assert plans
    assert not any(plan.endswith("(owner=?)") for plan in plans)


@pytest.mark.parametrize("now", [EPOCH, None])
def test_what_a_memory_rests_on_is_found_by_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: datetime | None
) -> None:
    """One statement counts the sources of many, each by its id; no row of theirs is read."""
    asked: list[tuple[str, object]] = []

    def noted(view: SqlView, sql: str, params: object = ()) -> list[object]:
        asked.append((sql, params))
        return []

    monkeypatch.setattr(SqlView, "_rows", noted)
    path = tmp_path / "m.db"
    with Recollect(path, embedder="none") as rc, rc._runtime.store.view() as view:
        view.founded("/ana", ["doc_1", "doc_2"], now)
    ((sql, params),) = [one for one in asked if "derived_from" in one[0]]
    db = sqlite3.connect(path)
    plans = [str(step[3]) for step in db.execute(f"EXPLAIN QUERY PLAN {sql}", params)]  # type: ignore[arg-type]
    db.close()
    assert [plan.rpartition("(")[2] for plan in plans if "SEARCH" in plan or "SCAN" in plan] == [
        "owner=? AND from_id=?)",
        "owner=? AND id=?)",
    ]


def test_twins_and_slots_are_found_by_their_index(tmp_path: Path) -> None:
    """The indexes that leave messages out are the ones that are asked."""
    path = tmp_path / "m.db"
    Recollect(path, embedder="none").close()
    db = sqlite3.connect(path)
    slot = "SELECT id FROM memories m WHERE m.owner = ? AND m.agent = ? AND m.kind = ? AND m.live_key = ?"
    same = ("/ana", "h", "fact", 1)
    plans = [
        str(step[3])
        for sql, params in ((TWIN, same), (IN_SLOT, same), (slot, ("/ana", "", "fact", "city")))
        for step in db.execute(f"EXPLAIN QUERY PLAN {sql}", params)
    ]
    db.close()
    assert plans == [
        "SEARCH memories USING INDEX memories_hash (owner=? AND content_hash=? AND kind=? AND state=? AND key=?)",
        "SEARCH memories USING INDEX memories_hash (owner=? AND content_hash=? AND kind=? AND state=? AND key>?)",
        "USE TEMP B-TREE FOR ORDER BY",
        "SEARCH m USING INDEX memories_slot (owner=? AND agent=? AND kind=? AND live_key=?)",
    ]


def test_sessions_are_told_apart_by_their_index(tmp_path: Path) -> None:
    """A new session finds those that wait, and a session its messages, however many the owner has."""
    path = tmp_path / "m.db"
    Recollect(path, embedder="none").close()
    db = sqlite3.connect(path)
    condition, params = where(Filter(owner="/ana", now=EPOCH, kinds=("episode",), sessions=("s1",)))
    counted = f"SELECT COUNT(*) FROM memories m WHERE {condition}"
    asked = ((sessions._WAITING, ("/ana", "consolidate", 1, "s1")), (counted, params))
    plans = [str(step[3]) for sql, values in asked for step in db.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    db.close()
    assert plans == [
        "SEARCH jobs USING INDEX jobs_waiting (owner=? AND name=? AND due_at>?)",
        "SEARCH m USING INDEX memories_session (owner=? AND session=?)",
    ]


def test_jobs_are_made_due_by_their_key(tmp_path: Path) -> None:
    """A message that asks for several jobs does not make SQLite go through all that wait."""
    asked: list[str] = []
    path = tmp_path / "m.db"
    with Recollect(path, embedder="minilm", record={"journal_days": 30}) as rc:
        rc._runtime.store._write.set_trace_callback(asked.append)  # type: ignore[attr-defined]
        rc.space("ana", session="s1").observe("user", "Remember that Bob likes tea.")
        rc._runtime.store._write.set_trace_callback(None)  # type: ignore[attr-defined]
    (sql,) = [one for one in asked if one.startswith("SELECT name") and "FROM jobs" in one and one.count(" OR ") > 1]
    db = sqlite3.connect(path)
    plans = [str(step[3]) for step in db.execute(f"EXPLAIN QUERY PLAN {sql}")]
    db.close()
    assert sum(plan.endswith("(owner=? AND name=? AND key=?)") for plan in plans) == sql.count(" OR ") + 1
    assert not any(plan.endswith("(owner=?)") for plan in plans)


def test_a_day_is_read_from_its_own_lines(tmp_path: Path) -> None:
    """What happened in a stretch of time is found by the index, already in order: no journal is read whole."""
    path = tmp_path / "m.db"
    asked: list[str] = []
    with Recollect(path, embedder="none") as rc:
        ana = rc.space("ana")
        ana.remember("Tea at four.")
        with rc._runtime.store.view() as view:
            view._db.set_trace_callback(asked.append)  # type: ignore[attr-defined]
            view.happened(ana.owner, EPOCH, ana.now, 10, (2, 3, 4))
            view._db.set_trace_callback(None)  # type: ignore[attr-defined]
    db = sqlite3.connect(path)
    plans = [str(step[3]) for step in db.execute(f"EXPLAIN QUERY PLAN {asked[-1]}")]
    db.close()
    assert plans == ["SEARCH journal USING INDEX journal_at (owner=? AND at>? AND at<?)"]
