"""For us and for others: a clock that stands still, and the contract every storage engine is tested against.

`recollect.testing.contract` needs pytest; it is imported by the tests that inherit it and by nothing else.
"""

from __future__ import annotations

from recollect.testing.clock import FixedClock

__all__ = ["FixedClock"]
