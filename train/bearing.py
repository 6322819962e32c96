"""Learn again how likely a find bears on a prompt: `python -m train.bearing`, a few minutes.

train/worlds holds what made-up people said and prompts of theirs, with what each needs. All of it is put into a
database of its own and searched as a context does, and the weights of `rules/window/relevance` are fitted to which
finds were needed or useful. Every fifth world is held out. Those that ship were fitted to two more lives, one of them
in bench/life.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect import Recollect
from recollect.flows.window import bearing
from recollect.flows.window.scene import FOUND_KINDS, looked_for, opened
from recollect.rules.window.relevance import CHARACTERS, SCORE, SHORTEST, Signs
from recollect.testing import FixedClock

WORLDS = Path(__file__).parent / "worlds"
NAMES = ("BASE", "NEAR", "BEHIND", "SCORED", "REPLY", "LONG", "SUMMARY", "KNOWN")
KINDS = (*FOUND_KINDS, "episode")
Rows = NDArray[np.float64]


def row(signs: Signs, best: float) -> list[float]:
    """Give the numbers the weights are for."""
    long = float(np.log(max(SHORTEST, signs.characters) / CHARACTERS))
    gap, score = signs.near - best, signs.score / SCORE
    return [1.0, signs.near, gap, score, signs.reply, long, signs.summary, signs.known]


def told(folder: Path, room: Path) -> Iterator[tuple[Rows, Rows]]:
    """Give for every prompt what was found, and which of it was needed (2), useful (1) or beside the point (0)."""
    clock = FixedClock(datetime(2025, 1, 1, 9, tzinfo=UTC))
    worlds = [
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    with Recollect(room / "worlds.db", clock=clock) as memory:
        for number, world in enumerate(worlds):
            ids = {}
            for at, said in enumerate(world["said"]):
                clock.advance(days=8)
                receipt = memory.space(f"w{number}", "helper", f"s{at}").observe("user", said["text"])
                ids[receipt.id] = said["id"]
            memory.run_jobs()
            for prompt in world["prompts"]:
                marks = dict.fromkeys(prompt["useful"], 1) | dict.fromkeys(prompt["needs"], 2)
                found = looked(memory, f"w{number}", prompt["text"])
                best = max((one.near for one in found if one.whole), default=0.0)
                answers = [marks.get(ids.get(one.hit.memory.id, 0), 0) for one in found]
                yield (
                    np.array([row(one.signs, best) for one in found]).reshape(-1, len(NAMES)),
                    np.array(answers, float),
                )


def looked(memory: Recollect, owner: str, prompt: str) -> list[bearing.Found]:
    """Give what a context for this prompt looks at."""
    space = memory.space(owner, "helper", "asks")
    scene = opened(space._runtime, space._scope, prompt, ())
    with space._runtime.store.view() as view:
        hits = looked_for(scene, view, replace(scene.where, kinds=KINDS), bearing.POOL, prompt)
        return bearing.united(scene, view, hits)


def fitted(rows: Rows, answers: Rows, steps: int = 50) -> Rows:
    """Fit a logistic formula, its weights held back a little."""
    weights = np.zeros(rows.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-rows @ weights))
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.eye(len(weights))
        weights += np.linalg.solve(bend, rows.T @ (answers - chance) - weights)
    return weights


def main() -> int:
    """Fit, and say what the weights give on what was held out."""
    with tempfile.TemporaryDirectory() as room:
        prompts = list(told(WORLDS, Path(room)))
    held = [one for at, one in enumerate(prompts) if at // 22 % 5 == 2]
    kept = [one for at, one in enumerate(prompts) if at // 22 % 5 != 2]
    weights = fitted(
        np.vstack([rows for rows, _ in kept]), np.concatenate([marks > 0 for _, marks in kept]).astype(float)
    )
    sys.stdout.write(", ".join(f"{name} {one:.2f}" for name, one in zip(NAMES, weights, strict=True)) + "\n")
    for least in (0.1, 0.15, 0.2, 0.3):
        shown = [marks[1 / (1 + np.exp(-rows @ weights)) >= least] for rows, marks in held]
        lines, good = sum(map(len, shown)), sum((one > 0).sum() for one in shown)
        needed, all_needed = (sum((one == 2).sum() for one in some) for some in (shown, [marks for _, marks in held]))
        sys.stdout.write(f"from {least}: {lines} lines, {good} of them to the point, {needed} of {all_needed} needed\n")
    return 0


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
