"""What one process saves, another that was there before finds by meaning at once, reading only the new."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from recollect import Recollect
from tests.patience import PATIENCE

READER = """
    import json, sys
    from recollect import Recollect
    from recollect.store.cache.columns import COLUMNS
    from recollect.store.sql.view import SqlView

    caught, plain = [], SqlView._rows

    def counted(view, sql, params=()):
        rows = plain(view, sql, params)
        if sql.startswith(f"SELECT {COLUMNS}") or "FROM segments" in sql or "rev >" in sql:
            caught.append(len(rows))
        return rows

    SqlView._rows = counted
    with Recollect(sys.argv[1], embedder="minilm") as rc:
        for line in sys.stdin:
            caught.clear()
            hits = rc.space("ana").recall(line.strip())
            told = {"found": [hit.memory.content for hit in hits], "read": sum(caught)}
            told["words"] = [hit.why["words"].score for hit in hits]
            print(json.dumps(told), flush=True)
"""
MANY = 100


class Reader:
    """Another process that is asked over a pipe."""

    def __init__(self, url: str) -> None:
        command = [sys.executable, "-c", textwrap.dedent(READER), url]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, query: str) -> dict[str, Any]:
        """Give what it finds, and how many rows it read to catch up."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{query}\n")
        self.process.stdin.flush()
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def close(self) -> None:
        """Let it end."""
        self.process.communicate(timeout=PATIENCE)


@pytest.fixture
def reader(database: str) -> Iterator[Reader]:
    """Give a process that has looked at a memory of a hundred messages."""
    with Recollect(database, embedder="minilm") as rc:
        ana = rc.space("ana", session="s1")
        for number in range(MANY):
            ana.observe("user", f"The bus number {number} was late.")
        ana.remember("The printer on the second floor is broken.")
        rc.run_jobs(["embed"])
    other = Reader(database)
    yield other
    other.close()


def test_the_next_question_finds_it(database: str, reader: Reader) -> None:
    """Asked once after the receipt, the other process finds it by meaning, and has read a few rows."""
    before = reader.ask("Where does she live?")
    assert before["read"] > MANY
    assert "Tagus" not in str(before["found"])
    with Recollect(database, embedder="minilm") as rc:
        ana = rc.space("ana")
        kept = ana.remember("Ana moved into a flat by the Tagus river.").id
        told = reader.ask("Where does she live?")
        assert told["found"][0] == "Ana moved into a flat by the Tagus river."
        assert told["words"][0] == 0
        assert 0 < told["read"] < 10
        ana.correct(kept, "Ana resides in a castle on the moors.")
        told = reader.ask("Where does she live?")
        assert told["found"][0] == "Ana resides in a castle on the moors."
        assert 0 < told["read"] < 10
        ana.erase(kept)  # the story goes whole, what came after included
        told = reader.ask("Where does she live?")
        assert not [text for text in told["found"] if "Tagus" in text or "castle" in text]
