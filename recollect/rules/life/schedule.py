"""When a job runs: cron times, each owner at a moment of its own, and how long a failure waits."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from recollect.model.clock import LATEST
from recollect.model.job import Job
from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class JobsPolicy:
    """When jobs run, as cron times, and how the worker goes about them."""

    age: str = "0 */6 * * *"
    """Moving what is old from the short tier to the long one. Opening a session asks for it too."""
    enrich: str = "0 2 * * *"
    """Reading memories again for the people, places and things they name."""
    consolidate: str = "0 3 * * *"
    """Working through conversations that nobody ended."""
    relate: str = "30 3 * * *"
    """Renewing the links of memories that changed."""
    forget: str = "0 4 * * *"
    """Putting facts out of sight that nobody used until they became doubtful."""
    ttl: str = "20 4 * * *"
    """Putting out of sight what was not used for long and matters little, with a date to go for good."""
    purge: str = "40 4 * * *"
    """Removing for good what has reached that date."""
    trim: str = "0 5 * * *"
    """Cutting old lines off the journal and the events."""
    archive: str = "20 5 * * *"
    """Moving texts of an owner who has very much into the archive, where one is set."""
    merge: str = "50 3 * * *"
    """Finding what may be one, for the judges."""
    reflect: str = "0 3 * * 0"
    """Looking back on the week with a model."""
    infer: str = "40 2 * * *"
    """Asking a model what somebody seems to feel and prefer."""
    portray: str = "30 2 * * *"
    """Writing a few sentences with a model about people, projects, places and things that matter."""
    curate: str = "10 */6 * * *"
    """Writing the digest in the head of MEMORY.md with a model, for those who use a workspace."""
    timezone: str = "UTC"
    """Where these times are told, such as `Europe/Lisbon`."""
    stagger_minutes: float = 60.0
    """Over how long after a time the owners are spread, so that they do not all wake at once."""
    lease_seconds: float = 60.0
    """How long a worker that died keeps a job from the others; one that lives renews it."""
    retry_seconds: float = 60.0
    """How long a job waits after its first failure; each further one doubles it."""
    attempts: int = 8
    """After how many failures in a row a job is put aside, until somebody runs it or new work comes."""
    threads: int = 2
    """How many jobs one worker runs at once, of different owners."""
    poll_seconds: float = 1.0
    """How often a worker with nothing to do looks for work."""
    rest: float = 0.85
    """Which share of its time a busy worker leaves to others, 0 to 0.95."""
    stop_seconds: float = 60.0
    """How long a worker that is told to stop waits for what it runs; what is not done by then is run again later."""


TIMED: tuple[str, ...] = (
    "age",
    "enrich",
    "consolidate",
    "relate",
    "forget",
    "ttl",
    "purge",
    "trim",
    "archive",
    "merge",
    "reflect",
    "infer",
    "portray",
    "curate",
)
"""The jobs that have a time."""
_BOUNDS = (("lease_seconds", 0.1, 86_400), ("threads", 1, 64), ("poll_seconds", 0.01, 3600), ("rest", 0, 0.95))
LONGEST_WAIT = timedelta(hours=6)


def next_time(owner: str, name: str, after: datetime, policy: JobsPolicy) -> datetime | None:
    """Give the next time of an owner's job strictly after a moment; None for a job without one, or set to empty."""
    cron = getattr(policy, name) if name in TIMED else ""
    if not cron:
        return None
    late = _offset(owner, name, policy.stagger_minutes)
    # Cron counts in minutes: what lies within one has the same next time.
    return _next(cron, policy.timezone, (after - late).replace(second=0, microsecond=0)) + late


def turned_off(policy: JobsPolicy) -> frozenset[str]:
    """Give the jobs whose time is set to empty. What a new session asks for is asked for all the same."""
    return frozenset(name for name in TIMED if not getattr(policy, name) and name != "consolidate")


def wait_after(failures: int, policy: JobsPolicy) -> timedelta:
    """Give how long a job waits after so many failures in a row."""
    seconds = policy.retry_seconds * 2.0 ** min(max(failures, 1) - 1, 20)
    return min(LONGEST_WAIT, timedelta(seconds=seconds))


def wait_again(job: Job, policy: JobsPolicy) -> timedelta:
    """Give how long a job waits that was skipped: twice as long as it did if it was skipped the last time, too."""
    skipped = (job.last_report or {}).get("status") == "skipped"
    waited = job.due_at - job.last_run if skipped and job.last_run else timedelta()
    return min(LONGEST_WAIT, max(wait_after(1, policy), 2 * waited))


def standing(job: Job, now: datetime, paused: Collection[str]) -> str:
    """Say how a job stands: held by a worker, put aside after too many failures, paused, due, or waiting."""
    if job.lease_until is not None and job.lease_until > now:
        return "running"
    if job.due_at >= LATEST:
        return "dead"
    if job.name in paused:
        return "paused"
    return "due" if job.due_at <= now else "waiting"


def problem(policy: JobsPolicy) -> str:
    """Say which time or place cannot be read; empty when all can."""
    try:
        zone = ZoneInfo(policy.timezone)
    except (KeyError, ValueError, OSError):
        return f"jobs.timezone is {policy.timezone!r}: use a name such as UTC or Europe/Lisbon"
    for name, least, most in _BOUNDS:
        if not least <= getattr(policy, name) <= most:
            return f"jobs.{name} is {getattr(policy, name)}: it must be from {least} to {most}"
    for knob in fields(policy):
        cron = getattr(policy, knob.name)
        if knob.name in TIMED and cron:
            try:
                _simulated(cron, datetime(2026, 1, 1, tzinfo=zone))
            except CronSimError as error:
                reason = f"{error}: write five fields as cron does, such as '0 4 * * *', or nothing"
                return f"jobs.{knob.name} is {cron!r}: {reason}"
            except StopIteration:
                return f"jobs.{knob.name} is {cron!r}: that day never comes; leave it empty to turn the job off"
    return ""


@lru_cache(maxsize=4096)
def _offset(owner: str, name: str, minutes: float) -> timedelta:
    share: float = int.from_bytes(hashlib.blake2b(f"{owner}\n{name}".encode(), digest_size=6).digest()) / 2**48
    return timedelta(seconds=int(share * minutes * 60))


@lru_cache(maxsize=4096)
def _next(cron: str, zone: str, after: datetime) -> datetime:
    return _simulated(cron, after.astimezone(ZoneInfo(zone))).astimezone(UTC)


def _simulated(cron: str, after: datetime) -> datetime:
    return next(CronSim(cron, after))
