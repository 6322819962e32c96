"""Sixty days of ten lives on a simulated clock: what must hold holds every day, and every engine lives the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

from recollect.testing.life import JOBS, Lives
from tests.engines import apart

DAYS, COMPARED = 60, 20
"""How long the lives last, and after how many days the engines are compared: `python -m bench.life` goes on."""
SHORT = {"ttl_days": 20.0, "purge_days": 10.0}
"""Sixty days are too few for the usual numbers to come round."""


def lived(url: str, days: int) -> tuple[str, dict[str, int]]:
    """Live in an empty database; give the digest of its export after some days, and what happened until the last."""
    lives, digest = Lives(url, lifecycle=SHORT), ""
    for day in range(1, days + 1):
        lives.day()
        if day == COMPARED:
            digest = hashlib.sha256(lives.export().encode()).hexdigest()
    assert all(finding.ok for finding in lives.rc.doctor())
    lives.close()
    return digest, dict(lives.counts)


def test_sixty_days(tmp_path: Path) -> None:
    """No day breaks a rule, every job has something to do, and the three engines hold the same on the way."""
    first, counts = lived(apart("sqlite", tmp_path), DAYS)
    assert all(counts[f"{job} changed"] > 0 for job in (*JOBS, "consolidate"))
    assert all(counts[verb] > 10 for verb in ("talk", "save", "read", "change", "restore", "propose"))
    for engine in ("postgresql", "mariadb"):
        assert lived(apart(engine, tmp_path), COMPARED)[0] == first
