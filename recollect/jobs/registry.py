"""The jobs there are: every module of this folder that declares one."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime

Body = Callable[[Runtime, Job], Report]


@dataclass(frozen=True, slots=True)
class Task:
    """One job's code: its name, what it is for, and whether it belongs to an owner or to the database."""

    name: str
    text: str
    body: Body
    system: bool
    whole: bool = False
    """Whether a run without a key stands for all that keys can name."""


_declared: dict[str, Task] = {}


def job(name: str, *, system: bool = False, whole: bool = False) -> Callable[[Body], Body]:
    """Declare a function to be the job of this name."""

    def declare(body: Body) -> Body:
        text = (body.__doc__ or "").strip().splitlines()[0]
        _declared[name] = Task(name, text, body, system, whole)
        return body

    return declare


@cache
def tasks() -> dict[str, Task]:
    """Find every job by importing the modules beside this one."""
    package = import_module("recollect.jobs")
    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in ("registry", "worker"):
            import_module(f"recollect.jobs.{module.name}")
    return dict(sorted(_declared.items()))
