"""Drills for the database: writers killed at random points, many processes writing at once, servers that crash.

    python -m bench.drill [kill|writers|servers|all] [--kills 50] [--seconds 60] [--processes 10] [--seed N] [--json]
                          [--engine postgresql|mariadb|both]

The exit code is 1 when a promise was broken: an acknowledged memory lost, stored twice or not found, a
forgotten one found, a revision missing, a job's effects seen twice, an error that reached a caller.
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
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.drills.crew import Crew, Result, settle
from bench.drills.ledger import asking
from bench.drills.servers import servers
from bench.engines import SERVERS

OWNERS = "ana,ben,eva"
START_SECONDS = 30.0


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
        _, result = settle(crew, problems, progress, asking(crew.db))
        return result | {"kills": given.kills}


def _first_word(process: subprocess.Popen[bytes]) -> bool:
    """Wait until a process has had its first acknowledgement."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    return bool(ready) and process.stdout.readline() == b"writing\n"


def writers(given: argparse.Namespace, folder: Path, progress: Progress) -> Result:
    """Let many processes write to one file at once; every other one to the same owner."""
    problems: list[str] = []
    seconds = given.seconds or 60.0
    task = progress.add_task(f"{given.processes} processes writing", total=seconds)
    with Crew(folder, given.seed) as crew:
        owners = ["shared" if number % 2 else f"own{number}" for number in range(given.processes)]
        team = [
            crew.start(f"p{number}", owner, seconds, "--shared", "--reads", "0.05")
            for number, owner in enumerate(owners)
        ]
        begun = monotonic()
        while any(process.poll() is None for process in team) and monotonic() < begun + seconds + 120:
            sleep(0.1)
            crew.watch()
            progress.update(task, completed=min(seconds, monotonic() - begun))
        for number, process in enumerate(team):
            if crew.join(process, 1.0) != 0:
                problems.append(f"process {number} did not end well: {process.returncode}")
        _, result = settle(crew, problems, progress, asking(crew.db))
        per_process = [count for name, count in result.pop("per_log").items() if name.startswith("p")]
        return result | {
            "processes": given.processes,
            "acknowledged per second": round(result["acknowledged"] / seconds, 1),
            "writes of the busiest process": max(per_process),
            "writes of the laziest process": min(per_process),
        }


Drill = Callable[[argparse.Namespace, Path, Progress], Result]
DRILLS: dict[str, Drill] = {
    "kill": kill,
    "writers": writers,
    **{f"servers {engine}": partial(servers, engine) for engine in SERVERS},
}


def chosen(given: argparse.Namespace) -> list[str]:
    """Name the drills the command line asks for."""
    engines = SERVERS if given.engine == "both" else (given.engine,)
    named = {"servers": [f"servers {engine}" for engine in engines]}
    wanted = ("kill", "writers", "servers") if given.drill == "all" else (given.drill,)
    return [name for one in wanted for name in named.get(one, [one])]


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
    parser.add_argument("drill", nargs="?", choices=["kill", "writers", "servers", "all"], default="all")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=0.0, help="60 for writers, 45 for each server")
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--engine", choices=[*SERVERS, "both"], default="both")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    console = Console(quiet=given.json)
    results: dict[str, Result] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    for name in chosen(given):
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
