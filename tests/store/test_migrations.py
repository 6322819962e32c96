"""Migrations: the fresh schema is the upgraded one, and upgrading loses nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recollect import NewerSchema, Recollect
from recollect.store.engines.migrate import migrations
from recollect.store.engines.sqlite import SqliteStore
from recollect.testing.contract import AT, commit, everything, make, put
from tests.patience import all_at_once
from tests.wide import many

CROWD = many(4, 10)
"""How many processes open a file at once."""


def schema(path: Path) -> list[tuple[str, ...]]:
    """Read a file's schema and its version."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    rows += connection.execute("SELECT * FROM meta").fetchall()
    connection.close()
    return rows


def test_fresh_equals_upgraded(tmp_path: Path) -> None:
    """Step by step or all at once, the schema is the same."""
    SqliteStore(str(tmp_path / "fresh.db")).close()
    for step in range(1, len(migrations("sqlite")) + 1):
        SqliteStore(str(tmp_path / "old.db"), upto=step).close()
    assert schema(tmp_path / "old.db") == schema(tmp_path / "fresh.db")


def test_every_migration_says_something() -> None:
    """Numbers run from one without a gap, and no step is empty."""
    steps = migrations("sqlite")
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.statements for step in steps)


def backdate(old: str, new: str) -> None:
    """Put the rows of a database of today into one of an older schema, as its program would have written them."""
    with closing(sqlite3.connect(old)) as db:
        db.execute("ATTACH ? AS today", (new,))
        for (table,) in db.execute(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name <> 'meta'"
        ).fetchall():
            then = [row[1] for row in db.execute(f"PRAGMA main.table_info({table})")]
            now = [row[1] for row in db.execute(f"PRAGMA today.table_info({table})")]
            values = ", ".join(f'"{name}"' if name in now else "1" for name in then)
            columns = ", ".join(f'"{name}"' for name in then)
            db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {values} FROM today.{table}")
        db.commit()


@pytest.mark.parametrize("upto", [2, 6])
def test_data_of_earlier_versions_survives(tmp_path: Path, upto: int) -> None:
    """What was written at an earlier schema, the first that could be written to among them, is there and sound."""
    path = str(tmp_path / "memory.db")
    SqliteStore(path, upto=upto).close()
    now = SqliteStore(str(tmp_path / "now.db"))
    commit(now, put(make("fact_1", "tea with @ana", tags=("x",))))
    now.close()
    backdate(path, str(tmp_path / "now.db"))
    with Recollect(path) as rc:
        ana = rc.space("ana")
        assert [hit.memory.id for hit in ana.recall("tea", tags="x")] == ["fact_1"]
        assert ana.observe("user", "More tea.").rev == 2
        assert all(finding.ok for finding in rc.doctor())
    new = SqliteStore(path)
    with new.view() as view:
        assert view.count(everything()) == 2
        assert view.get("/ana", ["fact_1"])[0].created_at == AT
    new.close()


def test_an_old_program_refuses_a_new_file(tmp_path: Path) -> None:
    """A file that was upgraded is not opened by a program that knows less."""
    path = str(tmp_path / "memory.db")
    SqliteStore(path).close()
    with pytest.raises(NewerSchema):
        SqliteStore(path, upto=1)


def test_opening_twice_migrates_once(tmp_path: Path) -> None:
    """A file that is up to date is not written to by opening it."""
    path = tmp_path / "memory.db"
    SqliteStore(str(path)).close()
    before = path.read_bytes()
    SqliteStore(str(path)).close()
    assert path.read_bytes() == before


def test_processes_open_a_new_file(tmp_path: Path) -> None:
    """Processes that meet at a file that is not there yet all get in, and all their writes stay."""
    path = tmp_path / "memory.db"
    code = (
        "import sys; from recollect import Recollect\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "with Recollect(sys.argv[1]) as rc: print(rc.space('ana').observe('user', sys.argv[2]).outcome)\n"
    )
    answers = all_at_once([[code, str(path), f"from {n}"] for n in range(CROWD)])
    assert [out.strip() for out, _ in answers] == ["stored"] * CROWD, answers
    with Recollect(str(path)) as rc:
        assert rc.space("ana").stats().rev == CROWD
        assert all(finding.ok for finding in rc.doctor())
