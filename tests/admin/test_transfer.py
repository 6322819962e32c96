"""Export and import: the same bytes again, and a damaged file changes nothing."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import Conflict, InvalidInput, Recollect, Space


@pytest.fixture
def lines(ana: Space, rc: Recollect, dump: Callable[[], str]) -> list[Any]:
    """Give the lines of an export that has one of everything."""
    ana.observe("user", "hello @bob", attributes={"code": "\\u0000 is no NUL", "a": "é😀"})
    one = ana.remember("Ana likes tea.", topic="x", tags=["t"], importance=7)
    ana.correct(one.id, "Ana likes coffee.", request_id="r")
    ana.remember("Europe/Lisbon", key="zone")
    rc.space("😀", tenant="a/b").remember("Tea with milk.")
    return [json.loads(line) for line in dump().splitlines()]


def write(path: Path, lines: list[Any]) -> Path:
    """Write lines as a file to import."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def empty(tmp_path: Path) -> Any:
    """Open a second, empty database."""
    with Recollect(f"sqlite:///{tmp_path}/other.db") as other:
        yield other


@pytest.fixture
def apart(tmp_path: Path) -> str:
    """Give the URL of a database that another process opens first."""
    return f"sqlite:///{tmp_path}/apart.db"


def text(rc: Recollect) -> str:
    """Export everything."""
    out = io.StringIO()
    rc.export(out)
    return out.getvalue()


def test_there_and_back(lines: list[Any], empty: Recollect, tmp_path: Path, dump: Callable[[], str]) -> None:
    """What is imported exports to the same bytes, is found by the same words and sound."""
    moved = empty.import_file(write(tmp_path / "x.jsonl", lines))
    assert (moved.owners, moved.lines) == (2, len(lines))
    assert text(empty) == dump()
    assert [hit.memory.content for hit in empty.space("ana").recall("coffee")] == ["Ana likes coffee."]
    assert empty.space("ana").correct(empty.space("ana").list(key="zone")[0].id, "Europe/Paris").outcome == "superseded"
    assert all(finding.ok for finding in empty.doctor())


def test_one_owner_alone(lines: list[Any], rc: Recollect, ana: Space) -> None:
    """A space exports itself and nobody else."""
    out = io.StringIO()
    assert ana.export(out).owners == 1
    assert "milk" not in out.getvalue()
    assert out.getvalue().splitlines()[1] in text(rc)


def test_an_owner_with_memories_is_refused(lines: list[Any], empty: Recollect, tmp_path: Path) -> None:
    """Importing over somebody's memories is a conflict, and nobody else of the file comes in."""
    empty.space("😀", tenant="a/b").remember("I was here first.")
    before = text(empty)
    with pytest.raises(Conflict):
        empty.import_file(write(tmp_path / "x.jsonl", lines))
    assert text(empty) == before


DAMAGE: dict[str, list[tuple[str, Any]]] = {
    "memory": [
        ("importance", "high"), ("importance", 11), ("importance", True), ("created_at", "x"), ("created_at", None),
        ("event_time", 10**18), ("topic", 5), ("topic", None), ("content", "\ud800"), ("content", "a\0b"),
        ("content", None), ("tags", [5]), ("tags", "t"), ("attributes", [1]), ("attributes", None), ("id", 5),
        ("id", None), ("pinned", "x"), ("pinned", 2), ("version", None), ("key", None), ("confidence", "x"),
        ("kind", "opinion"), ("kind", ["fact"]), ("tier", "x"), ("state", "x"), ("session", None), ("extra", 1),
        ("attributes", {"a": "\udc00"}),
    ],
    "session": [("first_seen", "x"), ("id", None), ("seen_rev", -1)],
    "entity": [("mentions", "x"), ("protected", None), ("name", 5)],
    "name": [("entity_id", None)],
    "link": [("strength", "x"), ("strength", True), ("created_at", None), ("of_type", 5)],
    "entry": [("rev", "x"), ("at", "x"), ("before", "text"), ("meta", []), ("op", None)],
    "job": [("due_at", "x"), ("payload", None), ("attempts", "x")],
    "owner": [("user", 5), ("user", ""), ("tenant", None), ("user", "\ud800")],
    "header": [("format", "other"), ("version", 99), ("type", "entry")],
    "end": [("lines", 3), ("owners", 1), ("type", "x")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "field", "value"), [(kind, *one) for kind, given in DAMAGE.items() for one in given], ids=repr
)
def test_damage(lines: list[Any], empty: Recollect, tmp_path: Path, kind: str, field: str, value: Any) -> None:
    """A line that cannot be used is named with its number, and nothing at all is imported."""
    number, line = next((at, line) for at, line in enumerate(lines, 1) if line["type"] == kind)
    line[field] = value
    with pytest.raises(InvalidInput, match=f"line {number} |cut off"):
        empty.import_file(write(tmp_path / "x.jsonl", lines))
    assert empty.owners() == []


def test_cut_files(lines: list[Any], empty: Recollect, tmp_path: Path) -> None:
    """A file cut off anywhere, put in another order, doubled or not text at all is refused whole."""
    for broken in (lines[:-1], lines[1:], lines[:2], [], [*lines, lines[-1]], [lines[0], *lines[2:]], [*lines[:-1], 5]):
        with pytest.raises(InvalidInput):
            empty.import_file(write(tmp_path / "x.jsonl", broken))
    for junk in (b"", b"\xff\xfe", b"{", b"[1]\n", b"null\n"):
        (tmp_path / "x.jsonl").write_bytes(junk)
        with pytest.raises(InvalidInput):
            empty.import_file(tmp_path / "x.jsonl")
    for path in (tmp_path, tmp_path / "missing.jsonl"):
        with pytest.raises(InvalidInput):
            empty.import_file(path)
    assert empty.owners() == []


@pytest.mark.parametrize("at", ["owner", "entry", "end"])
def test_an_import_that_fails_leaves_nothing(
    lines: list[Any], empty: Recollect, tmp_path: Path, dump: Callable[[], str], at: str
) -> None:
    """Stopped with the first owner, the last or at the very end, nobody of the file is there; then it works."""
    numbers = [number for number, line in enumerate(lines, 1) if line["type"] == at]

    def stop(number: int) -> None:
        if number == numbers[-1]:
            raise KeyboardInterrupt

    whole = write(tmp_path / "x.jsonl", lines)
    with pytest.raises(KeyboardInterrupt):
        empty.import_file(whole, stop)
    assert empty.owners() == []
    assert empty.space("zoe").remember("Zoe is new here.").outcome == "stored"
    empty.space("zoe").erase(everything=True)
    empty.import_file(whole)
    assert text(empty) == dump()


KILLED = """
import os, sys
from recollect import Recollect
with Recollect(sys.argv[1]) as rc:
    rc.import_file(sys.argv[2], lambda number: os._exit(9) if number == int(sys.argv[3]) else None)
"""


def test_an_import_that_was_killed_starts_over(
    lines: list[Any], tmp_path: Path, apart: str, dump: Callable[[], str]
) -> None:
    """What a killed import left belongs to nobody: it is not written to, and the next import takes its place."""
    whole = write(tmp_path / "x.jsonl", lines)
    ended = subprocess.run([sys.executable, "-c", KILLED, apart, str(whole), str(len(lines) - 1)], check=False)
    assert ended.returncode == 9
    with Recollect(apart) as other:
        for space in (other.space("ana"), other.space("😀", tenant="a/b")):
            with pytest.raises(Conflict, match="import has not been finished"):
                space.remember("Ana is allergic to penicillin.")
        other.import_file(whole)
        assert text(other) == dump()


def test_vectors_to_come_are_no_part_of_an_export(lines: list[Any], tmp_path: Path, dump: Callable[[], str]) -> None:
    """With an embedder, too, what was imported gives the same bytes; with its vectors facts only get their class."""
    with Recollect(tmp_path / "minilm.db", embedder="minilm") as other:
        other.import_file(write(tmp_path / "x.jsonl", lines))
        assert text(other) == dump()
        assert [job.name for job in other.space("ana").jobs()].count("embed") == 1
        other.run_jobs(["embed"])
        assert len(text(other).splitlines()) >= len(dump().splitlines())
        assert not any(job.name == "embed" for job in other.space("ana").jobs())


def test_an_export_takes_a_path(rc: Recollect, ana: Space, tmp_path: Path, lines: list[Any]) -> None:
    """A path, as text or as such, gets the same bytes as an open file."""
    moved = rc.export(tmp_path / "all.jsonl")
    assert moved.lines == len(lines)
    assert (tmp_path / "all.jsonl").read_text("utf-8") == text(rc)
    ana.export(str(tmp_path / "ana.jsonl"))
    out = io.StringIO()
    ana.export(out)
    assert (tmp_path / "ana.jsonl").read_text("utf-8") == out.getvalue()
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == ["all.jsonl", "ana.jsonl"]


def test_what_comes_twice_or_hangs_in_the_air_is_refused(lines: list[Any], empty: Recollect, tmp_path: Path) -> None:
    """A repeated id, or a link with an end that is not in the file, is found before anything is written."""
    at = next(at for at, line in enumerate(lines) if line["type"] == "memory")
    link = next(line for line in lines if line["type"] == "link")
    end = {**lines[-1], "lines": len(lines) + 1}
    for extra in (lines[at], {**link, "to_id": "ent_nobody"}):
        last = next(at for at, line in enumerate(lines) if line["type"] == "entry")
        damaged = [*lines[:last], extra, *lines[last:-1], end]
        with pytest.raises(InvalidInput, match="cannot be used"):
            empty.import_file(write(tmp_path / "x.jsonl", damaged))
        assert empty.owners() == []


def test_a_half_imported_user_can_be_erased(lines: list[Any], tmp_path: Path, apart: str) -> None:
    """What a killed import left can be erased like anything else."""
    whole = write(tmp_path / "x.jsonl", lines)
    subprocess.run([sys.executable, "-c", KILLED, apart, str(whole), "4"], check=False)
    with Recollect(apart) as other:
        other.space("ana").erase(everything=True)
        assert other.space("ana").remember("Ana is back.").outcome == "stored"
