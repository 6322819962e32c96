"""A drill of sixty prompts over one life: is what a prompt needs in its context, and how much is beside the point?

    python -m bench.window [--embedder recollect-1] [--verbose]

The life and the prompts, with the lines each needs and those that may stand beside them, are in
`bench/window_life.json`. Who the user is stands in every context and does not count as beside the point.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect import Recollect, Space

BUDGETS = (300, 800, 2000)
LIFE: dict[str, Any] = json.loads((Path(__file__).parent / "window_life.json").read_text("utf-8"))
COUNTED = ("relevant", "said")
"""The sections that are there because of the prompt."""


class Days:
    """A clock that goes on by an hour at every look, so that a life has dates."""

    def __init__(self) -> None:
        self.now = datetime(2026, 2, 1, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=20)
        return self.now


def live(rc: Recollect) -> dict[str, str]:
    """Tell the life, and give the name of each memory by its id."""
    names: dict[str, str] = {}
    marta = rc.space("marta", "helper", "told")
    for name, (text, topic, importance) in LIFE["facts"].items():
        names[marta.remember(text, topic=topic, importance=importance, source="user").id] = name
    for number, (name, text) in enumerate(LIFE["messages"].items()):
        talk = rc.space("marta", "helper", f"talk {number}")
        names[talk.observe("user", text, actor="Marta").id] = name
        talk.observe("assistant", "All right, noted.")
    rc.run_jobs(["embed"])
    return names


def asked(marta: Space, names: dict[str, str], budget: int, verbose: bool) -> dict[str, float]:
    """Ask every prompt, and give the shares of what was needed, beside the point, and empty where it should be."""
    needed = present = shown = beside = quiet = silent = 0
    for prompt, needs, fine in LIFE["prompts"]:
        made = marta.context(prompt, budget)
        there = {names.get(id, id) for id in made.ids}
        extra = [names.get(id, id) for part in made.sections if part.name in COUNTED for id in part.ids]
        stray = [one for one in extra if one not in needs and one not in fine]
        missing = [one for one in needs if one not in there]
        needed, present = needed + len(needs), present + len(needs) - len(missing)
        shown, beside = shown + len(extra), beside + len(stray)
        quiet, silent = quiet + (not needs), silent + (not needs and not extra)
        if verbose and (missing or stray):
            print(f"{budget:>5}  {prompt}\n       missing {missing}, beside the point {stray}")
    return {
        "needed": present / needed,
        "beside the point": beside / shown if shown else 0.0,
        "nothing where nothing fits": silent / quiet,
    }


def main() -> None:
    """Play the life, ask, and print the shares at each budget."""
    options = argparse.ArgumentParser(description="Sixty prompts over one life.")
    options.add_argument("--embedder", default="recollect-1")
    options.add_argument("--verbose", action="store_true")
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="recollect-") as folder,
        Recollect(f"sqlite:///{folder}/life.db", embedder=chosen.embedder, clock=Days()) as rc,
    ):
        names = live(rc)
        marta = rc.space("marta", "helper", "asks")
        marta.context()  # the first of a session tells how the last one ended
        for budget in BUDGETS:
            told = asked(marta, names, budget, chosen.verbose)
            print(f"{budget:>5} tokens  " + "  ".join(f"{name} {value:.0%}" for name, value in told.items()))


if __name__ == "__main__":
    main()
