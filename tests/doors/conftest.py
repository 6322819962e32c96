"""A memory in a file, and a client at a server of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recollect import Recollect
from tests.doors.serving import serving
from tests.patience import PATIENCE


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    """Give a memory in a file."""
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none") as opened:
        yield opened


@pytest.fixture
def http(memory: Recollect) -> Iterator[httpx.Client]:
    """Give a plain HTTP client at a server of this memory."""
    with serving(memory) as url, httpx.Client(base_url=url, timeout=PATIENCE) as client:
        yield client
