"""Fixtures of the agent's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.agent.acting import remembering
from tests.engines import fresh


@pytest.fixture
def llm() -> Iterator[ScriptedLlm]:
    """Give a model that says what it is told to, over HTTP."""
    with ScriptedLlm(lambda asked: "All right.") as server:
        yield server


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock, llm: ScriptedLlm) -> Iterator[Recollect]:
    """Give a memory in a file, with that model in every role."""
    with remembering(fresh("sqlite", tmp_path), llm, clock) as rc:
        yield rc


@pytest.fixture
def everywhere(database: str, clock: FixedClock, llm: ScriptedLlm) -> Iterator[Recollect]:
    """Give such a memory on each engine in turn."""
    with remembering(database, llm, clock) as rc:
        yield rc


@pytest.fixture
def opening(database: str, clock: FixedClock, llm: ScriptedLlm) -> Iterator[Callable[..., Recollect]]:
    """Give what opens such a memory on each engine in turn, with the settings it is given for the role reasoning."""
    with ExitStack() as stack:

        def opened(**role: Any) -> Recollect:
            return stack.enter_context(remembering(database, llm, clock, roles={"reasoning": role}))

        yield opened
