"""Job: what should happen later."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.model.change import Change
from recollect.model.expectation import Expectation
from recollect.model.receipt import Report
from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the job table: whose, which, when due, and who holds it."""

    owner: str
    name: str
    key: str
    due_at: datetime
    lease_token: str
    lease_until: datetime | None
    attempts: int
    payload: Mapping[str, Any]
    last_run: datetime | None
    last_report: Mapping[str, Any] | None
    state: str = ""
    """How it stands: running, due, waiting, paused or dead; empty where it was not asked for."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a job would do, found out in one look: applied whole in one commit, or only shown."""

    report: Report
    changes: tuple[Change, ...] = ()
    expect: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something `doctor` found: what is wrong, how often, and what mends it."""

    check: str
    ok: bool
    count: int
    text: str
    fix: str
