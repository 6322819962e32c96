"""What a request over HTTP costs: many clients at once against a server of its own, beside the library itself."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from recollect.errors import Unavailable
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model.values import dataclass

SEEDED = 1000
WARMING = 50
"""How many requests a server answers before it is measured, as the library does."""
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
PATIENCE = 60.0
KINDS = {"search": "bench", "observe": "talk"}
"""What is measured, and in whose memory: what is observed goes elsewhere, so that a search always finds the same."""
EMBEDDER = "none"
"""The server and the library do the same work: what an embedder costs is measured elsewhere."""


@dataclass(frozen=True, slots=True)
class Load:
    """What so many clients at once got out of a server; times in milliseconds."""

    kind: str
    clients: int
    requests: int
    errors: int
    per_second: float
    p50: float
    p95: float
    cpu: float
    """What a request cost the server."""
    library: float
    """What the same costs the library alone."""

    @property
    def own(self) -> float:
        """What the server adds to it."""
        return self.cpu - self.library


def seeded(space: Space) -> None:
    """Give a space something to search in."""
    items = [{"content": f"Item {number} is on shelf {number % 17} in hall {number % 5}."} for number in range(SEEDED)]
    space.remember_many(items)


@contextmanager
def server(database: str, port: int) -> Iterator[tuple[str, int]]:
    """Run a server in a process of its own, and give its address and its number."""
    program = str(Path(sys.executable).with_name("recollect"))
    words = [program, "serve", "--db", database, "--port", str(port), "--no-worker", "--per-minute", "0"]
    running = subprocess.Popen(["env", f"RECOLLECT_EMBEDDER={EMBEDDER}", *words], stderr=subprocess.DEVNULL)
    url, until = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
    try:
        while not _ready(url):
            if time.monotonic() > until or running.poll() is not None:
                raise Unavailable("the server did not start: try `recollect serve` to see why")
            time.sleep(0.1)
        yield url, running.pid
    finally:
        running.terminate()
        running.wait()


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/ready", timeout=2).is_success
    except httpx.TransportError:
        return False


def used(pid: int) -> float:
    """Give the seconds of CPU a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def work(kind: str, number: int, at: int) -> dict[str, Any]:
    """Give the arguments of a client's next call: the same for the server and for the library."""
    if kind == "search":
        return {"query": f"item {(at * 31 + number) % SEEDED} shelf", "limit": 5}
    return {"role": "user", "content": f"Message {at} of client {number}."}


def library(memory: Recollect, kind: str, clients: int) -> float:
    """Give the least CPU the library takes for a call, one after the other or with so many threads at once.

    Threads that share a commit save some, threads that wait for each other cost some: that is the server's to choose.
    """
    return min(alone(memory, kind, many) for many in {1, clients})


def alone(memory: Recollect, kind: str, clients: int, many: int = 400) -> float:
    """Give the milliseconds of CPU the library takes for a call, with so many threads at once."""

    once = uuid4().hex

    def client(number: int) -> None:
        space = memory.space(KINDS[kind], session=f"alone{number}")
        for at in range(max(1, many // clients)):
            given = work(kind, number, at)
            if kind == "search":
                space.recall(**given)
            else:
                space.observe(**given, request_id=f"{once}-{number}-{at}")

    client(clients + 1)  # what is loaded once is loaded by now
    began = time.process_time()
    _together(client, clients)
    return (time.process_time() - began) / (max(1, many // clients) * clients) * 1000


def _together(client: Callable[[int], None], clients: int) -> None:
    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run(
    url: str, pid: int, kind: str, clients: int, seconds: float, library: float
) -> Load:  # long because it is one run
    """Let so many clients ask for so long, and give what they got."""
    took: list[float] = []
    failed: list[int] = []
    with httpx.Client(base_url=url, timeout=60, verify=False) as http:  # what is loaded once is loaded by now
        ask = _asking(http, kind, clients)
        for at in range(WARMING):
            ask(at).raise_for_status()
    over = time.monotonic() + seconds
    before = used(pid)

    def client(number: int) -> None:
        with httpx.Client(base_url=url, timeout=60, verify=False) as http:  # plain HTTP: no certificates to load
            ask = _asking(http, kind, number)
            at = 0
            while time.monotonic() < over:
                began = time.perf_counter()
                if ask(at).is_success:
                    took.append(time.perf_counter() - began)
                else:
                    failed.append(at)
                at += 1

    began = time.perf_counter()
    _together(client, clients)
    wall, many = time.perf_counter() - began, max(1, len(took))
    took.sort()
    cpu = (used(pid) - before) / many * 1000
    p50, p95 = (took[min(len(took) - 1, int(len(took) * share))] * 1000 if took else 0.0 for share in (0.5, 0.95))
    return Load(kind, clients, len(took), len(failed), many / wall, p50, p95, cpu, library)


def _asking(http: httpx.Client, kind: str, number: int) -> Callable[[int], httpx.Response]:
    headers = {"Recollect-Session": f"s{number}"}
    if kind == "search":
        path = f"/v1/spaces/{KINDS[kind]}/memories/search"
        return lambda at: http.post(path, json=work(kind, number, at), headers=headers)
    once = uuid4().hex
    return lambda at: http.post(
        f"/v1/spaces/{KINDS[kind]}/messages",
        json=work(kind, number, at),
        headers={"Idempotency-Key": f"{once}-{at}", **headers},
    )
