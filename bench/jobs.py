"""Drills for the job engine: workers killed at random points, runs undone, what ten thousand jobs cost and disturb.

    python -m bench.jobs kill [--kills 30] [--engine sqlite --engine postgresql --engine mariadb] [--seed N] [--json]
    python -m bench.jobs throughput [--owners 1000 --owners 10000] [--seconds 6] [--engine sqlite] [--json]
    python -m bench.jobs undo [--seeds 300] [--engine sqlite] [--seed N] [--json]

The exit code is 1 when a promise was broken: an effect seen twice or not at all, a lease that outlives its time, a dead
letter without a name, something that undo did not bring back, observing and recalling slowed by a fifth or more.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.drill import show
from bench.drills.crew import Result
from bench.drills.slaughter import Ask, kill
from bench.drills.throughput import throughput
from bench.drills.undoing import undo
from bench.engines import SERVERS, throwaway

Drill = Callable[[argparse.Namespace, tuple[str, Ask], Progress], Result]
DRILLS: dict[str, Drill] = {"kill": kill, "throughput": throughput, "undo": undo}


def place(engine: str, folder: Path, stack: ExitStack) -> tuple[str, Ask]:
    """Give the URL of an empty database on an engine, and a way to ask it behind the store's back."""
    if engine == "sqlite":
        path = folder / "jobs.db"
        return f"sqlite:///{path}", lambda *statements: _asked(path, statements)
    server = throwaway(engine)
    stack.callback(server.stop)
    return server.url, server.run


def _asked(path: Path, statements: Sequence[str]) -> list[Any]:
    with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as connection:
        return [connection.execute(one).fetchall() for one in statements][-1]


def main() -> int:
    """Run the drill the command line names and say how it went."""
    parser = argparse.ArgumentParser(prog="python -m bench.jobs", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("drill", choices=sorted(DRILLS))
    parser.add_argument("--engine", action="append", choices=["sqlite", *SERVERS])
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--owners", type=int, action="append")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each look at observing and recalling is")
    parser.add_argument("--seeds", type=int, default=300, help="how many lives with an undone run are lived")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    given.owners = given.owners or [1000, 10_000]
    engines = given.engine or (["sqlite", *SERVERS] if given.drill == "kill" else ["sqlite"])
    console = Console(quiet=given.json)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results: dict[str, Any] = {}
    for engine in engines:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recollect-jobs-")))
            bar = stack.enter_context(Progress(*columns, console=console))
            results[engine] = DRILLS[given.drill](given, place(engine, folder, stack), bar)
        show(f"{given.drill} {engine}", results[engine], console)
    if given.json:
        print(json.dumps(results, indent=2))
    return int(any(result["problems"] for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
