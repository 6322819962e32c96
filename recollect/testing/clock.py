"""A clock that moves only when told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class FixedClock:
    """Stands at one moment until it is advanced; pass it as `Recollect(clock=...)`."""

    def __init__(self, start: datetime = START) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, **step: float) -> datetime:
        """Move by `days=`, `hours=`, `minutes=` or any other part of a timedelta; give the new moment."""
        self.moment += timedelta(**step)
        return self.moment
