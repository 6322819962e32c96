"""The benchmark of the server: what a request costs over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.model.values import plain
from recollect.serve.bench import http_load
from recollect.serve.cli.bench import bench
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Base, database, opened
from recollect.serve.cli.render import emit, say, show_table

MOST_OWN = 3.0
"""What the server may add to the library's own CPU, in milliseconds a request."""


@command(CARING, "recollect bench http --clients 1 --clients 16 --seconds 5", name="http", within=bench)
def http(
    place: Base,
    clients: Annotated[list[int] | None, typer.Option("--clients", help="How many at once; repeat.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="How long each run takes.")] = 5.0,
    port: Annotated[int, typer.Option("--port", help="Where the server listens meanwhile.")] = 7178,
) -> int:
    """Measure what requests cost over HTTP: throughput, times, and the server's CPU beside the library's."""
    loads: list[http_load.Load] = []
    with database(place, "http") as (url, _), opened(place, url, embedder=http_load.EMBEDDER) as memory:
        http_load.seeded(memory.space(http_load.KINDS["search"]))
        with http_load.server(url, port) as (address, pid):
            for kind in http_load.KINDS:
                for many in clients or [1, 16, 64]:
                    library = http_load.library(memory, kind, many)  # right before: a machine is not always as fast
                    loads.append(http_load.run(address, pid, kind, many, seconds, library))
    if place.as_json:
        emit([plain(one) | {"own": one.own} for one in loads])
    else:
        heads = ("", "clients", "requests", "errors", "a second", "p50 ms", "p95 ms", "CPU ms", "of it the server's")
        show_table(heads, [_row(one) for one in loads])
        say(f"The server's own CPU shall be at most {MOST_OWN:g} ms a request.")
    return 1 if any(one.errors for one in loads) else 0


def _row(one: http_load.Load) -> tuple[str, ...]:
    numbers = (one.per_second, one.p50, one.p95, one.cpu, one.own)
    return one.kind, str(one.clients), str(one.requests), str(one.errors), *(f"{value:.2f}" for value in numbers)
