"""How much CPU a call costs, with few owners and with many: it should not depend on who else is there.

    python -m bench.speed [--owners 10 500] [--messages 1000] [--json]

CPU is that of all threads of the process. Filling uses many threads, measuring one.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench.corpus import FUNCTION_WORDS, Corpus
from recollect import Recollect, Space

THREADS = 16
SESSION = 100
FACTS = 30
CALLS = 300
OBSERVED = 500
CPU_MS = 1.0
RATIO = 1.5
TARGETS = ("observe", "recall, known words")
Line = dict[str, float]
Call = Callable[[], object]


def fill(memory: Recollect, owners: int, messages: int, tick: Callable[[int], None]) -> None:
    """Give every owner its messages and some facts, through the verbs; threads share the commits."""
    waiting = iter(range(owners))
    guard = threading.Lock()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            while not failed:
                with guard:
                    number = next(waiting, None)
                if number is None:
                    return
                _fill_one(memory, number, messages, tick)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(min(THREADS, owners))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def _fill_one(memory: Recollect, number: int, messages: int, tick: Callable[[int], None]) -> None:
    corpus = _corpus(number)
    space = memory.space(f"user{number}", session="s0")
    for at in range(messages):
        if at % SESSION == 0:
            space = memory.space(f"user{number}", session=f"s{at // SESSION}")
            tick(min(SESSION, messages - at))
        space.observe("user" if at % 2 == 0 else "assistant", corpus.message())
    space.remember_many([{"content": text, "importance": 3 + at % 7} for at, text in _facts(corpus)])


def _facts(corpus: Corpus) -> list[tuple[int, str]]:
    return [(at, corpus.message()) for at in range(FACTS)]


def _corpus(number: int) -> Corpus:
    """Give one owner's source of texts; all have the same statistics, each its own words."""
    return Corpus(1000 + number)


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
    sources: dict[int, Corpus] = {}

    def calls(many: int, make: Callable[[Space, Corpus], Call]) -> list[Call]:
        made = []
        for _ in range(many):
            number = chance.randrange(owners)
            corpus = sources.setdefault(number, _corpus(number))
            made.append(make(memory.space(f"user{number}", session="now"), corpus))
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


def run(owners: int, messages: int, folder: Path, console: Console) -> dict[str, Any]:
    """Fill one database and measure it."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    file = folder / f"speed-{owners}.db"
    with Recollect(str(file)) as memory:
        with Progress(*columns, console=console) as progress:
            task = progress.add_task(f"filling {owners} owners", total=owners * messages)
            begun = perf_counter()
            fill(memory, owners, messages, lambda many: progress.advance(task, many))
            seconds = perf_counter() - begun
        count = owners * (messages + FACTS)
        size = memory.describe()["bytes"]
        # Taken now: the sources of texts for the calls below weigh more than the library does.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        console.print("measuring")  # without a bar: drawing it would be measured too
        lines = {name: measure(calls) for name, calls in plan(memory, owners).items()}
    return {
        "owners": owners,
        "lines": lines,
        "filled per second": round(count / seconds),
        "bytes per memory": round(size / count),
        "peak RSS MB": round(peak, 1),
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
    """Print the numbers, the ratios and the targets."""
    table = Table("milliseconds a call", *(f"{r['owners']} owners: CPU (p95), wall (p95)" for r in results), "ratio")
    for name in results[0]["lines"]:
        lines = [result["lines"][name] for result in results]
        cells = [f"{x['cpu']:.2f} ({x['cpu_p95']:.2f}), {x['wall']:.2f} ({x['wall_p95']:.2f})" for x in lines]
        table.add_row(name, *cells, f"{lines[-1]['cpu'] / lines[0]['cpu']:.2f}")
    for name in ("filled per second", "bytes per memory", "peak RSS MB"):
        table.add_row(name, *(str(result[name]) for result in results), "")
    console.print(table)
    for what, value, most, met in targets(results):
        console.print(f"{'met   ' if met else 'MISSED'} {what}: {value:.2f} (at most {most})", highlight=False)


def _apart(owners: int, messages: int) -> dict[str, Any]:
    """Run one size in a process of its own, so that its peak of memory is its own."""
    command = [sys.executable, "-m", "bench.speed", "--one", "--owners", str(owners), "--messages", str(messages)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> int:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--owners", type=int, nargs="+", default=[10, 500])
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        with tempfile.TemporaryDirectory(prefix="recollect-speed-") as folder:
            print(json.dumps(run(given.owners[0], given.messages, Path(folder), Console(stderr=True))))
        return 0
    results = [_apart(owners, given.messages) for owners in sorted(given.owners)]
    if given.json:
        print(json.dumps(results, indent=2))
    else:
        show(results, Console())
    return 0


if __name__ == "__main__":
    sys.exit(main())
