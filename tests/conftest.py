"""What the tests share: a database of their own and a clock that stands still."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock

pytest.register_assert_rewrite("recollect.testing.contract")


@pytest.fixture
def clock() -> FixedClock:
    """Give a clock that moves only when told to."""
    return FixedClock()


@pytest.fixture
def rc(tmp_path: Path, clock: FixedClock) -> Iterator[Recollect]:
    """Give an empty memory of this test's own."""
    with Recollect(f"sqlite:///{tmp_path}/memory.db", clock=clock) as opened:
        yield opened


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
