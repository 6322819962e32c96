"""What the tests share: a database of their own and a clock that stands still."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock
from tests.engines import ENGINES, fresh, versions

pytest.register_assert_rewrite("recollect.testing.contract")


@pytest.fixture
def clock() -> FixedClock:
    """Give a clock that moves only when told to."""
    return FixedClock()


@pytest.fixture(params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of an empty database, on each engine in turn."""
    return fresh(request.param, tmp_path)


@pytest.fixture
def rc(database: str, clock: FixedClock) -> Iterator[Recollect]:
    """Give an empty memory of this test's own."""
    with Recollect(database, clock=clock) as opened:
        yield opened


def pytest_report_header() -> list[str]:
    """Name the engines' versions before the tests, and fail here where one is missing."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        return []
    return [f"engine: {name} {version}" for name, version in versions()]


@pytest.fixture
def ana(rc: Recollect) -> Space:
    """Give the space of one user."""
    return rc.space("ana", agent="helper", session="s1")


@pytest.fixture
def dump(rc: Recollect) -> Callable[[], str]:
    """Give a function that exports the whole database as text."""

    def take() -> str:
        out = io.StringIO()
        rc.export(out)
        return out.getvalue()

    return take
