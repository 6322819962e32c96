"""How much CPU a call costs, with few owners and with many: it should not depend on who else is there.

    python -m bench.speed [--db sqlite|postgresql|mariadb|URL]... [--owners 10 500] [--messages 1000] [--json]

CPU is that of all threads of this process, not of a database server. Throwaway servers write to the disk at each
commit, as the file does. A URL must lead to an empty database; it is emptied again afterwards.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import engines
from bench.corpus import FUNCTION_WORDS, Corpus
from bench.fill import FACTS, TEMPLATES, corpus_of
from recollect import Recollect, Space

CALLS = 300
OBSERVED = 500
CPU_MS = 1.0
RATIO = 1.5
TARGETS = ("observe", "recall, known words")
Line = dict[str, float]
Call = Callable[[], object]


def measure(calls: list[Call]) -> Line:
    """Run the calls one after another: medians and 95th percentiles in milliseconds."""
    cpu: list[float] = []
    wall: list[float] = []
    for call in calls:
        begun, spent = perf_counter(), process_time()
        call()
        cpu.append((process_time() - spent) * 1000)
        wall.append((perf_counter() - begun) * 1000)
    return {"cpu": median(cpu), "cpu_p95": _p95(cpu), "wall": median(wall), "wall_p95": _p95(wall)}


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def plan(memory: Recollect, owners: int) -> dict[str, list[Call]]:
    """Make the calls to be measured: each for an owner drawn at random, with words that owner has used."""
    chance = random.Random(5)
    sources = [corpus_of(number) for number in range(TEMPLATES)]

    def calls(many: int, make: Callable[[Space, Corpus], Call]) -> list[Call]:
        made = []
        for _ in range(many):
            number = chance.randrange(owners)
            made.append(make(memory.space(f"user{number}", session="now"), sources[number % TEMPLATES]))
        return made

    def said(space: Space, corpus: Corpus) -> Call:
        return partial(space.observe, "user", corpus.message())

    def fact(space: Space, corpus: Corpus) -> Call:
        return partial(space.remember, corpus.message())

    def known(space: Space, corpus: Corpus) -> Call:
        # The source starts anew, so its first messages are those the owner was filled with.
        words = [word for word in corpus.message().lower().rstrip(".").split() if word not in FUNCTION_WORDS]
        return partial(space.recall, f"what did i do about {' '.join(words[:4])}?", kinds=["episode"])

    def unknown(space: Space, corpus: Corpus) -> Call:
        return partial(space.recall, corpus.unknown(), kinds=["episode"])

    def context(space: Space, corpus: Corpus) -> Call:
        return partial(space.context, corpus.question())

    # The looks come first: what is written below would give few owners more to look through than many.
    return {
        "recall, known words": calls(CALLS, known),
        "recall, misspelt and part": calls(CALLS, unknown),
        "context": calls(CALLS, context),
        "observe": calls(OBSERVED, said),
        "remember": calls(CALLS, fact),
    }


def run(engine: str, owners: int, messages: int, folder: Path, console: Console) -> dict[str, Any]:
    """Fill one database, in a process of its own, and measure it."""
    with engines.database(engine, folder, owners) as url:
        command = [sys.executable, "-m", "bench.fill", url, str(owners), str(messages)]
        filled = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        with Recollect(url) as memory:
            size = engines.size(memory)
            console.print("measuring")  # without a bar: drawing it would be measured too
            lines = {name: measure(calls) for name, calls in plan(memory, owners).items()}
            version = f"{memory.describe()['engine']} {memory.describe()['version']}"
    return {
        "engine": engine if engine in ("sqlite", *engines.SERVERS) else version,
        "owners": owners,
        "lines": lines,
        "loaded per second": int(filled.stdout),
        "bytes per memory": round(size / (owners * (messages + FACTS))),
        "peak RSS MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def targets(results: list[dict[str, Any]]) -> list[tuple[str, float, float, bool]]:
    """Hold the numbers against what was promised: what, measured, at most, met."""
    checks = []
    small, large = results[0], results[-1]
    for name in TARGETS:
        checks.append((f"{name}: CPU ms with {large['owners']} owners", large["lines"][name]["cpu"], CPU_MS))
    if small is not large:
        for name in small["lines"]:
            checks.append((f"{name}: ratio of CPU", large["lines"][name]["cpu"] / small["lines"][name]["cpu"], RATIO))
    return [(what, value, most, value <= most) for what, value, most in checks]


def show(results: list[dict[str, Any]], console: Console) -> None:
    """Print one engine's numbers, the ratios and the targets."""
    columns = (f"{r['owners']} owners: CPU (p95), wall (p95)" for r in results)
    table = Table(f"{results[0]['engine']}: ms a call", *columns, "ratio")
    for name in results[0]["lines"]:
        lines = [result["lines"][name] for result in results]
        cells = [f"{x['cpu']:.2f} ({x['cpu_p95']:.2f}), {x['wall']:.2f} ({x['wall_p95']:.2f})" for x in lines]
        table.add_row(
            name, *cells, f"{lines[-1]['cpu'] / lines[0]['cpu']:.2f}, {lines[-1]['wall'] / lines[0]['wall']:.2f}"
        )
    for name in ("loaded per second", "bytes per memory", "peak RSS MB"):
        table.add_row(name, *(str(result[name]) for result in results), f"{results[-1][name] / results[0][name]:.2f}")
    console.print(table)
    if results[0]["engine"] == "sqlite":  # what was promised, was promised for the file
        for what, value, most, met in targets(results):
            console.print(f"{'met   ' if met else 'MISSED'} {what}: {value:.2f} (at most {most})", highlight=False)


def compare(results: list[list[dict[str, Any]]], console: Console) -> None:
    """Print the engines beside each other, at the largest size each was measured with."""
    last = [sizes[-1] for sizes in results]
    heads = (f"{one['engine']}, {one['owners']} owners: CPU, wall" for one in last)
    table = Table("times the first engine's", *heads)
    for name in last[0]["lines"]:
        first = last[0]["lines"][name]
        cells = (one["lines"][name] for one in last)
        table.add_row(name, *(f"{x['cpu'] / first['cpu']:.1f}, {x['wall'] / first['wall']:.1f}" for x in cells))
    many = last[0]["bytes per memory"]
    table.add_row("bytes per memory", *(f"{one['bytes per memory'] / many:.1f}" for one in last))
    console.print(table)


def _apart(engine: str, owners: int, messages: int) -> dict[str, Any]:
    """Run one size in a process of its own, so that its peak of memory is its own."""
    command = [sys.executable, "-m", "bench.speed", "--one", "--db", engine]
    command += ["--owners", str(owners), "--messages", str(messages)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> int:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--db", action="append", metavar="sqlite|postgresql|mariadb|URL")
    parser.add_argument("--owners", type=int, nargs="+", default=[10, 500])
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = given.db or ["sqlite"]
    if given.one:
        with tempfile.TemporaryDirectory(prefix="recollect-speed-") as folder:
            print(json.dumps(run(chosen[0], given.owners[0], given.messages, Path(folder), Console(stderr=True))))
        return 0
    console = Console(quiet=given.json)
    results: list[list[dict[str, Any]]] = []
    for engine in chosen:
        results.append([_apart(engine, owners, given.messages) for owners in sorted(given.owners)])
        show(results[-1], console)
    if len(results) > 1:
        compare(results, console)
    if given.json:
        print(json.dumps([one for sizes in results for one in sizes], indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
