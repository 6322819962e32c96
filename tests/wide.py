"""How much a test does: a part in every run, the whole with `make wide`."""

from __future__ import annotations

import os
from collections.abc import Collection
from zlib import crc32

SERVERS = ("postgresql", "mariadb")
EVERYWHERE = ("tests/acceptance/", "tests/front/", "tests/store/", "tests/find/")
"""The rooms whose tests run on all engines every time: what each engine must do, and the walks through all of it."""


def some(engines: tuple[str, ...]) -> tuple[str, ...]:
    """Give the engines a slow drill runs on: the first in every run, all with `make wide`."""
    return engines[: many(1, len(engines))]


def many(usual: int, wide: int) -> int:
    """Give how often something is tried."""
    return wide if os.environ.get("RECOLLECT_TEST_WIDE") else usual


def in_turn(id: str, ids: Collection[str]) -> bool:
    """Tell whether a test runs every time: those of other rooms take turns between the servers, half on each."""
    engine = next((one for one in SERVERS if one in id.partition("[")[2]), "")
    if not engine or many(0, 1) or id.startswith(EVERYWHERE) or "_walk.py" in id:
        return True
    first, second = (id.replace(engine, one) for one in SERVERS)
    return first not in ids or second not in ids or id == (first, second)[crc32(first.encode()) % 2]
