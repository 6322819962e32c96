"""Waiting and measuring that do not hang on the hour: a busy machine makes a test slow, and never makes it fail."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from tempfile import TemporaryFile
from threading import Timer
from time import monotonic, process_time, sleep
from typing import Any

PATIENCE = 300.0
"""How many seconds a test waits at the very most; only what never comes at all takes that long."""
TRIES = 5


def until(happened: Callable[[], object]) -> bool:
    """Wait for something to happen, as long as it takes; False when it never does."""
    end = monotonic() + PATIENCE
    while not (done := happened()) and monotonic() < end:
        sleep(0.01)
    return bool(done)


def cpu(work: Callable[[], object]) -> float:
    """Give the seconds of computing that a piece of work takes, without what others took meanwhile."""
    begun = process_time()
    work()
    return process_time() - begun


def outgrows(rule: Callable[[str], object], unit: str, sizes: tuple[int, int], share: float, least: float) -> bool:
    """Tell whether a rule takes longer for a longer text of the same unit than its length explains.

    Both lengths are computed in turn and held against each other; what takes no more than `share` times its due in one
    try of several has not outgrown it. A small text counts as `least` seconds, so that noise is not multiplied.
    """
    small, large = ((unit * (size // len(unit) + 1))[:size] for size in sizes)
    for _ in range(TRIES):
        due = max(cpu(lambda: rule(small)), least) * sizes[1] / sizes[0]
        if cpu(lambda: rule(large)) <= due * share:
            return False
    return True


def all_at_once(programs: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Run Python programs that say `ready` and then read a line: none gets it before all are ready; give what they say.

    What a program prints before it is ready is left off.
    """
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with ExitStack() as open_files:
        errors = [open_files.enter_context(TemporaryFile("w+")) for _ in programs]  # a pipe nobody reads would fill up
        running = [
            subprocess.Popen([sys.executable, "-c", *one], text=True, stderr=file, **pipes)
            for one, file in zip(programs, errors, strict=True)
        ]
        late = Timer(PATIENCE, _kill, [running])
        late.start()
        try:
            for process in running:
                assert process.stdout is not None
                any(line == "ready\n" for line in process.stdout)
            for process in running:
                assert process.stdin is not None
                process.stdin.write("\n")
                process.stdin.flush()
            said = [process.communicate()[0] for process in running]
        finally:
            late.cancel()
            _kill(running)
        for file in errors:
            file.seek(0)
        return [(out, file.read()) for out, file in zip(said, errors, strict=True)]


def _kill(running: Sequence[subprocess.Popen[str]]) -> None:
    """End what still runs."""
    for process in running:
        process.kill()
