"""What was promised about speed, held against what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.values import dataclass
from recollect.serve.bench.measure import HYBRID, LEXICAL, OBSERVE, Run

CPU_MS = ((1_000, 2.0), (100_000, 15.0), (1_000_000, 40.0))
"""Up to how many memories an owner a recall may take how much CPU, on the file."""
ALONE_MS = 1.0
"""How much CPU keeping a message, or finding one by BM25 alone, may take with few owners on the file."""
GROWTH = 1.5
LEAST_FOUND = 0.95
POSTGRES_WALL_MS = 8.0
MARIADB_TIMES = 3.0


@dataclass(frozen=True, slots=True)
class Limit:
    """One promise: what was measured, and the most it may be, or the least."""

    what: str
    value: float
    bound: float
    least: bool = False

    @property
    def met(self) -> bool:
        """Whether the promise is kept."""
        return self.value >= self.bound if self.least else self.value <= self.bound


def limits(runs: Sequence[Run]) -> list[Limit]:
    """Give every promise that these runs say something about."""
    found: list[Limit] = []
    for one in runs:
        size = f"{one.owners:,} × {one.memories:,}"
        most = next((ms for upto, ms in CPU_MS if one.memories <= upto), None)
        if one.engine == "sqlite" and most is not None:
            found.append(Limit(f"sqlite, {size}: CPU ms a recall", one.lines[HYBRID].cpu, most))
        if one.engine == "postgres" and one.memories <= CPU_MS[0][0]:
            found.append(Limit(f"postgres, {size}: wall ms a recall", one.lines[HYBRID].wall, POSTGRES_WALL_MS))
        if "recall@10 of exact" in one.figures:
            share = one.figures["recall@10 of exact"]
            found.append(Limit(f"{one.engine}, {size}: recall@10 of exact", share, LEAST_FOUND, least=True))
    return found + _alone(runs) + _growth(runs) + _beside(runs)


def _growth(runs: Sequence[Run]) -> list[Limit]:
    """Few owners against many, on the file."""
    sizes = sorted((one for one in runs if one.engine == "sqlite"), key=lambda one: one.owners)
    if len(sizes) < 2:
        return []
    few, many = sizes[0], sizes[-1]
    sizes_told = f"{many.owners:,} owners against {few.owners:,}"
    return [
        Limit(f"sqlite: CPU, {name}, {sizes_told}", many.lines[name].cpu / few.lines[name].cpu, GROWTH)
        for name in (HYBRID, LEXICAL, OBSERVE)
    ]


def _alone(runs: Sequence[Run]) -> list[Limit]:
    """What costs least, on the file with the fewest owners."""
    sizes = [one for one in runs if one.engine == "sqlite" and one.memories <= CPU_MS[0][0]]
    few = min(sizes, key=lambda one: one.owners, default=None)
    if few is None:
        return []
    size = f"{few.owners:,} × {few.memories:,}"
    return [Limit(f"sqlite, {size}: CPU ms, {name}", few.lines[name].cpu, ALONE_MS) for name in (OBSERVE, LEXICAL)]


def _beside(runs: Sequence[Run]) -> list[Limit]:
    """MariaDB against PostgreSQL, where both were measured."""
    last = {one.engine: one for one in runs}
    if "mariadb" not in last or "postgres" not in last:
        return []
    times = last["mariadb"].lines[HYBRID].wall / last["postgres"].lines[HYBRID].wall
    return [Limit("wall a recall, mariadb against postgres", times, MARIADB_TIMES)]
