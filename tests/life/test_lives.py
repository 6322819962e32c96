"""Weeks of several lives on a simulated clock: what must hold holds every day, and every engine lives the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

from recollect.testing.life import JOBS, Lives
from tests.engines import apart
from tests.wide import many

DAYS, PEOPLE = 29, many(2, 6)
SHORT = {"ttl_days": 8.0, "purge_days": 4.0, "forget_below": 0.35}
"""These days are too few for the usual numbers to come round; `bench.life` lives for as long as it is told to."""


def lived(url: str) -> tuple[str, dict[str, int]]:
    """Live all days in an empty database; give the digest of its export, and what happened."""
    lives = Lives(url, PEOPLE, lifecycle=SHORT)
    for _ in range(DAYS):
        lives.day()
    assert all(finding.ok for finding in lives.rc.doctor())
    digest = hashlib.sha256(lives.export().encode()).hexdigest()
    lives.close()
    return digest, dict(lives.counts)


def test_weeks_of_lives(tmp_path: Path) -> None:
    """No day breaks a rule, every job has something to do, and the three engines export the same at the end."""
    first, *others = (lived(apart(engine, tmp_path)) for engine in ("sqlite", "postgresql", "mariadb"))
    assert all(first[1][f"{job} changed"] > 0 for job in (*JOBS, "consolidate"))
    assert all(first[1][verb] > many(2, 10) for verb in ("talk", "save", "read", "change", "restore", "propose"))
    assert others == [first, first]
