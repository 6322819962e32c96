"""A hundred shards, simulated from what one machine was measured to do: how even they are, and how busy.

    python -m bench.deep.shards [--memories 1000000000] [--owners 10000000] [--shards 100] [--cores 8]
                                [--recalls 20000] [--observes 20000] [--measured FILE] [--json]

First it measures here, on SQLite: bytes a memory takes, and the CPU of `observe` and `recall` for owners of several
sizes, call by call (`--measured FILE` keeps the figures, or reads them if the file is there). Then owners of very
different sizes (log-normal, and ten with a million) are spread over shards by a hash, requests arrive at random, each
takes what a call of an owner of that size took here, and waits where all cores of its shard are busy.
"""

from __future__ import annotations

import argparse
import heapq
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect import Recollect
from recollect.serve.bench.loader import batches, load
from recollect.serve.bench.synthetic import Synthetic

SIZES = (100, 1_000, 10_000)
CALLS = 80
SPREAD = 1.5
"""The spread of the logarithm of an owner's size: one in a hundred has thirty times what the middle one has."""
LARGE, GIANTS = 1_000_000, 10
SECONDS = 20.0
WORDS = "copper kettle harbour lantern pepper violin meadow ladder saffron bicycle marble orchard pigeon ribbon".split()

Numbers = NDArray[np.float64]


@dataclass
class Measured:
    """What one machine does: milliseconds of CPU of each call, by the size of the owner, and bytes a memory."""

    sizes: list[int]
    recall: list[list[float]]
    observe: list[list[float]]
    bytes: float


def measure(folder: Path) -> Measured:
    """Fill owners of several sizes and time calls, one by one."""
    chance = np.random.default_rng(7)

    def text(at: int) -> str:
        return f"{' '.join(chance.choice(WORDS, 9))} number {at}."

    found = Measured(list(SIZES), [], [], 0.0)
    vectors = Synthetic()
    with Recollect(folder / "measure.db", embedder=vectors) as rc:
        runtime = rc._runtime
        for size in SIZES:
            space = rc.space(f"of{size}", session="now")
            load(
                runtime,
                space.owner,
                batches(runtime, map(text, range(size)), runtime.now(), embedder=vectors),
                lambda done: None,
            )
            space.recall("kettle harbour", kinds=["episode"])
            found.recall.append([_spent(partial(space.recall, text(at), kinds=["episode"])) for at in range(CALLS)])
            found.observe.append([_spent(partial(space.observe, "user", text(at))) for at in range(CALLS)])
        found.bytes = rc.describe()["bytes"] / (sum(SIZES) + CALLS * len(SIZES))
    return found


def _spent(call: Any) -> float:
    begun = process_time()
    call()
    return 1000 * (process_time() - begun)


def sized(owners: int, memories: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """Give how many memories each owner has: very unequal, so many in all, and a few giants."""
    drawn = np.minimum(chance.lognormal(0.0, SPREAD, owners), 1e6)
    giants = min(GIANTS, memories // (100 * LARGE))
    sizes: NDArray[np.int64] = np.maximum(1, drawn * (memories - giants * LARGE) / drawn.sum()).astype(np.int64)
    sizes[:giants] = LARGE if giants else sizes[:giants]
    return sizes


def took(
    samples: Sequence[Sequence[float]], known: Sequence[int], sizes: Numbers, chance: np.random.Generator
) -> Numbers:
    """Draw what calls of owners of some sizes take: a measured call, between the two sizes that were measured."""
    table = np.sort(np.asarray(samples), axis=1)
    at = chance.integers(0, table.shape[1], len(sizes))
    out = np.empty(len(sizes))
    scale = np.asarray(known, dtype=float)
    step = np.clip(np.searchsorted(scale, sizes) - 1, 0, len(scale) - 2)
    part = (sizes - scale[step]) / (scale[step + 1] - scale[step])  # beyond the largest it goes on growing
    out[:] = table[step, at] + np.maximum(part, 0) * (table[step + 1, at] - table[step, at])
    return np.maximum(out, 0.05)


def waited(arrivals: Numbers, lengths: Numbers, cores: int) -> Numbers:
    """Give how long each request takes from its arrival, in milliseconds, with so many cores and one queue."""
    free = [0.0] * cores
    out = np.empty(len(arrivals))
    for at, (arrived, length) in enumerate(zip(arrivals.tolist(), lengths.tolist(), strict=True)):
        begun = max(arrived, heapq.heappop(free))
        heapq.heappush(free, begun + length)
        out[at] = begun + length - arrived
    return out


def simulate(given: argparse.Namespace, measured: Measured) -> dict[str, Any]:
    """Spread owners over shards, let requests come in, and say how it stands."""
    chance = np.random.default_rng(given.seed)
    sizes = sized(given.owners, given.memories, chance)
    places = chance.integers(0, given.shards, given.owners)
    memories = np.bincount(places, weights=sizes, minlength=given.shards)
    people = np.bincount(places, minlength=given.shards)
    shards = [_shard(given, measured, sizes[places == at], chance) for at in range(given.shards)]
    busy, slow = np.array([one[0] for one in shards]), np.array([one[1] for one in shards])
    added = max(1, given.shards // 10)
    return {
        "owners": given.owners,
        "memories": int(sizes.sum()),
        "memories of the middle owner, of one in a hundred, of the largest": [
            int(one) for one in (np.median(sizes), np.quantile(sizes, 0.99), sizes.max())
        ],
        "owners a shard, fewest and most": [int(people.min()), int(people.max())],
        "memories a shard, fewest, mean and most": [int(memories.min()), int(memories.mean()), int(memories.max())],
        "gigabytes a shard, mean and most": [
            round(float(x) * measured.bytes / 1e9, 1) for x in (memories.mean(), memories.max())
        ],
        "cores busy a shard, mean and most": [round(float(busy.mean()), 2), round(float(busy.max()), 2)],
        "recall ms p50, p95, p99 over all": [round(float(x), 2) for x in np.median(slow, axis=0)],
        "recall ms p50, p95, p99 of the slowest shard": [round(float(x), 2) for x in slow[slow[:, 2].argmax()]],
        "share of owners out of reach while one shard is away": round(float(people.max() / given.owners), 4),
        f"share of memories that move when {added} shards are added, by ranges and by hash modulo": [
            round(added / (given.shards + added), 3), round(1 - 1 / (given.shards + added), 3)
        ],
    }  # fmt: skip


def _shard(
    given: argparse.Namespace, measured: Measured, sizes: NDArray[np.int64], chance: np.random.Generator
) -> tuple[float, list[float]]:
    """Let a shard work for a while: how many cores it keeps busy, and how long its recalls take."""
    many = [int(chance.poisson(rate * SECONDS / given.shards)) for rate in (given.recalls, given.observes)]
    asked = [chance.choice(sizes, count).astype(float) for count in many]
    lengths = [
        took(samples, measured.sizes, some, chance)
        for samples, some in zip((measured.recall, measured.observe), asked, strict=True)
    ]
    arrivals = chance.uniform(0, SECONDS * 1000, sum(many))
    order = np.argsort(arrivals)
    whole = np.concatenate(lengths)
    times = waited(arrivals[order], whole[order], given.cores)
    recalls = times[order < many[0]]
    return float(whole.sum() / (SECONDS * 1000)), [float(x) for x in np.quantile(recalls, (0.5, 0.95, 0.99))]


def main() -> int:
    """Measure, simulate, and print the figures."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m bench.deep.shards", description=__doc__, formatter_class=form)
    parser.add_argument("--memories", type=int, default=1_000_000_000)
    parser.add_argument("--owners", type=int, default=10_000_000)
    parser.add_argument("--shards", type=int, default=100)
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--recalls", type=float, default=20_000, help="a second, over all shards")
    parser.add_argument("--observes", type=float, default=20_000, help="a second, over all shards")
    parser.add_argument("--measured", type=Path, help="where the measured figures are, or are kept")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.measured and given.measured.exists():
        measured = Measured(**json.loads(given.measured.read_text()))
    else:
        with tempfile.TemporaryDirectory(prefix="recollect-shards-") as folder:
            measured = measure(Path(folder))
        if given.measured:
            given.measured.write_text(json.dumps(asdict(measured)))
    middle = {
        name: {size: round(float(np.median(some)), 2) for size, some in zip(measured.sizes, table, strict=True)}
        for name, table in (("recall", measured.recall), ("observe", measured.observe))
    }
    told = {
        "measured": {"bytes a memory": round(measured.bytes), "CPU ms, median": middle},
        **simulate(given, measured),
    }
    if given.json:
        print(json.dumps(told))
    else:
        for name, value in told.items():
            print(f"{name}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
