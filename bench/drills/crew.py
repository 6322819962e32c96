"""The processes of a drill, and the reckoning when they are done."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.progress import Progress

from bench.drills.ledger import Ask, Book, hold
from recollect import Recollect

Result = dict[str, Any]


class Crew:
    """The processes of one drill around one database; leaving ends all of them."""

    def __init__(self, folder: Path, seed: int, db: str = "") -> None:
        self.db = db or str(folder / "drill.db")
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.log_size = 0
        self._seed = seed
        self._all: list[subprocess.Popen[bytes]] = []

    def start(self, line: str, owners: str, seconds: float, *extra: str, life: int = 0) -> subprocess.Popen[bytes]:
        """Start one process; it ends by itself when this one does, because it watches its standard input."""
        seed = str(self._seed + 1000 * len(self._all))
        command = [sys.executable, "-m", "bench.drills.hand", "--db", self.db, "--logs", str(self.logs)]
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


def settle(crew: Crew, problems: list[str], progress: Progress, ask: Ask) -> tuple[Book, Result]:
    """Read all logs and hold them against the database."""
    book = Book(problems=problems)
    for path in sorted(crew.logs.glob("*.jsonl")):
        book.add(path)
    task = progress.add_task("looking for everything promised", total=len(book.promised))
    with Recollect(crew.db, embedder="none") as memory:
        hold(book, ask, memory, lambda: progress.advance(task))
    return book, {
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
