"""Moving house: between any two engines, cut off at any moment, nothing is lost, changed or doubled."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect import Conflict, Recollect
from recollect.flows.admin import loading
from recollect.serve.cli import whole
from recollect.testing import FixedClock
from tests.corpus import fill
from tests.engines import apart

APP = whole()

ENGINES = ("sqlite", "postgresql", "mariadb")
Open = Callable[[str], Recollect]
KILLED = """
import os, signal, sys
from recollect import Recollect
from recollect.flows.admin import loading
loading.BATCH = 16

def progress(rows):
    if rows == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

with Recollect(sys.argv[1]) as one, Recollect(sys.argv[2]) as other:
    one.copy_to(other, progress)
"""


class Stop(Exception):
    """Somebody pulled the plug."""


def stop_at(row: int) -> Callable[[int], None]:
    """Give a progress that breaks off at a row."""

    def progress(rows: int) -> None:
        if rows >= row:
            raise Stop

    return progress


def exported(rc: Recollect) -> str:
    """Give everything as text."""
    out = io.StringIO()
    rc.export(out)
    return out.getvalue()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Give the URL of a file with two users' memories, and its export."""
    url = apart("sqlite", tmp_path_factory.mktemp("copy"))
    clock = FixedClock()
    with Recollect(url, clock=clock) as rc:
        fill(rc, clock, 40)
        rc.space("ana").recall("tea")
        return url, exported(rc)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Open]:
    """Give a function that opens an empty database of an engine until the test ends."""
    with ExitStack() as stack:
        yield lambda engine: stack.enter_context(Recollect(apart(engine, tmp_path), clock=FixedClock()))


def sound(rc: Recollect, export: str) -> None:
    """Hold a copy against the original's export, and its rows against each other."""
    assert exported(rc) == export
    assert [finding for finding in rc.doctor() if not finding.ok] == []


def test_around_the_house(filled: tuple[str, str], house: Open) -> None:
    """From a file to PostgreSQL to MariaDB to a file, every export has the same bytes."""
    url, export = filled
    with Recollect(url) as source:
        chain = [source, house("postgresql"), house("mariadb"), house("sqlite")]
        copied = [one.copy_to(other) for one, other in pairwise(chain)]
        for rc in chain[1:]:
            sound(rc, export)
        assert len(set(copied)) == 1
        assert (copied[0].owners, copied[0].skipped) == (2, 0)
        again = chain[2].copy_to(chain[1])
        assert (again.rows, again.skipped, again.checksum) == (0, 2, copied[0].checksum)


@pytest.mark.parametrize("row", [10, 90, 171])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_copy_that_is_killed(filled: tuple[str, str], house: Open, tmp_path: Path, engine: str, row: int) -> None:
    """A process killed in the middle leaves a mark, and the next run goes on from there."""
    url, export = filled
    target = apart(engine, tmp_path)
    done = subprocess.run([sys.executable, "-c", KILLED, url, target, str(row)], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with Recollect(url) as source, Recollect(target) as rc:
        assert exported(rc) != export
        source.copy_to(rc)
        sound(rc, export)


@pytest.mark.parametrize("pair", ["postgresql mariadb", "mariadb sqlite", "sqlite postgresql"])
def test_a_copy_that_breaks_off(
    filled: tuple[str, str], house: Open, monkeypatch: pytest.MonkeyPatch, pair: str
) -> None:
    """Broken off again and again, a copy goes on each time and reads no batch into the target twice."""
    monkeypatch.setattr(loading, "BATCH", 16)
    one, other = map(house, pair.split())
    url, export = filled
    with Recollect(url) as source:
        source.copy_to(one)
    total = one.copy_to(house("sqlite")).rows
    for row in range(5, total + 1, 37):
        with pytest.raises(Stop):
            one.copy_to(other, stop_at(row))
    half = exported(other)
    with pytest.raises(Stop):
        one.copy_to(other, stop_at(1))
    assert exported(other) == half  # what had arrived was not taken away
    one.copy_to(other)
    sound(other, export)


def test_a_source_that_went_on_meanwhile(filled: tuple[str, str], house: Open) -> None:
    """When the original was written to after the interruption, the half copy is made anew, not patched."""
    url, _ = filled
    one, other = house("sqlite"), house("mariadb")
    with Recollect(url) as source:
        source.copy_to(one)
    with pytest.raises(Stop):
        one.copy_to(other, stop_at(60))
    one.space("ana").remember("Something new.")
    one.copy_to(other)
    sound(other, exported(one))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("facts", [["Other."], ["Other.", "Another."]])
def test_a_target_with_other_memories(house: Open, engine: str, facts: list[str]) -> None:
    """A user who has other memories there, however many, is refused before anything is written."""
    one, other = house("sqlite"), house(engine)
    one.space("aaron").remember("Mine.")
    one.space("zoe").remember("Mine.")
    for fact in facts:
        other.space("zoe").remember(fact)
    before = exported(other)
    with pytest.raises(Conflict, match=r"zoe.*erase that user there first"):
        one.copy_to(other)
    assert exported(other) == before
    other.space("zoe").erase(everything=True)
    one.copy_to(other)
    sound(other, exported(one))


def test_others_in_the_target_stay(house: Open) -> None:
    """Users who are only in the target are none of the copy's business."""
    one, other = house("sqlite"), house("postgresql")
    one.space("ana").remember("Ana likes tea.")
    other.space("bob").remember("Bob likes coffee.")
    assert one.copy_to(other).owners == 1
    assert other.owners() == [("", "ana"), ("", "bob")]
    assert other.space("bob").recall("coffee")


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_on_the_command_line(filled: tuple[str, str], tmp_path: Path, engine: str) -> None:
    """The command says what it moved and the checksum, and says it in JSON when asked to."""
    url, _ = filled
    target = apart(engine, tmp_path)
    first = CliRunner().invoke(APP, ["db", "copy", url, target], catch_exceptions=False)
    assert first.exit_code == 0, first.output
    again = CliRunner().invoke(APP, ["db", "copy", target, url, "--json"], catch_exceptions=False)
    told = json.loads(again.stdout)
    assert (told["owners"], told["skipped"], told["rows"]) == (2, 2, 0)
    assert len(told["checksum"]) == 64
    assert f"checksum of both: {told['checksum'][:16]}" in first.output
    with Recollect(target) as rc:
        rc.space("ana").remember("Something else.")
    refused = CliRunner().invoke(APP, ["db", "copy", url, target, "--json"], catch_exceptions=False)
    assert refused.exit_code == 4
    assert json.loads(refused.stderr)["error"]["type"] == "Conflict"
