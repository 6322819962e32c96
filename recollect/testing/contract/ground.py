"""The ground the contract's tests stand on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.store.base import Store


class Ground:
    """A database for each test, and handles on it."""

    _handles: list[Store]

    def prepare(self, folder: Path) -> None:
        """Make an empty database for one test."""
        raise NotImplementedError

    def open(self) -> Store:
        """Open one more handle on the database of this test."""
        raise NotImplementedError

    def harm(self, sql: str) -> None:
        """Run raw SQL behind the store's back; tests that need it are skipped where there is none."""
        pytest.skip("this engine's tests cannot run raw SQL")

    @pytest.fixture(autouse=True)
    def database(self, tmp_path: Path) -> Iterator[None]:
        """Give each test its own database, and close every handle after it."""
        self._handles = []
        self.prepare(tmp_path)
        yield
        for handle in self._handles:
            handle.close()

    @pytest.fixture
    def store(self) -> Store:
        """Give a handle on this test's database."""
        return self.handle()

    def handle(self) -> Store:
        """Open a handle that is closed when the test ends."""
        self._handles.append(self.open())
        return self._handles[-1]

    def sound(self, store: Store) -> None:
        """Hold every owner's rows against each other."""
        store.flush()
        with store.view() as view:
            for owner in view.owners():
                assert [finding for finding in view.check(owner) if not finding.ok] == []
