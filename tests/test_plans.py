"""The statements on the way of every write find their rows by index, however long the owner's past is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.store.apply import REPLAY

TWIN = (
    "SELECT id FROM memories WHERE owner = ? AND content_hash = ? AND kind = ? AND state = 'active' "
    "AND \"key\" = '' ORDER BY doc LIMIT 1"
)


@pytest.mark.parametrize("sql", [REPLAY, TWIN])
def test_no_statement_of_a_write_reads_all_rows_of_an_owner(tmp_path: Path, sql: str) -> None:
    """No step of the plan is narrowed by the owner alone."""
    Recollect(str(tmp_path / "memory.db")).close()
    connection = sqlite3.connect(tmp_path / "memory.db")
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [""] * sql.count("?"))]
    connection.close()
    assert steps
    assert not [step for step in steps if step.startswith("SCAN") or step.endswith("(owner=?)")]


def test_history_names_the_same_lines_as_the_journal(tmp_path: Path) -> None:
    """Lines of one memory are those of the whole journal that carry its id, in the same order."""
    with Recollect(str(tmp_path / "memory.db")) as memory:
        space = memory.space("ana")
        known = space.remember("Ana lives in Lisbon.").id
        space.remember("Ben lives in Porto.")
        space.rate(known, 9)
        space.pin(known)
        whole = [entry for entry in space.journal() if entry.memory_id == known]
        with memory._runtime.store.view() as view:
            assert view.journal(space.owner, [known]) == whole
            assert view.journal(space.owner, [known], since=whole[0].rev) == whole[1:]
            assert [entry.op for entry in whole] == ["created", "updated", "pinned"]
