"""The command line, `recollect`: one file per group of commands, `frame` around them all."""

from __future__ import annotations

from recollect.serve.cli import (
    bench,
    care,
    cost,
    database,
    demo,
    inbox,
    jobs,
    life,
    look,
    quality,
    reindex,
    speed,
    stats,
    transfer,
    work,
    write,
)
from recollect.serve.cli.frame import app

__all__ = [
    "app",
    "bench",
    "care",
    "cost",
    "database",
    "demo",
    "inbox",
    "jobs",
    "life",
    "look",
    "main",
    "quality",
    "reindex",
    "speed",
    "stats",
    "transfer",
    "work",
    "write",
]


def main() -> None:
    """Run the command line and leave with its exit code."""
    app(prog_name="recollect")
