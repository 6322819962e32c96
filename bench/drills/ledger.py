"""The books of a drill: what every process was promised, held against what the database has."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.drills.acts import SHARED, Act
from recollect import Recollect
from recollect.model.owner import owner_key
from recollect.model.receipt import Receipt, Report

Ask = Callable[[str], Sequence[Sequence[Any]]]
"""Puts a question in SQL to the database, behind the library's back."""


def asking(db: str) -> Ask:
    """Give the way to ask an SQLite file."""

    def ask(sql: str) -> Sequence[Sequence[Any]]:
        with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()

    return ask


class Log:
    """One process's lines: each goes straight to the kernel, so a killed process has told all it knew."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._pulse = pulse(path)

    def trying(self, act: Act) -> None:
        """Say what is about to be written."""
        self._line({"try": asdict(act)})

    def done(self, act: Act, receipts: Sequence[Receipt], seconds: float, again: bool = False) -> None:
        """Say what was acknowledged, and how long it took; `again` when it had been acknowledged before."""
        told = [receipt.to_json() for receipt in receipts]
        self._line({"again" if again else "ack": asdict(act), "receipts": told, "seconds": seconds})
        self._pulse.touch()

    def ran(self, reports: Sequence[Report]) -> None:
        """Say which jobs were run, if any."""
        if reports:
            self._line({"ran": [report.to_json() for report in reports]})
        self._pulse.touch()

    def refused(self, error: BaseException) -> None:
        """Say that the server could not be reached, as it may; the same is tried again."""
        self._line({"refused": f"{type(error).__name__}: {error}"})

    def error(self, doing: str, error: BaseException) -> None:
        """Say what reached the caller instead of an answer."""
        self._line({"error": f"{doing}: {type(error).__name__}: {error}"})

    def read(self, seconds: float) -> None:
        """Say how long a look took."""
        self._line({"read": seconds})

    def _line(self, data: dict[str, Any]) -> None:
        os.write(self._file, (json.dumps(data, separators=(",", ":")) + "\n").encode())


def pulse(path: Path) -> Path:
    """Give the file beside a log that is touched whenever something was done."""
    return path.with_suffix(".alive")


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a log back; a line cut short by a kill counts as never written."""
    for line in path.read_text("utf-8").split("\n"):
        if line.endswith("}"):
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue


@dataclass(frozen=True, slots=True)
class Promise:
    """One memory that was acknowledged."""

    owner: str
    kind: str
    nonce: str
    key: str


@dataclass(slots=True)
class Book:
    """Everything the logs say: what was tried, what was promised, and what should stand now."""

    tried: dict[str, str] = field(default_factory=dict)
    promised: dict[str, Promise] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    writes: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    per_log: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    _answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, path: Path) -> None:
        """Take in one log; the logs of one line of writers come in the order of their lives."""
        acked = 0
        for line in lines(path):
            if "try" in line:
                self.tried |= dict.fromkeys(line["try"]["nonces"], line["try"]["request"])
            elif "ack" in line:
                acked += 1
                self._ack(Act.read(line["ack"]), line["receipts"], line["seconds"])
            elif "again" in line:
                act = Act.read(line["again"])
                self.outcomes["again"] += 1
                if line["receipts"] != self._answers[act.request]:
                    self.problems.append(f"{act.request}: a retry was answered differently")
            elif "read" in line:
                self.reads.append(line["read"])
            elif "ran" in line:
                self.reports += line["ran"]
            elif "refused" in line:
                self.refused[line["refused"]] += 1
            else:
                self.problems.append(f"{path.stem}: {line['error']}")
        self.per_log[path.stem] = acked

    def _ack(self, act: Act, receipts: list[dict[str, Any]], seconds: float) -> None:
        self.writes.append(seconds)
        self._answers[act.request] = receipts
        if len(receipts) != max(1, len(act.nonces)):
            self.problems.append(f"{act.request}: {len(receipts)} receipts for {len(act.nonces)} texts")
        for at, receipt in enumerate(receipts):
            self.outcomes[f"{act.verb} {receipt['outcome']}"] += 1
            if receipt["outcome"] not in ("stored", "superseded"):
                self.problems.append(f"{act.request}: {receipt['outcome']} {receipt['reason']}")
            elif act.verb == "forget":
                self.gone.add(receipt["id"])
            else:
                self.promised[receipt["id"]] = Promise(act.owner, act.kind, act.nonces[at], act.key)
            if receipt["outcome"] == "superseded":
                self.gone.add(receipt["other"])


def hold(book: Book, ask: Ask, memory: Recollect, tick: Callable[[], None]) -> None:
    """Hold the book against the database; what does not agree becomes one of its problems."""
    rows = _rows(ask)
    _hold_rows(book, rows)
    _hold_revisions(book, ask)
    for memory_id, promise in book.promised.items():
        tick()
        space = memory.space(promise.owner)
        if memory_id not in rows:
            continue
        if space.get(memory_id).id != memory_id:
            book.problems.append(f"get({memory_id}) gave another memory")
        found = {hit.memory.id for hit in space.recall(promise.nonce, limit=3, kinds=[promise.kind])}
        stands = rows[memory_id][1] == "active"
        if stands and memory_id not in found:
            book.problems.append(f"{memory_id} stands but {promise.nonce} does not recall it")
        if not stands and memory_id in found:
            book.problems.append(f"{memory_id} is {rows[memory_id][1]} but {promise.nonce} recalls it")
    for finding in memory.doctor():
        if not finding.ok:
            book.problems.append(f"doctor: {finding.check}: {finding.count} {finding.text}")


def _rows(ask: Ask) -> dict[str, tuple[str, str, str]]:
    """Read every memory that was written, not made by a job, without the help of the library: id → owner, state,
    content."""
    rows = ask("SELECT id, owner, state, content FROM memories WHERE kind <> 'summary'")
    return {memory_id: (owner, state, content) for memory_id, owner, state, content in rows}


def _hold_rows(book: Book, rows: dict[str, tuple[str, str, str]]) -> None:
    times = Counter(content.rsplit(" ", 1)[-1] for _, _, content in rows.values())
    for nonce, many in times.items():
        if nonce not in book.tried:
            book.problems.append(f"{nonce} is stored, and nobody wrote it")
        if many > 1:
            book.problems.append(f"{nonce} of {book.tried.get(nonce)} is stored {many} times")
    for memory_id, promise in book.promised.items():
        if memory_id not in rows:
            book.problems.append(f"{memory_id} ({promise.nonce}) was acknowledged and is not there")
            continue
        owner, state, content = rows[memory_id]
        if owner != owner_key(promise.owner) or not content.endswith(f" {promise.nonce}"):
            book.problems.append(f"{memory_id} does not hold what was written under it")
        if (state == "active") == (memory_id in book.gone) and not promise.key.startswith(SHARED):
            book.problems.append(f"{memory_id} ({promise.nonce}) should not be {state}")
        if memory_id in book.gone and state == "active":
            book.problems.append(f"{memory_id} was replaced or forgotten and is active again")


def _hold_revisions(book: Book, ask: Ask) -> None:
    sql = (
        "SELECT o.owner, o.rev, COUNT(DISTINCT j.rev), MIN(j.rev), MAX(j.rev) FROM owners o "
        "LEFT JOIN journal j ON j.owner = o.owner GROUP BY o.owner, o.rev"
    )
    for owner, rev, many, first, last in ask(sql):
        if (many, first, last) != (rev, 1, rev):
            book.problems.append(f"{owner} is at revision {rev}, its journal has {many} from {first} to {last}")
