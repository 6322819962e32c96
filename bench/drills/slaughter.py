"""Four workers, killed again and again at random points while work comes in; then everything is held to account."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import monotonic, sleep
from typing import Any

from rich.progress import Progress

from bench.drills.crew import Result
from recollect import Recollect
from recollect.model.clock import LATEST, to_ms

Ask = Callable[..., list[Any]]
"""Runs statements behind the library's back and gives the rows of the last."""
WORKERS = 4
OWNERS = 12
LEASE = 2.0
SETTLED_SECONDS = 90.0
ENVIRONMENT = {
    "RECOLLECT_JOBS__LEASE_SECONDS": str(LEASE),
    "RECOLLECT_JOBS__POLL_SECONDS": "0.05",
    "RECOLLECT_JOBS__RETRY_SECONDS": "0.1",
    "RECOLLECT_JOBS__ATTEMPTS": "4",
    "RECOLLECT_JOBS__REST": "0",
    # An embedder nobody answers for: its jobs fail until they are put aside.
    "RECOLLECT_EMBEDDER": "ollama:nobody",
    "RECOLLECT_EMBEDDING__BASE_URL": "http://127.0.0.1:9",
    "RECOLLECT_EMBEDDING__RETRIES": "0",
}


def started(url: str, *more: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start `recollect worker` on a database."""
    command = [sys.executable, "-c", "from recollect.serve.cli import main; main()", "worker", "--db", url, *more]
    env = {**os.environ, **environment}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


def ready(process: subprocess.Popen[bytes]) -> None:
    """Wait until a worker says that it works: before, a signal ends it as it ends any program that starts."""
    assert process.stderr is not None
    while (line := process.stderr.readline()) and b"working" not in line:
        continue


class Feed:
    """Work that comes in: old memories to age, messages to learn from, sessions to work through."""

    def __init__(self, url: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.old: list[str] = []
        self.asked: list[str] = []
        self.sessions: list[tuple[str, str]] = []
        past = timedelta(days=5)
        self._past = Recollect(url, embedder="none", clock=lambda: datetime.now(UTC) - past)
        self._now = Recollect(url, embedder="none")

    def more(self) -> None:
        """Write something for a few owners."""
        for number in self.chance.sample(range(OWNERS), 4):
            user, nonce = f"user{number}", len(self.asked)
            self.old.append(self._past.space(user).remember(f"Box {nonce} holds {nonce * 7} spoons.").id)
            session = f"s{nonce}"
            mine = self._now.space(user, "helper", session)
            self.sessions.append((mine.owner, session))
            mine.observe("user", f"Please remember that locker {nonce} has the code k{nonce:06}z.")
            for text in ("I like the sea.", f"My boat number {nonce} is green.", "See you.", "Good night."):
                mine.observe("user", text)
            self.asked.append(f"k{nonce:06}z")
        # Every session but the last of its user is left behind, and so made due.

    def close(self) -> None:
        """Let the database go."""
        self._past.close()
        self._now.close()


def kill(given: argparse.Namespace, where: tuple[str, Ask], progress: Progress) -> Result:
    """Kill one of four workers at random points; then see that each effect happened once and no lease is left."""
    url, ask = where
    Recollect(url, embedder="none").close()
    feed, problems, begun = Feed(url, given.seed), list[str](), monotonic()
    task = progress.add_task("killing workers", total=given.kills)
    team = [started(url, "--quiet", **ENVIRONMENT) for _ in range(WORKERS)]
    held = 0
    try:
        sleep(2.0)
        for _ in range(given.kills):
            feed.more()
            sleep(feed.chance.uniform(0.0, 0.6))
            victim = feed.chance.randrange(WORKERS)
            team[victim].kill()
            team[victim].wait()
            held += bool(_leased(ask))
            team[victim] = started(url, "--quiet", **ENVIRONMENT)
            progress.advance(task)
        last = monotonic()
        waited = _settle(ask, last, problems)
        dead = _dead(url, problems)
        for process in team:
            ready(process)
            process.terminate()
        problems += [f"a worker did not end well: {code}" for code in map(_ended, team) if code]
    finally:
        for process in team:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
    feed.close()
    _finish(url, ask, problems)
    _account(url, ask, feed, problems)
    return {
        "workers": WORKERS,
        "killed": given.kills,
        "kills that left a lease behind": held,
        "memories to age": len(feed.old),
        "messages to learn from": len(feed.asked),
        "sessions": len(feed.sessions),
        "settled after the last kill s": round(waited, 1),
        "lease seconds": LEASE,
        "dead letters": len(dead),
        "the first of them": dead[0] if dead else "",
        "seconds": round(monotonic() - begun, 1),
        "problems": problems,
    }


def _ended(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(30)
    except subprocess.TimeoutExpired:
        return -1


def _leased(ask: Ask) -> list[Any]:
    return ask("SELECT owner, name, lease_until FROM jobs WHERE lease_until IS NOT NULL")


def _settle(ask: Ask, last: float, problems: list[str]) -> float:
    """Wait until nothing is due or held; no lease may end later than its time after now."""
    while monotonic() < last + SETTLED_SECONDS:
        now = to_ms(datetime.now(UTC))
        for owner, name, until in _leased(ask):
            if until > now + LEASE * 1000 + 1000:
                problems.append(f"the lease of {name} for {owner} ends {until - now} ms from now")
        due = ask(f"SELECT owner, name FROM jobs WHERE due_at <= {now} AND name IN ('age', 'learn', 'consolidate')")
        failing = ask(f"SELECT owner FROM jobs WHERE due_at < {to_ms(LATEST)} AND name = 'embed'")
        if not due and not failing and not _leased(ask):
            return monotonic() - last
        sleep(0.1)
    problems.append(f"after {SETTLED_SECONDS:.0f} s something is still due or held")
    return monotonic() - last


def _dead(url: str, problems: list[str]) -> list[str]:
    """Name what was put aside, and why; it must be what cannot succeed, and nothing else."""
    with Recollect(url, embedder="none") as memory:
        dead = [job for job in memory.jobs(100_000) if job.state == "dead"]
    told = [f"{job.name} of {job.owner}: {(job.last_report or {}).get('text', '')}" for job in dead]
    problems += [f"a dead letter without a reason: {one}" for one in told if one.endswith(": ")]
    problems += [f"put aside though it can succeed: {one}" for one in told if not one.startswith("embed ")]
    if not dead:
        problems.append("no job was put aside, though nobody answers for the embedder")
    return told


def _finish(url: str, ask: Ask, problems: list[str]) -> None:
    """Work through the sessions that are still open, and age what came last."""
    with Recollect(url, embedder="none") as memory:
        reports = memory.run_jobs(["consolidate", "age", "learn"])
        problems += [f"{one.job} of {one.owner}: {one.text}" for one in reports if one.status == "failed"]
        problems += [f"the doctor found {one.check}: {one.text}" for one in memory.doctor() if not one.ok]


def _account(url: str, ask: Ask, feed: Feed, problems: list[str]) -> None:
    """See that each effect happened, and once."""
    aged = Counter(row[0] for row in ask("SELECT memory_id FROM journal WHERE op = 'aged'"))
    problems += [f"{one} aged {aged[one]} times" for one in feed.old if aged[one] != 1]
    with Recollect(url, embedder="none") as memory:
        known = Counter[str]()
        for tenant, user in memory.owners():
            for one in memory.space(user, tenant=tenant).list(kinds=["fact"], limit=1000):
                known.update(word.strip(".") for word in one.content.split() if word.startswith("k0"))
    problems += [f"{one} is known {known[one]} times" for one in feed.asked if known[one] != 1]
    upto: dict[tuple[str, str], int] = {}
    lines = ask("SELECT owner, \"before\", meta FROM journal WHERE op = 'consolidated' ORDER BY owner, rev, seq")
    for owner, before, meta in lines:
        session = json.loads(meta)["session"]
        if upto.get((owner, session), 0) != json.loads(before)["upto"]:
            problems.append(f"session {session} of {owner} was worked through twice from the same place")
        upto[owner, session] = json.loads(meta)["upto"]
    problems += [f"session {one} was never worked through" for one in feed.sessions if one not in upto]
