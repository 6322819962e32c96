"""Filling a database fast: a few owners are made by the verbs, and loaded under many names as an import would.

    python -m bench.fill URL OWNERS MESSAGES

All rows, the index and the journal are as the verbs make them; only the way in is the import's.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bench.corpus import Corpus
from recollect import Recollect
from recollect.flows.loading import Loader
from recollect.flows.transfer import NAMES
from recollect.model.owner import owner_key

TEMPLATES = 5
THREADS = 2
SESSION = 100
FACTS = 30
TABLE_OF = {name: table for table, name in NAMES.items()}
Rows = list[tuple[str, dict[str, Any]]]


def corpus_of(number: int) -> Corpus:
    """Give one owner's source of texts; all have the same statistics, each of a few its own words."""
    return Corpus(1000 + number % TEMPLATES)


def speak(memory: Recollect, number: int, messages: int) -> None:
    """Give one owner its messages and some facts, through the verbs."""
    corpus = corpus_of(number)
    space = memory.space(f"user{number}", session="s0")
    for at in range(messages):
        if at % SESSION == 0:
            space = memory.space(f"user{number}", session=f"s{at // SESSION}")
        space.observe("user" if at % 2 == 0 else "assistant", corpus.message())
    space.remember_many([{"content": corpus.message(), "importance": 3 + at % 7} for at in range(FACTS)])


def templates(owners: int, messages: int) -> list[Rows]:
    """Make a few owners in a file and give their rows as an export has them."""
    made: list[Rows] = []
    with tempfile.TemporaryDirectory(prefix="recollect-fill-") as folder, Recollect(f"{folder}/memory.db") as memory:
        for number in range(min(TEMPLATES, owners)):
            speak(memory, number, messages)
            out = io.StringIO()
            memory.space(f"user{number}").export(out)
            made.append([row for line in out.getvalue().splitlines() if (row := _row(json.loads(line)))])
    return made


def _row(line: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    table = TABLE_OF.get(line.pop("type"))
    return (table, {("type" if name == "of_type" else name): line[name] for name in line}) if table else None


def fill(memory: Recollect, owners: int, made: list[Rows], tick: Callable[[], None]) -> None:
    """Load the owners; while one thread waits for the database, the other splits texts into words."""
    waiting = iter(range(owners))
    guard = threading.Lock()
    failed: list[BaseException] = []

    def work() -> None:
        loader = Loader(memory._runtime)
        try:
            while not failed:
                with guard:
                    number = next(waiting, None)
                if number is None:
                    return
                loader.start(owner_key(f"user{number}"))
                for table, row in made[number % TEMPLATES]:
                    loader.add(table, row)
                loader.finish()
                tick()
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def main() -> int:
    """Fill an empty database and print how many memories went in per second."""
    url, owners, messages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress, Recollect(url) as memory:
        if memory.owners():
            print("the database is not empty: give the benchmark one of its own", file=sys.stderr)
            return 2
        task = progress.add_task(f"filling {owners} owners", total=owners)
        made = templates(owners, messages)
        begun = perf_counter()
        fill(memory, owners, made, lambda: progress.advance(task))
        print(round(owners * (messages + FACTS) / (perf_counter() - begun)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
