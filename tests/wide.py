"""How much a test does: a part in every run, the whole with `make wide`."""

from __future__ import annotations

import os


def some(engines: tuple[str, ...]) -> tuple[str, ...]:
    """Give the engines a slow drill runs on: the first in every run, all with `make wide`."""
    return engines[: many(1, len(engines))]


def many(usual: int, wide: int) -> int:
    """Give how often something is tried."""
    return wide if os.environ.get("RECOLLECT_TEST_WIDE") else usual
