"""The heartbeat of a run: its lease is renewed for as long as it works."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from recollect.errors import Closed, Conflict, StoreError
from recollect.model.change import Extend, Write
from recollect.model.job import Job
from recollect.runtime import Runtime

SHARE = 3.0
"""How many times a lease is renewed before it would have run out."""


@contextmanager
def beating(runtime: Runtime, held: Job) -> Iterator[None]:
    """Renew the lease of a job while the block runs; when it is lost, the job's own commits will tell."""
    done = threading.Event()
    pulse = threading.Thread(target=_beat, args=(runtime, held, done), name=f"recollect-beat-{held.name}", daemon=True)
    pulse.start()
    try:
        yield
    finally:
        done.set()
        pulse.join()


def _beat(runtime: Runtime, held: Job, done: threading.Event) -> None:
    seconds = runtime.settings.jobs.lease_seconds
    while not done.wait(seconds / SHARE):
        now = runtime.now()
        longer = Extend(held.name, held.key, held.lease_token, now + timedelta(seconds=seconds))
        try:
            runtime.store.commit(Write(owner=held.owner, at=now, node="jobs", changes=(longer,)))
        except (Conflict, Closed):  # somebody else has it by now, or this process is ending
            return
        except StoreError:  # the database is away for a moment: the next beat may come in time
            continue
