"""One process of a drill: it writes and reads until its time is up, its parent is gone, or it is killed."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path
from time import monotonic, perf_counter

from bench.acts import Act, Author, carry_out
from bench.ledger import Log, lines
from recollect import Recollect
from recollect.model.receipt import Receipt


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
    """What the process does, and the log it keeps."""

    def __init__(self, memory: Recollect, author: Author, log: Log) -> None:
        self.memory = memory
        self.author = author
        self.log = log

    def write(self, act: Act, again: bool = False) -> None:
        """Carry out one act and log the answer, whatever it is."""
        if not again:
            self.log.trying(act)
        begun = perf_counter()
        try:
            receipts = carry_out(self.memory, act)
        except Exception as error:  # noqa: BLE001  the drill is about what reaches a caller
            self.log.error(f"{act.request} {act.verb}", error)
            return
        self.log.done(act, receipts, perf_counter() - begun, again)
        if not again:
            self.author.learn(act, receipts)

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
            self.log.error(f"reading {nonce}", error)


def main() -> None:
    """Run one hand as the drill's command line says."""
    parser = argparse.ArgumentParser()
    for name in ("--db", "--logs", "--line", "--owners"):
        parser.add_argument(name, required=True)
    parser.add_argument("--life", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--reads", type=float, default=0.0)
    parser.add_argument("--shared", action="store_true")
    given = parser.parse_args()
    guard(given.seconds + 180)
    folder = Path(given.logs)
    earlier = sorted(folder.glob(f"{given.line}-*.jsonl"))
    log = Log(folder / f"{given.line}-{given.life:05}.jsonl")
    author = Author(f"{given.line}l{given.life}", given.line, given.owners.split(","), given.shared, given.seed)
    never, done = last_acts(earlier, author)
    hand = Hand(Recollect(given.db), author, log)
    with hand.memory:
        if never is not None:
            hand.write(never)
        if done is not None:
            hand.write(done, again=True)
        end, told = monotonic() + given.seconds, False
        while monotonic() < end:
            hand.write(author.next())
            if not told:
                told = bool(os.write(sys.stdout.fileno(), b"writing\n"))
            if author.whim(given.reads):
                hand.look()


if __name__ == "__main__":
    main()
