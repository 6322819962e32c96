"""A plugin for pytest: a throwaway memory, a scripted model and a clock that stands still, for programs that remember.

It is there as soon as this package is installed. The assertions are `recollect.testing.assert_remembers` and its kin.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.testing.clock import FixedClock
from recollect.testing.llm import ScriptedLlm


@pytest.fixture
def recollect_clock() -> FixedClock:
    """Give a clock that moves only when told to: `recollect_clock.advance(days=1)`."""
    return FixedClock()


@pytest.fixture
def recollect_memory(tmp_path: Path, recollect_clock: FixedClock) -> Iterator[Recollect]:
    """Give an empty memory of this test's own, on that clock; it needs no model and no network."""
    with Recollect(f"sqlite:///{tmp_path}/recollect.db", clock=recollect_clock, embedder="none") as opened:
        yield opened


@pytest.fixture
def recollect_space(recollect_memory: Recollect) -> Space:
    """Give the space of one user, in a session."""
    return recollect_memory.space("user", agent="agent", session="session")


@pytest.fixture
def scripted_llm() -> Iterator[ScriptedLlm]:
    """Give a model on this machine that says what it is told to, over HTTP: `scripted_llm.say("Hello.")`."""
    with ScriptedLlm(lambda asked: "OK.") as server:
        yield server
