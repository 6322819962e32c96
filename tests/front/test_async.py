"""The async face: derived from the front door, method for method."""

from __future__ import annotations

import asyncio
import inspect
import io
from pathlib import Path

import pytest

from recollect import AsyncRecollect, AsyncSpace, NotFound, Recollect, Space
from recollect.front.aio import (
    AsyncBlocks,
    AsyncCheckpoints,
    AsyncInbox,
    AsyncJobs,
    AsyncLessons,
    AsyncMessages,
    AsyncOwnerJobs,
    AsyncWorkspace,
)
from recollect.front.facets import Inbox, Jobs, OwnerJobs
from recollect.front.practising import Lessons
from recollect.front.window import Blocks, Checkpoints, Messages
from recollect.front.workspace import Workspace
from recollect.testing import FixedClock

PAIRS = [
    (Recollect, AsyncRecollect),
    (Space, AsyncSpace),
    (Inbox, AsyncInbox),
    (OwnerJobs, AsyncOwnerJobs),
    (Jobs, AsyncJobs),
    (Blocks, AsyncBlocks),
    (Messages, AsyncMessages),
    (Checkpoints, AsyncCheckpoints),
    (Lessons, AsyncLessons),
    (Workspace, AsyncWorkspace),
]


def public(cls: type) -> dict[str, object]:
    """Give the public attributes a class has, its bases' included."""
    every = {name: value for one in reversed(cls.__mro__[:-1]) for name, value in vars(one).items()}
    return {name: value for name, value in every.items() if not name.startswith("_")}


@pytest.mark.parametrize(("sync", "face"), PAIRS)
def test_parity(sync: type, face: type) -> None:
    """Every public method is there under the same name with the same signature and docstring, as a coroutine."""
    assert public(face).keys() == public(sync).keys()
    for name, method in public(sync).items():
        twin = public(face)[name]
        assert inspect.getdoc(twin) == inspect.getdoc(method)
        if isinstance(method, property):
            assert isinstance(twin, property)
            continue
        assert callable(method)
        assert callable(twin)
        ours, theirs = inspect.signature(method), inspect.signature(twin)
        if name in ("space", "within"):
            assert ours.parameters == theirs.parameters
            continue
        assert ours == theirs
        assert inspect.iscoroutinefunction(twin)


def test_every_public_method_is_documented() -> None:
    """Each public name has a docstring whose first line is a sentence."""
    for cls in (cls for pair in PAIRS for cls in pair):
        for name, method in public(cls).items():
            first = (inspect.getdoc(method) or "").splitlines()[0]
            assert first.endswith("."), f"{cls.__name__}.{name}"


def test_one_flow(tmp_path: Path) -> None:
    """From opening to export, awaited."""

    async def flow() -> str:
        async with AsyncRecollect(f"sqlite:///{tmp_path}/memory.db", clock=FixedClock()) as rc:
            ana = rc.space("ana", session="s1")
            assert ana.owner == "/ana"
            assert rc.settings.embedder == "none"
            await ana.observe("user", "I moved to Lisbon.")
            one = await ana.remember("Ana lives in Lisbon.")
            two = await ana.correct(one.id, "Ana lives in Porto.")
            assert [hit.memory.id for hit in await ana.recall("Where does Ana live?")] == [two.id]
            assert "Porto" in str(await ana.context("Where does Ana live?"))
            with pytest.raises(NotFound):
                await ana.get("fact_unknown")
            assert (await rc.run_jobs(["age"]))[0].status == "ok"
            assert all(finding.ok for finding in await rc.doctor())
            assert (await ana.erase(everything=True)).scrub == "scrubbed"
            assert (await ana.inbox(), await ana.jobs.runs()) == ([], [])
            assert await rc.jobs.resume(["age"]) == []
            out = io.StringIO()
            await rc.export(out)
            return out.getvalue()

    assert len(asyncio.run(flow()).splitlines()) == 2


def test_many_at_once(tmp_path: Path) -> None:
    """Awaiting many verbs together stores each of them once."""

    async def flow() -> int:
        async with AsyncRecollect(f"sqlite:///{tmp_path}/memory.db") as rc:
            ana = rc.space("ana")
            await asyncio.gather(*(ana.remember(f"Ana owns book number {n}.") for n in range(40)))
            return (await ana.stats()).total

    assert asyncio.run(flow()) == 40
