"""A switch that spares everybody the wait for an endpoint that is down."""

from __future__ import annotations

import threading
from collections.abc import Callable

FAILURES = 3
FIRST_PAUSE = 30.0
LONGEST_PAUSE = 600.0


class Switch:
    """Off after three failures in a row; then one request at a time tries again, after pauses that double."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._next = 0.0
        self._trying = False

    @property
    def off(self) -> bool:
        """Whether it is off, so that a request let through is a try."""
        return self._failures >= FAILURES

    def wait(self) -> float:
        """Give the seconds until the next try; 0 lets this request through."""
        with self._guard:
            if not self.off:
                return 0.0
            now = self._clock()
            if now < self._next:
                return self._next - now
            # Whoever comes meanwhile is told to wait; should the try never end, the next one comes all the same.
            self._trying, self._next = True, now + self._pause
            return 0.0

    def worked(self) -> None:
        """Note a success: it is on, and the failures are forgotten."""
        with self._guard:
            self._reset()

    def failed(self) -> None:
        """Note a failure; the third in a row turns it off, and a try that failed doubles the pause."""
        with self._guard:
            if self.off and not self._trying:
                return  # a request that was on its way when it was turned off
            if self._trying:
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._failures += 1
            self._trying = False
            self._next = self._clock() + self._pause
