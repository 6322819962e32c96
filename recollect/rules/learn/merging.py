"""Finding what may be one: which memories are looked at every night, and how many pairs the judges are given."""

from __future__ import annotations

from recollect.model.values import bounded, dataclass


@dataclass(frozen=True, slots=True)
class MergingPolicy:
    """Which memories are held against their neighbours at night."""

    changed_hours: float = bounded(72.0)
    """What was made or changed in this time is looked at."""
    importance: int = bounded(6, 1, 11)
    """From this importance on a memory is looked at however old it is."""
    used_most: float = bounded(0.1, 0, 1)
    """Which share of the memories, those used most, is looked at too."""
    updated_days: float = bounded(90.0)
    """Both of a pair must have been changed within this time."""
    pool: int = bounded(500, 1, 5000)
    """How many memories a run looks at, at most."""
    pairs: int = bounded(50, 0, 1000)
    """How many pairs a day are brought before the judges, for an owner."""
