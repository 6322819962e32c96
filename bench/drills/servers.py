"""The servers' drill: writers and workers on a real server; all are killed at random points, and so is the server."""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import Popen
from time import monotonic, sleep, time
from typing import Any

from rich.progress import Progress

from bench.drills.crew import Crew, Result, settle
from bench.drills.ledger import Ask, Book, pulse
from bench.engines import throwaway
from recollect import Recollect
from recollect.flows.life.cursors import PLACE
from recollect.model.clock import to_ms
from recollect.rules.life.schedule import TIMED, JobsPolicy
from recollect.testing.servers import Server

WRITERS = ("w0", "w1", "w2", "w3")
WORKERS = ("k0", "k1", "k2", "k3")
OWNERS = "ana,ben,eva,ida,kim,leo,mia,noa,oto,pia,tom,una"
"""So many that killed workers, whose leases run on for minutes, do not leave the others without work."""
RESTARTS = 2
RECOVER_SECONDS = 30.0
LAST_SECONDS = 60.0
DAYS_BACK = "5"
SESSION = "5"


class Team:
    """The writers and workers of a drill; whoever is killed gets a next life."""

    def __init__(self, crew: Crew, seconds: float) -> None:
        self.crew = crew
        self.end = monotonic() + seconds
        self.lives = dict.fromkeys((*WRITERS, *WORKERS), 0)
        self.living: dict[str, Popen[bytes]] = {}
        self.killed = 0

    def begin(self, line: str, seconds: float | None = None) -> Popen[bytes]:
        """Start the next life of a line; writers live in the past, so that what they write is old for the workers."""
        extra = ["--work"] if line in WORKERS else ["--shared", "--reads", "0.1", "--sessions", SESSION]
        extra += [] if line in WORKERS else ["--days-back", DAYS_BACK]
        left = max(0.1, self.end - monotonic()) if seconds is None else seconds
        self.living[line] = self.crew.start(line, OWNERS, left, "--patient", *extra, life=self.lives[line])
        self.lives[line] += 1
        return self.living[line]

    def kill(self, line: str) -> None:
        """Kill one process and start its next life."""
        self.crew.end(self.living[line])
        self.killed += 1
        self.begin(line)

    def idle(self, since: float) -> list[str]:
        """Name those who have done nothing since a moment."""
        logs = {line: self.crew.logs / f"{line}-{self.lives[line] - 1:05}.jsonl" for line in self.living}
        return [line for line, log in logs.items() if not _beat(pulse(log), since)]


def _beat(path: Path, since: float) -> bool:
    return path.exists() and path.stat().st_mtime > since


def servers(engine: str, given: argparse.Namespace, folder: Path, progress: Progress) -> Result:
    """Kill processes and the server under load; then hold everything against the database."""
    seconds = given.seconds or 45.0
    problems: list[str] = []
    server = throwaway(engine)
    try:
        Recollect(server.url, embedder="none").close()
        with Crew(folder, given.seed, server.url) as crew:
            team = Team(crew, seconds)
            recoveries = _rampage(team, server, random.Random(given.seed), problems, progress)
            _finish(team, problems)
            jobs = _hold_leases(crew.db, server.run, problems)
            book, result = settle(crew, problems, progress, server.run)
            _hold_effects(book, server.run)
            return _result(team, book, result, recoveries, jobs, server.run)
    finally:
        server.stop()


def _rampage(team: Team, server: Server, chance: random.Random, problems: list[str], progress: Progress) -> list[float]:
    """Kill at random until the time is up, the server at even steps; give how long each recovery took."""
    for line in team.lives:
        team.begin(line)
    begun, recoveries = monotonic(), list[float]()
    length = team.end - begun
    task = progress.add_task("killing writers, workers and the server", total=round(length))
    while monotonic() < team.end - 2:
        sleep(chance.uniform(0.5, 1.5))
        team.kill(chance.choice(list(team.lives)))
        if len(recoveries) < RESTARTS and monotonic() > begun + length * (len(recoveries) + 1) / (RESTARTS + 1):
            recoveries.append(_crash(team, server, chance, problems))
        progress.update(task, completed=round(min(length, monotonic() - begun)))
    if len(recoveries) < RESTARTS:
        problems.append(f"there was time for {len(recoveries)} restarts of the server only")
    return recoveries


def _crash(team: Team, server: Server, chance: random.Random, problems: list[str]) -> float:
    """Kill the server, start it again, and wait until everyone has done something; nobody helps them."""
    server.kill()
    sleep(chance.uniform(0.3, 1.0))
    server.start()
    back, begun = time(), monotonic()
    team.end = max(team.end, begun + 5)
    while idle := team.idle(back):
        if monotonic() > begun + RECOVER_SECONDS:
            problems.append(f"{', '.join(idle)} did nothing within {RECOVER_SECONDS:.0f} s of the server's return")
            break
        sleep(0.02)
    return monotonic() - begun


def _finish(team: Team, problems: list[str]) -> None:
    """Wait for everyone; then each writer's last life tries again what was never acknowledged."""
    for seconds, lines in ((None, (*WRITERS, *WORKERS)), (0.1, WRITERS)):
        processes = {line: team.living[line] if seconds is None else team.begin(line, seconds) for line in lines}
        for line, process in processes.items():
            if team.crew.join(process, LAST_SECONDS) != 0:
                problems.append(f"{line} did not end well: {process.returncode}")


def _hold_leases(url: str, ask: Ask, problems: list[str]) -> Result:
    """See that no lease outlives its time: once it is over, an ordinary worker finishes what dead ones left."""
    now = datetime.now(UTC)
    held = ask("SELECT owner, name, lease_until FROM jobs WHERE lease_until IS NOT NULL")
    for owner, name, until in held:
        if until > to_ms(now + timedelta(seconds=JobsPolicy().lease_seconds)):
            problems.append(f"the lease of {name} for {owner} ends {until - to_ms(now)} ms from now")
    left = ask("SELECT owner FROM jobs")
    with Recollect(url, embedder="none") as memory:
        reports = memory.run_jobs(now=now + timedelta(hours=1))
    problems += [
        f"the job {one.job} of {one.owner} failed at last: {one.text}" for one in reports if one.status != "ok"
    ]
    for owner, name in ask("SELECT owner, name FROM jobs"):
        if name in TIMED or name == PLACE:
            continue  # it waits for its time, or only says how far one came
        problems.append(f"the job {name} of {owner} is left over")
    return {"leases of dead workers": len(held), "jobs left and then done": len(left)}


def _hold_effects(book: Book, ask: Ask) -> None:
    """See that no memory aged twice, and that all that workers reported has happened."""
    for owner, memory_id, many in _aged(ask):
        if many > 1:
            book.problems.append(f"{memory_id} of {owner} aged {many} times")
    reported = sum(one["changed"] for one in book.reports if one["status"] == "ok" and one["job"] == "age")
    happened = sum(many for _, _, many in _aged(ask))
    if not happened:
        book.problems.append("nothing has aged: the workers did nothing")
    if reported > happened:
        book.problems.append(f"workers reported {reported} memories aged, {happened} have")
    short = "SELECT COUNT(*) FROM journal j JOIN memories m ON m.owner = j.owner AND m.id = j.memory_id "
    wrong = ask(short + "WHERE j.op = 'aged' AND m.tier = 'short'")[0][0]
    if wrong:
        book.problems.append(f"{wrong} memories aged by the journal stand in the short tier")
    other = sum(report["status"] != "ok" for report in book.reports)
    book.outcomes["jobs run"], book.outcomes["jobs failed for the moment"] = len(book.reports) - other, other


def _aged(ask: Ask) -> Sequence[Sequence[Any]]:
    return ask("SELECT owner, memory_id, COUNT(*) FROM journal WHERE op = 'aged' GROUP BY owner, memory_id")


def _result(team: Team, book: Book, result: Result, recoveries: list[float], jobs: Result, ask: Ask) -> Result:
    for name in ("largest log MB", "per_log"):
        result.pop(name)
    return result | {
        "writers and workers": f"{len(WRITERS)} + {len(WORKERS)}",
        "processes killed": team.killed,
        "server killed": len(recoveries),
        "all at work again after s": ", ".join(f"{seconds:.1f}" for seconds in recoveries),
        "calls refused and tried again": sum(book.refused.values()),
        "jobs run": book.outcomes["jobs run"],
        "jobs failed for the moment": book.outcomes["jobs failed for the moment"],
        "memories aged": len(_aged(ask)),
        **jobs,
        "refusals": dict(book.refused.most_common(10)),
    }
