"""How long the record of what happened is kept."""

from __future__ import annotations

from recollect.model.values import bounded, dataclass


@dataclass(frozen=True, slots=True)
class RecordPolicy:
    """How long the record of what happened is kept; for memories themselves see `lifecycle` and `retention`."""

    events: bool = True
    """Note searches, verdicts, skips and failures, without any text, for `recollect stats`."""
    events_days: int = 30
    """After how many days events are cut."""
    calls: bool = False
    """Keep what models were asked and what they answered, without secrets, for the owner to read and erase."""
    calls_days: int = bounded(7, least=1)
    """After how many days what models were asked is cut."""
    journal_days: int = bounded(0)
    """After how many days journal lines of no living memory are cut: purged ones, receipts, runs; 0: never."""
