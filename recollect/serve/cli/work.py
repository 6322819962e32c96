"""The worker as a process of its own."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from recollect.jobs.worker import Totals, Worker
from recollect.model.receipt import Report
from recollect.model.values import plain
from recollect.serve.cli.exits import OK
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Base, opened
from recollect.serve.cli.render import emit, note, show_reports


@command(CARING, "recollect worker --db postgresql://db/memory, or from a script: recollect worker --once --json")
def worker(
    place: Base,
    once: Annotated[bool, typer.Option("--once", help="End when nothing more is due.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Tell only of what failed, and the totals.")] = False,
) -> int:
    """Run what is due, for all users, until it is told to stop (SIGTERM or Ctrl-C): what runs is finished first."""

    def told(report: Report) -> None:
        if quiet and report.status != "failed":
            return
        if place.as_json:
            emit(report.to_json(), line=True)
        else:
            show_reports([report], whose=True)

    with _until_told() as ending, opened(place, existing=True) as memory:
        working = ending.of(memory.worker(told))
        if not place.as_json:
            note("working; Ctrl-C ends it" if not once else "working until nothing is due")
        totals = working.run(once=once)
    _end(totals, as_json=place.as_json)
    return OK


def _end(totals: Totals, *, as_json: bool) -> None:
    if as_json:
        emit({"totals": plain(totals)}, line=True)
    else:
        failed = f", {totals.failed} failed" if totals.failed else ""
        note(f"{totals.runs:,} runs, {totals.changed:,} changes, {totals.skipped:,} skipped{failed}")


class _Ending:
    """Remembers that somebody asked for the end, and asks the worker, from when there is one."""

    def __init__(self) -> None:
        self._asked = False
        self._working: Worker | None = None

    def of(self, working: Worker) -> Worker:
        """Take the worker that shall end; it may have been asked for before."""
        self._working = working
        if self._asked:
            working.ask_to_stop()
        return working

    def ask(self) -> None:
        """Ask for the end."""
        self._asked = True
        if self._working is not None:
            self._working.ask_to_stop()


@contextmanager
def _until_told() -> Iterator[_Ending]:
    """Let the first signal ask the worker to stop, even while it starts; a second one ends the program at once."""
    ending = _Ending()

    def ask(number: int, frame: FrameType | None) -> None:
        signal.signal(number, before[signal.Signals(number)])
        ending.ask()

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
