"""Sixty days of ten lives on a simulated clock: what must hold holds every day, and every engine lives the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

from recollect.testing.life import JOBS, Lives
from tests.engines import apart

DAYS = 60
SHORT = {"ttl_days": 20.0, "purge_days": 10.0}
"""Sixty days are too few for the usual numbers to come round."""


def lived(url: str) -> tuple[str, dict[str, int]]:
    """Live all days in an empty database; give the digest of its export, and what happened."""
    lives = Lives(url, lifecycle=SHORT)
    for _ in range(DAYS):
        lives.day()
    assert all(finding.ok for finding in lives.rc.doctor())
    digest = hashlib.sha256(lives.export().encode()).hexdigest()
    lives.close()
    return digest, dict(lives.counts)


def test_sixty_days(tmp_path: Path) -> None:
    """No day breaks a rule, every job has something to do, and the three engines export the same at the end."""
    first, *others = (lived(apart(engine, tmp_path)) for engine in ("sqlite", "postgresql", "mariadb"))
    assert all(first[1][f"{job} changed"] > 0 for job in (*JOBS, "consolidate"))
    assert all(first[1][verb] > 10 for verb in ("talk", "save", "read", "change", "restore", "propose"))
    assert others == [first, first]
