"""What sixty requests find in their context, over fourteen months of a life that somebody else wrote.

    python -m bench.context_life [--life bench/life] [--verbose]

A life is a folder of JSON lines: `life` (sessions of messages), `saves` (what an agent saved by hand), `prompts` (each
with the words it needs, any of several, and those that are out of date), `relevant` (what may stand beside them).
The life in `bench/life` was used to choose how contexts are made: for a figure at first sight, write another.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from recollect import Recollect, Space
from recollect.testing import FixedClock

BUDGETS = (300, 800, 2000)
COUNTED = ("relevant", "said", "last", "waiting", "delta")
"""The sections that are there because of the prompt or the moment; who the user is always stands there."""
FOUND = ("relevant", "said")


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """Read one file of a life."""
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]


def flat(text: str) -> str:
    """Give a text in one line."""
    return " ".join(text.split())


def live(rc: Recollect, clock: FixedClock, folder: Path) -> None:
    """Tell the whole life, with the jobs of every day between."""
    told = [(one["at"], one) for name in ("life", "saves") for one in rows(folder, name)]
    for at, one in sorted(told, key=lambda pair: pair[0]):
        then = datetime.fromisoformat(at)
        while clock() < then - timedelta(hours=20):
            clock.advance(days=1)
            rc.run_jobs()
        clock.advance(seconds=max(0.0, (then - clock()).total_seconds()))
        if "text" in one:
            rc.space("user", "helper").remember(one["text"])
        for message in one.get("messages", ()):
            clock.advance(seconds=40)
            rc.space("user", "helper", one["session"]).observe(message["role"], message["text"])
    clock.advance(days=1)
    rc.run_jobs()


def asked(user: Space, folder: Path, budget: int, *, verbose: bool) -> Counter[str]:
    """Ask every prompt, and count what is there."""
    related = {one["id"]: [flat(text) for text in one["related"]] for one in rows(folder, "relevant")}
    seen = Counter[str]()
    for one in rows(folder, "prompts"):
        made = user.context(one["prompt"], budget)
        text = flat(str(made))
        missing = [words[0] for words in one["needed"] if not any(flat(some) in text for some in words)]
        parts = [part for part in made.sections if part.name in COUNTED]
        lines = [flat(line) for part in parts for line in part.text.splitlines() if line.startswith("- ")]
        beside = [line for line in lines if not any(some in line for some in related[one["id"]])]
        stale = [words for words in one["never"] if flat(words) in text]
        quiet = not any(part.name in FOUND for part in made.sections)
        seen.update({"needed": len(one["needed"]), "missing": len(missing), "lines": len(lines), "beside": len(beside)})
        seen.update({"outdated": len(stale), "nothing fits": not one["needed"]})
        seen["quiet"] += not one["needed"] and quiet
        if verbose and budget == BUDGETS[1]:
            shown = "".join(f"\n    {line[:100]}" for line in beside)
            sys.stdout.write(f"{one['prompt']}\n  missing {missing}, outdated {stale}, beside the point:{shown}\n")
    return seen


def main() -> None:
    """Live, ask, and print the shares at each budget."""
    options = argparse.ArgumentParser(prog="python -m bench.context_life", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--life", type=Path, default=Path(__file__).parent / "life")
    options.add_argument("--verbose", action="store_true")
    given = options.parse_args()
    first = datetime.fromisoformat(rows(given.life, "life")[0]["at"])
    clock = FixedClock(first)
    with tempfile.TemporaryDirectory(prefix="recollect-") as room, Recollect(f"{room}/life.db", clock=clock) as rc:
        live(rc, clock, given.life)
        user = rc.space("user", "helper", "asks")
        user.context()  # the first of a session tells how the last one ended
        for budget in BUDGETS:
            seen = asked(user, given.life, budget, verbose=given.verbose)
            there = seen["needed"] - seen["missing"]
            sys.stdout.write(
                f"{budget:>5} tokens: {there} of {seen['needed']} needed; {seen['beside']} of {seen['lines']} lines"
                f" beside the point; {seen['outdated']} outdated; quiet for {seen['quiet']} of {seen['nothing fits']}\n"
            )


if __name__ == "__main__":
    main()
