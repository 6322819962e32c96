"""PostgreSQL and MariaDB: the contract, and what only a server can do wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, StoreError
from recollect.model.change import Committed
from recollect.store.base import Store
from recollect.store.engines.mariadb import MariaStore
from recollect.store.engines.postgres import PostgresStore
from recollect.testing.contract import StoreContract, commit, make, put, together
from tests.engines import fresh, server


class TestPostgres(StoreContract):
    """The contract on PostgreSQL."""

    url: str

    def prepare(self, folder: Path) -> None:
        """Empty the throwaway server."""
        self.url = fresh("postgresql", folder)

    def open(self) -> Store:
        """Connect once more."""
        return PostgresStore(self.url)

    def harm(self, sql: str) -> None:
        """Run raw SQL on the server."""
        server("postgresql").run(sql)


class TestMariaDb(StoreContract):
    """The contract on MariaDB."""

    url: str

    def prepare(self, folder: Path) -> None:
        """Empty the throwaway server."""
        self.url = fresh("mariadb", folder)

    def open(self) -> Store:
        """Connect once more."""
        return MariaStore(self.url)

    def harm(self, sql: str) -> None:
        """Run raw SQL on the server."""
        server("mariadb").run(sql)


@pytest.mark.parametrize(
    ("engine", "bad"), [("postgresql", {"content": "a\0b"}), ("mariadb", {"content": "a", "session": "s" * 300})]
)
def test_one_caller_with_rows_the_engine_refuses(engine: str, bad: dict[str, Any], tmp_path: Path) -> None:
    """Of callers that share a transaction, only the one whose row cannot be stored is told so."""
    store: Store = {"postgresql": PostgresStore, "mariadb": MariaStore}[engine](fresh(engine, tmp_path))
    calls: list[Callable[[], Any]] = [
        partial(commit, store, put(make(f"fact_{n}", **(bad if n % 5 == 0 else {"content": f"tea {n}"}))))
        for n in range(30)
    ]
    answers = together(calls)
    assert [isinstance(one, StoreError) for one in answers] == [n % 5 == 0 for n in range(30)]
    revs = sorted(one.rev for one in answers if isinstance(one, Committed))
    assert revs == list(range(1, 25))
    store.close()


def test_a_name_that_unfolds(rc: Recollect) -> None:
    """A sign that stands for a whole sentence makes no name too long for an engine."""
    ana = rc.space("ana")
    for many in (1, 20, 60, 200):
        assert ana.observe("user", f"@{chr(0xFDFA) * many} #{chr(0xFDFA) * many} said hello").ok
    assert len(ana.recall("hello", kinds="episode")) == 4
    assert all(finding.ok for finding in rc.doctor())
