"""The public face: its names as a value, what importing costs, and the tree of errors."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import Receipt, errors
from recollect.front.facets import Inbox, Jobs, OwnerJobs

NAMES = [
    "KINDS", "OFF", "Activity", "Answer", "Answered", "AsyncRecollect", "AsyncSpace", "AsyncTools", "Closed",
    "ConfigError", "Conflict", "Context", "Entity", "Entry", "Explanation", "Finding", "Hit", "InvalidInput", "Job",
    "Kind", "Link", "Memory", "NewerSchema", "NotADatabase", "NotFound", "Notice", "Outdated", "Page", "Pending",
    "Profile", "Receipt", "Recollect", "RecollectError", "Report", "Session", "Signal", "Space", "Stats", "StoreError",
    "Subscription", "Tools", "Unavailable", "connect", "connect_async", "wrap",
]  # fmt: skip
HEAVY = ("typer", "rich", "pydantic", "numpy", "pytest", "hypothesis", "platformdirs", "pydantic_ai", "openai")


def test_names() -> None:
    """The public names are these and no others, and all of them are there."""
    assert recollect.__all__ == NAMES
    assert all(hasattr(recollect, name) for name in NAMES)
    assert re.fullmatch(r"\d+\.\d+\.\d+", recollect.__version__)


def test_importing_is_light() -> None:
    """Importing loads a handful of modules, none of them heavy; `python -m bench.startup` says how long it takes."""
    code = (
        "import sys; before = len(sys.modules); import recollect; print(len(sys.modules) - before)\n"
        f"print(*(name for name in {HEAVY!r} if name in sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded, heavy = told.split("\n")[:2]
    assert heavy == ""
    assert int(loaded) < 60


def test_using_the_default_loads_no_doors(tmp_path: object) -> None:
    """A whole round trip with a URL and no settings needs neither pydantic nor the command line's libraries."""
    code = (
        "import sys; from recollect import Recollect\n"
        "with Recollect(sys.argv[1]) as rc: rc.space('ana').remember('Tea.'); rc.space('ana').recall('tea')\n"
        "print(*(name for name in ('typer', 'rich', 'pydantic', 'openai', 'httpx2') if name in sys.modules))"
    )
    command = [sys.executable, "-c", code, f"sqlite:///{tmp_path}/memory.db"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    assert subprocess.run(command, capture_output=True, text=True, check=True, env=plain).stdout.strip() == ""


def public(cls: type) -> set[str]:
    """Give the names of a class anybody may use."""
    return {name for name in dir(cls) if not name.startswith("_")}


def test_facets() -> None:
    """What belongs together stands in a facet; the verbs that moved there are still found where they were."""
    assert public(Inbox) == {"accept", "reject", "amend"}
    assert public(OwnerJobs) == {"runs", "undo"}
    assert public(Jobs) == {"run", "worker", "pause", "resume", "retry"}
    assert public(Inbox) | public(OwnerJobs) | {"inbox", "jobs"} < public(recollect.Space)
    assert {"run_jobs", "worker", "pause_jobs", "resume_jobs", "retry_jobs", "jobs"} < public(recollect.Recollect)


def test_a_verb_that_moved_says_where_it_is(tmp_path: Path) -> None:
    """Called by its old name it does what it did, and warns."""
    with recollect.Recollect(f"sqlite:///{tmp_path}/memory.db") as rc:
        ana = rc.space("ana")
        with pytest.warns(DeprecationWarning, match=r"runs is now space\.jobs\.runs"):
            assert ana.runs() == []
        with pytest.warns(DeprecationWarning, match=r"pause_jobs is now rc\.jobs\.pause"):
            assert rc.pause_jobs(["age"]) == ["age"]
        with pytest.warns(DeprecationWarning, match="inbox"), pytest.raises(recollect.NotFound):
            ana.accept("fact_unknown")


def drawn() -> dict[str, str]:
    """Read the tree drawn in the docstring of `errors`: each class and its parent."""
    parents: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"^    ([│├└─ ]*)([A-Z]\w+)\b", line)
        if match:
            depth = len(match[1]) // 4
            path = [*path[:depth], match[2]]
            parents[match[2]] = path[-2] if depth else "Exception"
    return parents


def test_the_error_tree_is_as_drawn() -> None:
    """The tree in the docstring is the tree of the classes, and each is public."""
    classes = {name: cls for name, cls in vars(errors).items() if inspect.isclass(cls) and issubclass(cls, Exception)}
    assert {name: cls.__bases__[0].__name__ for name, cls in classes.items()} == drawn()
    assert len(drawn()) == 11
    assert set(classes) <= set(recollect.__all__)


def test_a_receipt_under_a_revision_keeps_every_field() -> None:
    """`at` names each field; one that is added later must not be lost there."""
    part = Receipt(outcome="stored", id="fact_2", rev=1)
    given: dict[str, Any] = {
        "outcome": "merged", "op": "merged", "id": "fact_1", "other": "fact_0", "rev": 1, "reason": "why",
        "warnings": ("w",), "count": 2, "scrub": "pending", "archive": "scrubbed", "parts": (part,),
        "category": "health",
    }  # fmt: skip
    assert given.keys() == {one.name for one in fields(Receipt)}
    told = Receipt(**given).at(7)
    assert {name: getattr(told, name) for name in given} == given | {"rev": 7, "parts": (replace(part, rev=7),)}
