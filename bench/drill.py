"""Two drills for the database: writers killed at random points, and many processes writing at once.

    python -m bench.drill [kill|writers|all] [--kills 50] [--seconds 60] [--processes 10] [--seed N] [--json]

The exit code is 1 when a promise was broken: an acknowledged memory lost, stored twice or not found, a
forgotten one found, a revision missing, an error that reached a caller.
"""

from __future__ import annotations

import argparse
import json
import random
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.ledger import Book, hold
from recollect import Recollect

OWNERS = "ana,ben,eva"
START_SECONDS = 30.0
Result = dict[str, Any]


class Crew:
    """The processes of one drill around one database; leaving ends all of them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.db = folder / "drill.db"
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.log_size = 0
        self._seed = seed
        self._all: list[subprocess.Popen[bytes]] = []

    def start(self, line: str, owners: str, seconds: float, *extra: str, life: int = 0) -> subprocess.Popen[bytes]:
        """Start one process; it ends by itself when this one does, because it watches its standard input."""
        seed = str(self._seed + 1000 * len(self._all))
        command = [sys.executable, "-m", "bench.hand", "--db", str(self.db), "--logs", str(self.logs)]
        command += ["--line", line, "--life", str(life), "--owners", owners, "--seconds", str(seconds)]
        process = subprocess.Popen(
            [*command, "--seed", seed, *extra], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._all.append(process)
        return process

    def watch(self) -> None:
        """Note how large the write-ahead log is."""
        with suppress(FileNotFoundError):
            self.log_size = max(self.log_size, Path(f"{self.db}-wal").stat().st_size)

    def join(self, process: subprocess.Popen[bytes], seconds: float) -> int:
        """Wait for a process to end by itself; one that does not is killed and gives -1."""
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end(process)
            return -1

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill one process (SIGKILL: it can do nothing about it) and clear away what is left of it."""
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            self.end(process)


def kill(given: argparse.Namespace, folder: Path, progress: Progress) -> Result:
    """Kill a writer again and again while two others work; then hold everything against the database."""
    chance = random.Random(given.seed)
    most = given.kills * 5.0 + 60
    problems: list[str] = []
    task = progress.add_task("killing a writer", total=given.kills)
    with Crew(folder, given.seed) as crew:
        others = [crew.start(name, OWNERS, most, "--reads", "0.7", "--shared") for name in ("x", "y")]
        for life in range(given.kills):
            writer = crew.start("w", OWNERS, most, "--shared", life=life)
            # Now and then while it still opens the file, else at any point of its work.
            if life % 10 != 9 and not _first_word(writer):
                problems.append(f"writer {life} did not write within {START_SECONDS:.0f} s")
            sleep(chance.uniform(0.02, 0.4))
            crew.end(writer)
            crew.watch()
            progress.advance(task)
        if crew.join(crew.start("w", OWNERS, 1.0, "--shared", life=given.kills), START_SECONDS * 2) != 0:
            problems.append("the last writer did not end well")
        problems += [f"a process working beside ended early: {p.poll()}" for p in others if p.poll() is not None]
        for process in others:
            crew.end(process)
        # What they were doing when the drill ended is tried again, like everything else.
        for name in ("x", "y"):
            if crew.join(crew.start(name, OWNERS, 0.1, "--shared", life=1), START_SECONDS * 2) != 0:
                problems.append(f"the last life of {name} did not end well")
        return _settle(crew, problems, progress) | {"kills": given.kills}


def _first_word(process: subprocess.Popen[bytes]) -> bool:
    """Wait until a process has had its first acknowledgement."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    return bool(ready) and process.stdout.readline() == b"writing\n"


def writers(given: argparse.Namespace, folder: Path, progress: Progress) -> Result:
    """Let many processes write to one file at once; every other one to the same owner."""
    problems: list[str] = []
    task = progress.add_task(f"{given.processes} processes writing", total=given.seconds)
    with Crew(folder, given.seed) as crew:
        owners = ["shared" if number % 2 else f"own{number}" for number in range(given.processes)]
        team = [
            crew.start(f"p{number}", owner, given.seconds, "--shared", "--reads", "0.05")
            for number, owner in enumerate(owners)
        ]
        begun = monotonic()
        while any(process.poll() is None for process in team) and monotonic() < begun + given.seconds + 120:
            sleep(0.1)
            crew.watch()
            progress.update(task, completed=min(given.seconds, monotonic() - begun))
        for number, process in enumerate(team):
            if crew.join(process, 1.0) != 0:
                problems.append(f"process {number} did not end well: {process.returncode}")
        result = _settle(crew, problems, progress)
        per_process = [count for name, count in result.pop("per_log").items() if name.startswith("p")]
        return result | {
            "processes": given.processes,
            "acknowledged per second": round(result["acknowledged"] / given.seconds, 1),
            "writes of the busiest process": max(per_process),
            "writes of the laziest process": min(per_process),
        }


def _settle(crew: Crew, problems: list[str], progress: Progress) -> Result:
    """Read all logs and hold them against the database."""
    book = Book(problems=problems)
    for path in sorted(crew.logs.glob("*.jsonl")):
        book.add(path)
    task = progress.add_task("looking for everything promised", total=len(book.promised))
    with Recollect(str(crew.db)) as memory:
        hold(book, crew.db, memory, lambda: progress.advance(task))
    return {
        "acknowledged": len(book.writes),
        "memories": len(book.promised),
        "replaced or forgotten": len(book.gone),
        "retries answered the same": book.outcomes["again"],
        "write p50 ms": _at(book.writes, 0.50),
        "write p99 ms": _at(book.writes, 0.99),
        "slowest write ms": _at(book.writes, 1.0),
        "reads": len(book.reads),
        "read p99 ms": _at(book.reads, 0.99),
        "slowest read ms": _at(book.reads, 1.0),
        "largest log MB": round(crew.log_size / 1e6, 1),
        "per_log": book.per_log,
        "outcomes": dict(sorted(book.outcomes.items())),
        "problems": book.problems,
    }


def _at(seconds: list[float], share: float) -> float:
    ranked = sorted(seconds)
    return round(ranked[min(len(ranked) - 1, int(len(ranked) * share))] * 1000, 2) if ranked else 0.0


DRILLS: dict[str, Callable[[argparse.Namespace, Path, Progress], Result]] = {"kill": kill, "writers": writers}


def show(name: str, result: Result, console: Console) -> None:
    """Print one drill's numbers, then what went wrong."""
    table = Table("drill", name, title_justify="left")
    for label, value in result.items():
        if not isinstance(value, list | dict):
            table.add_row(label, str(value))
    problems = result["problems"]
    table.add_row("broken promises", str(len(problems)))
    console.print(table)
    for problem in problems[:20]:
        console.print(f"  {problem}", markup=False, highlight=False)


def main() -> int:
    """Run the drills the command line names and say how they went."""
    parser = argparse.ArgumentParser(prog="python -m bench.drill", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("drill", nargs="?", choices=[*DRILLS, "all"], default="all")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    console = Console(quiet=given.json)
    results: dict[str, Result] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    for name in DRILLS if given.drill == "all" else [given.drill]:
        with (
            tempfile.TemporaryDirectory(prefix="recollect-drill-") as folder,
            Progress(*columns, console=console) as bar,
        ):
            results[name] = DRILLS[name](given, Path(folder), bar)
        show(name, results[name], console)
    if given.json:
        print(json.dumps(results, indent=2))
    return int(any(result["problems"] for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
