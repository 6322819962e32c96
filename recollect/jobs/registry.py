"""The jobs there are: every module of this folder that declares one."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.model.values import dataclass
from recollect.runtime import Runtime
from recollect.store.base import View

Body = Callable[[Runtime, Job], Report]
Planner = Callable[[Runtime, View, Job], Plan]
Preview = Callable[[Runtime, Job], Report | None]
"""Says what a run would do; None when the run asks nobody, so that it can be rehearsed."""


@dataclass(frozen=True, slots=True)
class Task:
    """One job's code: its name, what it is for, and how it is run.

    A planned job looks once and gives a `Plan`: the worker commits it together with the end of the run, so it needs no
    lease, happens once, and its dry run is its run without the commit. Any other has a body that runs under a lease
    and commits on its own, because it asks a model or works in many steps; its `preview` says what it would do.
    """

    name: str
    text: str
    plan: Planner | None = None
    body: Body | None = None
    preview: Preview | None = None
    system: bool = False
    """Whether it belongs to the database instead of an owner."""
    whole: bool = False
    """Whether a run without a key stands for all that keys can name."""


_declared: dict[str, Task] = {}


def planned(name: str, *, whole: bool = False) -> Callable[[Planner], Planner]:
    """Declare a function that plans the job of this name."""

    def declare(plan: Planner) -> Planner:
        _declared[name] = Task(name, _first_line(plan), plan=plan, whole=whole)
        return plan

    return declare


def job(
    name: str, *, preview: Preview | None = None, system: bool = False, whole: bool = False
) -> Callable[[Body], Body]:
    """Declare a function that runs the job of this name under a lease."""

    def declare(body: Body) -> Body:
        _declared[name] = Task(name, _first_line(body), body=body, preview=preview, system=system, whole=whole)
        return body

    return declare


def _first_line(function: Callable[..., object]) -> str:
    return (function.__doc__ or "").strip().splitlines()[0]


@cache
def tasks() -> dict[str, Task]:
    """Find every job by importing the modules beside this one, and those of the rooms below."""
    package = import_module("recollect.jobs")
    for module in pkgutil.walk_packages(package.__path__, "recollect.jobs."):
        import_module(module.name)
    return dict(sorted(_declared.items()))
