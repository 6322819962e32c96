"""Ten thousand due jobs of ten thousand owners: what one worker makes of them, and how much others notice."""

from __future__ import annotations

import argparse
import json
import resource
import statistics
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import monotonic, perf_counter, sleep
from typing import Any

from rich.progress import Progress

from bench.drills.crew import Result
from bench.drills.slaughter import Ask, started
from recollect import Recollect, Space
from recollect.rules.life.schedule import TIMED

PLAIN = {"RECOLLECT_EMBEDDER": "none"}
ROUNDS = 5
MOST_LOST = 0.20
LEFT = "SELECT COUNT(*) FROM jobs WHERE name = 'age'"


def throughput(given: argparse.Namespace, where: tuple[str, Ask], progress: Progress) -> Result:
    """Let one worker run a due job of every owner, for several numbers of owners; then see what others lose."""
    url, ask = where
    problems: list[str] = []
    result: Result = {}
    per_job: list[float] = []
    have = 0
    for owners in sorted(given.owners):
        task = progress.add_task(f"{owners:,} owners", total=owners, completed=have)
        populate(url, have, owners, lambda many, task=task: progress.update(task, completed=many))  # type: ignore[misc]
        have = owners
        for name, rest in (("at full speed", "0"), ("with the default rest", "")):
            ask("DELETE FROM jobs", "SELECT 1")
            idle = _timed(url, rest)  # what starting and finding nothing costs is not the jobs' cost
            ask(*_due(), "SELECT 1")
            run = _timed(url, rest)
            if run["runs"] != owners:
                problems.append(f"{run['runs']} of {owners} jobs ran")
            seconds, cpu = run["seconds"] - idle["seconds"], run["cpu"] - idle["cpu"]
            result[f"{owners:,} owners {name}, jobs a second"] = round(owners / seconds)
            result[f"{owners:,} owners {name}, CPU ms a job"] = round(cpu / owners * 1000, 3)
            per_job += [] if rest else [cpu / owners]
    result["CPU a job, most owners against fewest"] = round(per_job[-1] / per_job[0], 2)
    result |= disturbed(given, where, have, progress, problems)
    return result | {"problems": problems}


def populate(url: str, have: int, owners: int, tick: Callable[[int], None]) -> None:
    """Give each owner two memories that are old enough to age; only ageing is made due."""
    past, off = datetime.now(UTC) - timedelta(days=5), {name: "" for name in TIMED if name != "age"}
    with Recollect(url, embedder="none", clock=lambda: past, jobs=off) as memory:
        for number in range(have, owners):
            mine = memory.space(f"user{number}")
            mine.remember_many([{"content": f"Box {number} is {colour}."} for colour in ("red", "blue")])
            tick(number + 1)


def _due() -> list[str]:
    """Make one job of every owner due, with two memories to age, behind the store's back: only runs are measured."""
    now = int(datetime.now(UTC).timestamp() * 1000)
    return [
        "DELETE FROM jobs",
        "UPDATE memories SET tier = 'short' WHERE tier = 'long' AND kind = 'fact'",
        'INSERT INTO jobs (owner, name, "key", due_at, payload) '
        f"SELECT owner, 'age', '', {now}, '{{}}' FROM owners WHERE owner LIKE '/user%'",
    ]


def _timed(url: str, rest: str) -> dict[str, Any]:
    """Run one worker until nothing is due; give its seconds and CPU."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    environment = PLAIN | ({"RECOLLECT_JOBS__REST": rest} if rest else {})
    process = started(url, "--once", "--quiet", "--json", **environment)
    out, _ = process.communicate()
    seconds, after = perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    totals: dict[str, Any] = json.loads(out.splitlines()[-1])["totals"]
    return totals | {"seconds": seconds, "cpu": cpu}


def disturbed(
    given: argparse.Namespace, where: tuple[str, Ask], owners: int, progress: Progress, problems: list[str]
) -> Result:
    """Observe and recall in this process, alone and beside a busy worker, in turns."""
    url, ask = where
    task = progress.add_task("observing and recalling", total=2 * ROUNDS)
    found: dict[str, list[float]] = {}
    with Recollect(url, embedder="none") as memory:
        mine = memory.space("reader", "helper", "s1")
        mine.remember_many([{"content": f"Shelf {number} holds book {number * 3}."} for number in range(500)])
        _pace(mine, 1.0)
        for _ in range(ROUNDS):
            ask("DELETE FROM jobs", "SELECT 1")
            for name, speed in _pace(mine, given.seconds).items():
                found.setdefault(f"{name} alone", []).append(speed)
            progress.advance(task)
            ask(*_due(), "SELECT 1")
            process = started(url, "--quiet", **PLAIN)
            try:
                while ask(LEFT)[0][0] > owners * 0.99:
                    sleep(0.1)
                for name, speed in _pace(mine, given.seconds).items():
                    found.setdefault(f"{name} beside a worker", []).append(speed)
            finally:
                process.terminate()
                process.communicate()
            if not ask(LEFT)[0][0]:
                problems.append("the worker ran out of jobs: take more owners, or fewer seconds")
            progress.advance(task)
    result: Result = {}
    for verb in ("observe", "recall"):
        alone, beside = (statistics.median(found[f"{verb} {how}"]) for how in ("alone", "beside a worker"))
        result[f"{verb} a second, alone"] = round(alone)
        result[f"{verb} a second, beside a worker"] = round(beside)
        result[f"{verb} loses %"] = round((1 - beside / alone) * 100, 1)
        if beside < alone * (1 - MOST_LOST):
            problems.append(f"{verb} loses more than {MOST_LOST:.0%} beside a worker")
    return result


def _pace(mine: Space, seconds: float) -> dict[str, float]:
    """Observe and recall in turns; give how many of each there would be in a second."""
    spent, many, end = {"observe": 0.0, "recall": 0.0}, 0, monotonic() + seconds
    while monotonic() < end:
        many += 1
        begun = perf_counter()
        mine.observe("user", f"The parcel number {many} has come.")
        middle = perf_counter()
        mine.recall(f"which book does shelf {many % 500} hold?")
        spent["observe"] += middle - begun
        spent["recall"] += perf_counter() - middle
    return {verb: many / took for verb, took in spent.items()}
