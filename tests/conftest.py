"""What the tests share: a database of their own and a clock that stands still."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from recollect import Recollect, Space
from recollect.providers.llm import models
from recollect.store.cache import blocks
from recollect.testing import FixedClock
from tests.engines import ENGINES, fresh, versions
from tests.wide import in_turn, some

pytest.register_assert_rewrite("recollect.testing.contract")
# On a busy machine an example may take any time: it says nothing about the rule.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")


# Most tests are about other things: those about meaning name the embedder they mean.
os.environ.setdefault("RECOLLECT_EMBEDDER", "none")
# Likewise those about names: elsewhere nobody is there to read a memory again.
os.environ.setdefault("RECOLLECT_ENTITIES__ACCURATE", "regex")

VERSIONS = pytest.StashKey[list[tuple[str, str]]]()


@pytest.fixture
def clock() -> FixedClock:
    """Give a clock that moves only when told to."""
    return FixedClock()


@pytest.fixture(params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of an empty database, on each engine in turn."""
    return fresh(request.param, tmp_path)


@pytest.fixture(params=some(ENGINES))
def drilled(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of an empty database for a slow drill: on one engine, or on each with `make wide`."""
    return fresh(request.param, tmp_path)


@pytest.fixture
def rc(database: str, clock: FixedClock) -> Iterator[Recollect]:
    """Give an empty memory of this test's own."""
    with Recollect(database, clock=clock) as opened:
        yield opened


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without remembered ways of asking a model, and without waiting between tries."""
    monkeypatch.setattr(models, "_MODES", {})
    monkeypatch.setattr(models, "FIRST_WAIT", 0.01)


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let facts fade and what matters little expire: by default time takes nothing."""
    monkeypatch.setenv("RECOLLECT_RETENTION__PRESET", "fading+expiring")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a block of documents be full soon."""
    monkeypatch.setattr(blocks, "BITS", 5)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start every engine once before the first test: where one is missing nothing is skipped, all fails here."""
    if not os.environ.get("PYTEST_XDIST_WORKER"):
        session.config.stash[VERSIONS] = versions()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let tests take turns between the servers, but for those that run on all engines."""
    ids = {item.nodeid for item in items}
    left = [item for item in items if not in_turn(item.nodeid, ids)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if in_turn(item.nodeid, ids)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the engines the tests ran on."""
    for name, version in config.stash.get(VERSIONS, []):
        terminalreporter.write_line(f"engine: {name} {version}")


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
