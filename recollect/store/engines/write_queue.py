"""Taking turns: processes that write to one file queue at its write-ahead log instead of racing for the lock.

SQLite's own waiting sleeps ever longer, up to a tenth of a second, so whoever has just written wins again and
one process can wait for seconds. Here only the first in the queue asks SQLite, and asks often. The queue is a
courtesy: SQLite's lock alone keeps writers apart, so waiting for a turn is bounded and may fail.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

if sys.platform != "win32":
    import fcntl

LONGEST = 1.0
PAUSE = 0.001


class WriteQueue:
    """One process's place at the turnstile: a lock the kernel takes back when the process dies.

    It is on the `-wal` file because that is there for as long as anybody has the database open, needs no
    rights beyond those to the database, and SQLite itself puts no lock on it.
    """

    def __init__(self, log: Path) -> None:
        self._file = -1
        with suppress(OSError):
            self._file = os.open(log, os.O_RDONLY)

    def size(self) -> int:
        """Give the size of the log in bytes."""
        return os.fstat(self._file).st_size if self._file >= 0 else 0

    def close(self) -> None:
        """Let the file go; harmless when done twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    if sys.platform != "win32":

        def take(self) -> bool:
            """Hold the turnstile while asking for the write lock; after a second of waiting, go on without."""
            deadline = monotonic() + LONGEST
            while self._file >= 0:
                try:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return True
                except BlockingIOError:
                    if monotonic() > deadline:
                        return False
                except OSError:  # a file system without such locks
                    return False
                sleep(PAUSE)
            return False

        def give(self) -> None:
            """Let the next one go."""
            fcntl.flock(self._file, fcntl.LOCK_UN)

    else:

        def take(self) -> bool:
            """Take nothing: there is no such lock here."""
            return False

        def give(self) -> None:
            """Nothing was taken."""
