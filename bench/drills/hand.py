"""One process of a drill: it writes and reads until its time is up, its parent is gone, or it is killed."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, perf_counter, sleep

from bench.drills.acts import Act, Author, carry_out
from bench.drills.ledger import Log, lines
from recollect import Recollect
from recollect.errors import Unavailable
from recollect.model.receipt import Receipt

PAUSE = 0.05


def guard(seconds: float) -> None:
    """End this process when the parent lets go of the pipe, or when it has run far too long."""

    def watch() -> None:
        os.read(sys.stdin.fileno(), 1)
        os._exit(3)

    threading.Thread(target=watch, daemon=True).start()
    late = threading.Timer(seconds, os._exit, args=(4,))
    late.daemon = True
    late.start()


def last_acts(logs: list[Path], author: Author) -> tuple[Act | None, Act | None]:
    """Learn from earlier lives; give the act that was never acknowledged and the last one that was."""
    open_act: Act | None = None
    done: Act | None = None
    for path in logs:
        for line in lines(path):
            if "try" in line:
                open_act = Act.read(line["try"])
            elif "ack" in line:
                done = Act.read(line["ack"])
                author.learn(done, [Receipt.from_json(one) for one in line["receipts"]])
                open_act = None if open_act == done else open_act
    return open_act, done


class Hand:
    """What the process does, and the log it keeps. A patient one tries again when the server is away."""

    def __init__(self, memory: Recollect, author: Author, log: Log, patient: bool = False) -> None:
        self.memory = memory
        self.author = author
        self.log = log
        self.patient = patient

    def write(self, act: Act, again: bool = False) -> None:
        """Carry out one act and log the answer, whatever it is."""
        if not again:
            self.log.trying(act)
        begun = perf_counter()
        try:
            receipts = self._until_answered(act)
        except Exception as error:  # noqa: BLE001  the drill is about what reaches a caller
            self.log.error(f"{act.request} {act.verb}", error)
            return
        self.log.done(act, receipts, perf_counter() - begun, again)
        if not again:
            self.author.learn(act, receipts)

    def _until_answered(self, act: Act) -> list[Receipt]:
        while True:
            try:
                return carry_out(self.memory, act)
            except Unavailable as error:
                if not self.patient:
                    raise
                self.log.refused(error)
                sleep(PAUSE)

    def look(self) -> None:
        """Find something this writer was promised, and build a context."""
        asked = self.author.question()
        if asked is None:
            return
        owner, kind, nonce = asked
        begun = perf_counter()
        try:
            hits = self.memory.space(owner).recall(nonce, limit=3, kinds=[kind])
            self.log.read(perf_counter() - begun)
            if not any(nonce in hit.memory.content for hit in hits):
                raise LookupError(f"{nonce} was acknowledged and is not recalled")
            self.memory.space(owner).context(nonce)
        except Exception as error:  # noqa: BLE001  the drill is about what reaches a caller
            if self.patient and isinstance(error, Unavailable):
                self.log.refused(error)
            else:
                self.log.error(f"reading {nonce}", error)

    def live(self, seconds: float, reads: float) -> None:
        """Write, and look now and then, until the time is up."""
        end, told = monotonic() + seconds, False
        while monotonic() < end:
            self.write(self.author.next())
            if not told:
                told = bool(os.write(sys.stdout.fileno(), b"writing\n"))
            if self.author.whim(reads):
                self.look()


def work(memory: Recollect, log: Log, seconds: float) -> None:
    """Run what is due, again and again, as a worker does."""
    end = monotonic() + seconds
    while monotonic() < end:
        try:
            log.ran(memory.run_jobs())
        except Unavailable as error:
            log.refused(error)
        except Exception as error:  # noqa: BLE001  the drill is about what reaches a caller
            log.error("running jobs", error)
        sleep(PAUSE)


def open_patiently(db: str, days_back: float, log: Log, patient: bool) -> Recollect:
    """Open the database with a clock that may be some days slow; a patient process waits for its server."""
    slow = timedelta(days=days_back)
    while True:
        try:
            return Recollect(db, embedder="none", clock=lambda: datetime.now(UTC) - slow)
        except Unavailable as error:
            if not patient:
                raise
            log.refused(error)
            sleep(PAUSE)


def main() -> None:
    """Run one hand as the drill's command line says."""
    parser = argparse.ArgumentParser()
    for name in ("--db", "--logs", "--line", "--owners"):
        parser.add_argument(name, required=True)
    for name, default in (("--life", 0), ("--seed", 1), ("--sessions", 0)):
        parser.add_argument(name, type=int, default=default)
    for name, least in (("--seconds", 60.0), ("--reads", 0.0), ("--days-back", 0.0)):
        parser.add_argument(name, type=float, default=least)
    for name in ("--shared", "--patient", "--work"):
        parser.add_argument(name, action="store_true")
    given = parser.parse_args()
    guard(given.seconds + 180)
    folder = Path(given.logs)
    earlier = sorted(folder.glob(f"{given.line}-*.jsonl"))
    log = Log(folder / f"{given.line}-{given.life:05}.jsonl")
    with open_patiently(given.db, given.days_back, log, given.patient) as memory:
        if given.work:
            work(memory, log, given.seconds)
            return
        name, owners = f"{given.line}l{given.life}", given.owners.split(",")
        author = Author(name, given.line, owners, given.shared, given.seed, given.sessions)
        never, done = last_acts(earlier, author)
        hand = Hand(memory, author, log, given.patient)
        if never is not None:
            hand.write(never)
        if done is not None:
            hand.write(done, again=True)
        hand.live(given.seconds, given.reads)


if __name__ == "__main__":
    main()
