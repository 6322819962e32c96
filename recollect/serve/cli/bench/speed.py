"""The speed benchmarks: what each call costs, and how that grows with the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.model.values import plain
from recollect.serve.bench.limits import Limit, limits
from recollect.serve.bench.measure import HYBRID, OBSERVE, Line, Run, apart, embedding, run
from recollect.serve.cli.bench import bench
from recollect.serve.cli.exits import ABSENT, OK
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.render import emit, say, show_table

_LEGEND = (
    "Medians of 300 calls, in brackets the 95th percentile; a column is users × memories each. Embedding is apart: add "
    "a line of the last table to each recall with the embedder, and to what it writes. 'By words' is without one, "
    "'BM25 alone' also without what stood beside a message, in its session, who said it and when.\n"
    "What was promised, for a quiet machine of two ARM cores:"
)

LOOKS = 2
"""How often calls are measured: half an hour lies between the beginning and the end of a large run."""
MOST_GROWTH = 1.3
"""By how much a call may cost more in the full database than in one with a hundredth of the owners."""


@command(CARING, "recollect bench speed --owners 10 1000 --memories 1000 --db sqlite", within=bench)
def speed(
    db: Annotated[
        list[str] | None,
        typer.Option(
            "--db",
            metavar="sqlite|postgresql|mariadb|URL",
            help="Where; repeat to compare. A file or throwaway servers, or an empty database of yours.",
        ),
    ] = None,
    owners: Annotated[
        list[int] | None, typer.Option("--owners", min=1, metavar="N", help="How many users; 10 and 1000 by default.")
    ] = None,
    more: Annotated[list[int] | None, typer.Argument(min=1, metavar="N", hidden=True)] = None,
    memories: Annotated[
        int, typer.Option("--memories", min=1, metavar="N", help="How many memories each of them has.")
    ] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> None:
    """Measure what each call costs: CPU and wall time, memory, disk; embedding apart."""
    sizes = sorted({*(owners or [10, 1000]), *(more or [])})
    if more and not owners:
        raise InvalidInput("say what the numbers are: --owners 10 1000")
    lines = apart(embedding)
    runs: list[Run] = []
    for engine in dict.fromkeys(db or ["sqlite"]):
        some = [run(engine, many, memories) for many in sizes]
        runs += some
        if not as_json:
            _show(some)
    kept = limits(runs)
    if as_json:
        held = [plain(one) | {"met": one.met} for one in kept]
        emit({"runs": runs, "embedding": lines, "limits": held})
        return
    show_table(("ms a text: CPU (p95), wall (p95)", ""), [(name, _cell(line)) for name, line in lines.items()])
    say(_LEGEND)
    for one in kept:
        _tell(one)


def _show(runs: Sequence[Run]) -> None:
    """Print one engine's numbers, a column a size, and how the last compares with the first."""
    first, last = runs[0], runs[-1]
    heads = [f"{one.owners:,} × {one.memories:,}: CPU (p95), wall (p95)" for one in runs]
    rows = []
    for name, line in first.lines.items():
        times = f"{last.lines[name].cpu / line.cpu:.2f}, {last.lines[name].wall / line.wall:.2f}"
        rows.append([name, *(_cell(one.lines[name]) for one in runs), times])
    for name, value in first.figures.items():
        rows.append([name, *(f"{one.figures[name]:,.6g}" for one in runs), f"{last.figures[name] / value:.2f}"])
    heads = [f"{first.version}: ms a call", *heads, "last / first"]
    if first is last:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    show_table(heads, rows)


def _cell(line: Line) -> str:
    return f"{line.cpu:.2f} ({line.cpu_p95:.2f}), {line.wall:.2f} ({line.wall_p95:.2f})"


def _tell(one: Limit) -> None:
    bound = f"at {'least' if one.least else 'most'} {one.bound:g}"
    say(f"{'met   ' if one.met else 'MISSED'} {one.what}: {one.value:.2f} ({bound})", "" if one.met else "bold red")


@command(CARING, "recollect bench load --rows 20000 --owners 20 --db postgresql", name="load", within=bench)
def load(
    db: Annotated[
        str,
        typer.Option(
            "--db",
            metavar="sqlite|postgresql|mariadb|URL",
            help="Where: a file or a throwaway server, or an empty database of yours.",
        ),
    ] = "sqlite",
    rows: Annotated[
        int, typer.Option("--rows", min=1, help="How many memories in all, with made-up vectors.")
    ] = 20_000,
    owners: Annotated[int, typer.Option("--owners", min=1, help="Over how many users.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False,
) -> int:
    """Fill a database: how fast, how many bytes a memory, and what calls cost at the end against the beginning."""
    if rows < owners:
        raise InvalidInput(f"--rows is {rows}: it must be at least --owners, {owners}")
    each = rows // owners
    fewer = max(1, owners // 100)
    first = run(db, fewer, each, LOOKS) if fewer < owners else None
    last = run(db, owners, each, LOOKS, fewer)  # the same users: more of them cost more whatever the database holds
    grown = {name: _growth(first, last, name) for name in (OBSERVE, HYBRID)} if first else {}
    kept = all(many <= MOST_GROWTH for many in grown.values())
    if as_json:
        emit({"first": first, "last": last, "growth": grown, "ok": kept})
        return OK if kept else ABSENT
    runs = [one for one in (first, last) if one]
    heads = ("", *(f"{one.owners:,} × {one.memories:,}" for one in runs))
    lines = [(name, *(f"{one.lines[name].cpu:.2f}" for one in runs)) for name in (OBSERVE, HYBRID)]
    figures = [(name, *(f"{one.figures[name]:,.6g}" for one in runs)) for name in last.figures]
    show_table(heads, [(f"{name}, CPU ms", *cells) for name, *cells in lines] + figures)
    for name, many in grown.items():
        say(
            f"{name}: {many:.2f} times the beginning, {MOST_GROWTH:g} at most",
            "green" if many <= MOST_GROWTH else "red",
        )
    return OK if kept else ABSENT


def _growth(first: Run, last: Run, name: str) -> float:
    return round(last.lines[name].cpu / max(first.lines[name].cpu, 0.001), 2)
