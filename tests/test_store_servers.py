"""PostgreSQL and MariaDB: the contract, and what only a server can do wrong."""

from __future__ import annotations

from pathlib import Path

from recollect.store.base import Store
from recollect.store.mariadb import MariaStore
from recollect.store.postgres import PostgresStore
from recollect.testing.contract import StoreContract
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
