"""How much a test does: a part in every run, the whole with `make wide`."""

from __future__ import annotations

import os


def many(usual: int, wide: int) -> int:
    """Give how often something is tried."""
    return wide if os.environ.get("RECOLLECT_TEST_WIDE") else usual
