"""Settings that changed: what they say holds for what is there already, so the jobs they concern look at everybody."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from typing import Any

from recollect.config import Settings
from recollect.flows.life.follow_ups import LIFE, THOUGHT
from recollect.model.change import Enqueue, Write
from recollect.model.clock import LATEST
from recollect.model.owner import SYSTEM
from recollect.rules.life.schedule import TIMED, next_time, turned_off
from recollect.runtime import Runtime

PLAN = "plan"
"""The row of the database that tells under which settings its jobs were planned."""
TOGETHER = 200


def replan(runtime: Runtime, over: Callable[[], bool] = lambda: False) -> int:
    """Let jobs whose settings are not those of the last time look at every owner, each at its next time.

    Gives how many owners there were. Ended early by `over`, or killed, it begins anew the next time.
    """
    settings, now = runtime.settings, runtime.now()
    wanted, known = _marks(settings), _marks(Settings())
    with runtime.store.view() as view:
        row = view.job(SYSTEM, PLAN)
        known |= row.payload if row else {}
        changed = [name for name in TIMED if wanted[name] != known[name]]
        owners = iter(view.owners() if changed else ())
    names = [name for name in changed if name not in turned_off(settings.jobs) and getattr(settings.jobs, name)]
    many = 0
    while names and (some := list(islice(owners, TOGETHER))):
        if over():
            return many
        times = {owner: [(name, next_time(owner, name, now, settings.jobs)) for name in names] for owner in some}
        runtime.store.commit_all(
            [
                Write(owner=owner, at=now, node="jobs", changes=tuple(Enqueue(name, at) for name, at in due if at))
                for owner, due in times.items()
            ]
        )
        many += len(some)
    if changed:
        told = Enqueue(PLAN, LATEST, payload=wanted)
        runtime.store.commit(Write(owner=SYSTEM, at=now, node="jobs", changes=(told,)))
    return many


def _marks(settings: Settings) -> dict[str, str]:
    """Give for each job a mark of all settings that decide when it has something to do."""
    jobs = settings.jobs
    life: tuple[Any, ...] = (asdict(settings.retention), asdict(settings.lifecycle))
    models = (settings.llm, settings.models.reasoning, settings.models.summarizer, settings.models.judge)
    told: dict[str, tuple[Any, ...]] = {
        **dict.fromkeys((*LIFE, "purge"), life),
        "trim": (asdict(settings.record),),
        "archive": (asdict(settings.archive),),
        **dict.fromkeys(THOUGHT, models),
        "curate": (*models, settings.workspace.curated_characters, settings.workspace.curate_characters),
    }
    return {
        name: _mark((getattr(jobs, name), jobs.timezone, jobs.stagger_minutes, *told.get(name, ()))) for name in TIMED
    }


def _mark(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
