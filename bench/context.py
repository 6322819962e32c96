"""What laying out a context costs: CPU by the size of a memory, flat in the number of owners, and a stable part that
stays as it is.

    python -m bench.context                 # 1,000 and 100,000 memories, 50 other owners
    python -m bench.context --sizes 1000000
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from recollect import Recollect
from recollect.model.change import Put, Write
from recollect.model.memory import Memory
from recollect.runtime import system_clock
from recollect.text.normal import digest
from recollect.text.terms import terms

LIMITS = {1_000: 5.0, 100_000: 20.0, 1_000_000: 70.0}
"""How many milliseconds of CPU a context may take at each size."""
PROMPTS = (
    "Where did we leave off with the garden?", "What should I cook for the guests?", "Which train goes to Porto?",
    "Who repaired the boiler?", "What is the capital of Mongolia?", "How is my sister doing?",
)  # fmt: skip
PLACES = "garden boiler train sister guests harbour office museum bakery school river market library station".split()
DEEDS = "painted repaired visited planned forgot bought sold described measured cleaned moved opened".split()
TOPICS = ("identity", "home", "work", "family", "health", "wish", "preference", "plan", "event", "habit")
BATCH, ROUNDS, TURNS = 500, 20, 1000


def memories(owner: str, many: int) -> Iterator[Memory]:
    """Make memories of one owner: four messages to a fact, few of them important."""
    now = system_clock().replace(microsecond=0)
    for number in range(many):
        said = number % 5 > 0
        place, deed = PLACES[number % len(PLACES)], DEEDS[number // 7 % len(DEEDS)]
        text = f"Somebody {deed} the {place} number {number % 3000} near the {PLACES[number // 11 % len(PLACES)]}."
        topic = TOPICS[number // 5 % len(TOPICS)]
        yield Memory(
            owner=owner,
            id=f"{'ep' if said else 'fact'}_{number:016x}",
            kind="episode" if said else "fact",
            content=text,
            created_at=now,
            updated_at=now,
            event_time=now,
            valid_from=now,
            tier="long",
            session=f"s{number // 50}" if said else "",
            role="user" if said else "",
            source="session",
            topic="" if said else topic,
            importance=None if said else 9 if number % 500 == 0 else 3 + number % 4,
        )


def fill(rc: Recollect, owner: str, many: int) -> None:
    """Write memories in batches."""
    policy = rc.settings.terms
    batch: list[Put] = []
    for memory in memories(owner, many):
        known = "" if memory.kind == "episode" else digest(memory.content)
        batch.append(Put(memory, known, terms(memory.content, policy)))
        if len(batch) == BATCH:
            rc._runtime.store.commit(Write(owner=owner, at=memory.created_at, node="bench", changes=tuple(batch)))
            batch = []
    if batch:
        at = batch[0].memory.created_at
        rc._runtime.store.commit(Write(owner=owner, at=at, node="bench", changes=tuple(batch)))


def cost(rc: Recollect, user: str) -> float:
    """Give the CPU milliseconds of one context, as the median over prompts and rounds, once it is warm."""
    ana = rc.space(user, "helper", "now")
    for prompt in PROMPTS:
        ana.context(prompt)
    taken: list[float] = []
    for number in range(ROUNDS):
        begun = process_time()
        ana.context(PROMPTS[number % len(PROMPTS)])
        taken.append((process_time() - begun) * 1000)
    return median(taken)


def turns(rc: Recollect, user: str) -> int:
    """Count how many stable parts there are over many turns in which other memories come."""
    ana = rc.space(user, "helper", "turns")
    ana.blocks.append("human", "Name: Ana")
    seen: set[str] = set()
    for number in range(TURNS):
        if number % 10 == 0:
            ana.observe("user", f"Turn {number} about the garden.")
        seen.add(ana.context(f"turn {number}").stable)
    return len(seen)


def measure(sizes: list[int], others: int, folder: Path) -> dict[str, Any]:
    """Measure every size, the smallest also among other owners."""
    told: dict[str, Any] = {}
    with Recollect(f"sqlite:///{folder}/context.db", embedder="none") as rc:
        for size in sizes:
            user = f"user{size}"
            fill(rc, rc.space(user).owner, size)
            told[f"{size} memories, ms"] = round(cost(rc, user), 2)
        first = f"user{sizes[0]}"
        for number in range(others):
            fill(rc, rc.space(f"other{number}").owner, 1000)
        told[f"{sizes[0]} memories among {others} other owners, ms"] = round(cost(rc, first), 2)
        told[f"stable parts over {TURNS} turns"] = turns(rc, first)
    return told


def main() -> None:
    """Measure, print, and fail where a limit is passed."""
    options = argparse.ArgumentParser(description="What a context costs.")
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000])
    options.add_argument("--others", type=int, default=50)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        told = measure(chosen.sizes, chosen.others, Path(folder))
    if chosen.json:
        print(json.dumps(told))
    else:
        for name, value in told.items():
            print(f"{name:<50} {value}")
    late = [size for size in chosen.sizes if told[f"{size} memories, ms"] > LIMITS.get(size, float("inf"))]
    if late or told[f"stable parts over {TURNS} turns"] != 1:
        raise SystemExit(f"over the limit: {late}")


if __name__ == "__main__":
    main()
