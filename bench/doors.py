"""Drills of the doors: `python -m bench.doors mcp|kill|fuzz|soak|start`.

Many clients on one file, a server that is killed, one that is sent nonsense, one that serves for minutes, and what
`recollect mcp` takes to start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from mcp import Client, StdioServerParameters

from recollect import Recollect

PROGRAM = str(Path(sys.executable).with_name("recollect"))
ENVIRONMENT = {**os.environ, "RECOLLECT_EMBEDDER": "none"}


def one_client(database: str, number: int, calls: int) -> tuple[int, int]:
    """Be one client of MCP with a process of its own: save and search in turn; give what was saved and what failed."""

    async def walk() -> tuple[int, int]:
        server = StdioServerParameters(
            command=PROGRAM, args=["mcp", "--db", database, "--user", "ana", "--no-worker"], env=ENVIRONMENT
        )
        saved = failed = 0
        async with Client(server) as client:
            for at in range(calls):
                if at % 2:
                    made = await client.call_tool("memory_search", {"query": f"thing {number}x{at - 1}"})
                    failed += made.is_error or f"{number}x{at - 1}" not in made.content[0].text  # type: ignore[union-attr]
                else:
                    text = f"Client {number} keeps thing {number}x{at} on shelf {at * 7919 + number}."
                    made = await client.call_tool("memory_save", {"content": text, "topic": f"t{number}x{at}"})
                    failed += made.is_error
                    saved += made.structured_content["outcome"] == "stored"
        return saved, failed

    return asyncio.run(walk())


def mcp(clients: int, calls: int) -> int:
    """Let many client processes work on one file: no error, and nothing lost."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/m.db"
        with Recollect(database, embedder="none"):
            pass
        began = time.perf_counter()
        with ProcessPoolExecutor(clients) as pool:
            done = list(pool.map(one_client, [database] * clients, range(clients), [calls] * clients))
        took = time.perf_counter() - began
        with Recollect(database, embedder="none") as memory:
            kept = memory.space("ana").stats().kinds.get("fact", 0)
    saved, failed = sum(one[0] for one in done), sum(one[1] for one in done)
    print(f"{clients} clients × {calls} calls in {took:.0f} s: {saved} saved, {kept} kept, {failed} failed")
    return 0 if kept == saved == clients * ((calls + 1) // 2) and not failed else 1


def started(database: str, port: int) -> subprocess.Popen[bytes]:
    """Start a server and wait until it is ready."""
    command = [PROGRAM, "serve", "--db", database, "--port", str(port), "--no-worker", "--per-minute", "0"]
    command += ["--failed-per-minute", "0"]
    server = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    with plain_http(port) as http:
        for _ in range(600):
            try:
                if http.get("/health/ready").is_success:
                    return server
            except httpx.TransportError:
                time.sleep(0.1)
    server.kill()
    raise SystemExit("the server did not start")


@contextmanager
def serving(database: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server as long as it is needed: whatever goes wrong meanwhile, none is left behind."""
    server = started(database, port)
    try:
        yield server
    finally:
        server.kill()
        server.wait()


def plain_http(port: int) -> httpx.Client:
    """Give a client that loads no certificates: on two cores, drills must not cost more than what they try."""
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, verify=False)


def kill(times: int, port: int) -> int:
    """Kill a server under load again and again: what was acknowledged is there, retries make nothing twice."""
    acknowledged: dict[str, str] = {}
    refused, retried = list[str](), Counter[int]()
    over = threading.Event()

    def writer(number: int) -> None:
        at = 0
        with plain_http(port) as http:
            while not over.is_set():
                name = f"{number}-{at}"
                body = {"role": "user", "content": f"Message {name} of a long talk."}
                try:
                    told = http.post("/v1/spaces/ana/messages", json=body, headers={"Idempotency-Key": name})
                    if told.is_success:
                        acknowledged[name] = told.json()["id"]
                        at += 1
                    else:
                        refused.append(f"{told.status_code} {told.text[:200]}")
                except httpx.TransportError:
                    retried[number] += 1
                    time.sleep(0.1)  # the same key again, until it is answered

    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/m.db"
        threads = [threading.Thread(target=writer, args=(number,)) for number in range(4)]
        server = started(database, port)
        for thread in threads:
            thread.start()
        for _ in range(times):
            time.sleep(random.uniform(0.3, 1.0))
            server.send_signal(signal.SIGKILL)
            server.wait()
            server = started(database, port)
        time.sleep(1)
        over.set()
        for thread in threads:
            thread.join()
        server.terminate()
        server.wait()
        with Recollect(database, embedder="none") as memory:
            kept: dict[str, str] = {}
            while page := memory.space("ana").list("oldest", 1000, len(kept), kinds="episode"):
                kept.update((one.id, one.content) for one in page)
    lost = set(acknowledged.values()) - set(kept)
    twice = len(kept) - len(set(kept.values()))
    print(
        f"killed {times} times: {len(acknowledged)} acknowledged, {sum(retried.values())} tried again, "
        f"{len(kept)} kept, {len(lost)} lost, {twice} twice, {len(refused)} refused",
        *refused[:5],
        sep="\n",
    )
    return 0 if not lost and not twice and not refused and len(kept) - len(acknowledged) in range(5) else 1


WORDS = (
    "content",
    "query",
    "role",
    "limit",
    "kinds",
    "tags",
    "id",
    "where",
    "action",
    "name",
    "items",
    "prompt",
    "data",
)
VALUES: tuple[Any, ...] = (
    "", "x", "me", "\ufffd", "'; DROP", "\u202e", "a/b", "..", "%00", 0, -1, 1e308, 2**70, None, True, [], {}, [[[]]],
    {"a": 1}, "a" * 5000,
)  # fmt: skip
HEADERS = ("Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Recollect-Agent", "Recollect-Session")


def nonsense(dice: random.Random, routes: list[tuple[str, str]]) -> dict[str, Any]:
    """Make up a request: mostly a route there is, with slots, query, headers and body of any sort."""
    method, path = dice.choice(routes)
    if dice.random() < 0.05:
        method = dice.choice(("GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS", "HEAD"))
    while "{" in path:
        before, _, rest = path.partition("{")
        path = f"{before}{quote(str(dice.choice(VALUES))[:60] or 'x', safe='')}{rest.partition('}')[2]}"
    made: dict[str, Any] = {"method": method, "url": path, "headers": {}}
    if dice.random() < 0.3:
        made["params"] = {dice.choice(WORDS): str(dice.choice(VALUES))[:80] for _ in range(dice.randint(1, 3))}
    if dice.random() < 0.2:
        made["headers"][dice.choice(HEADERS)] = quote(str(dice.choice(VALUES))[:200], safe="")
    if dice.random() < 0.1:
        made["content"] = dice.randbytes(dice.randint(0, 300))
    elif method not in ("GET", "HEAD"):
        made["json"] = {dice.choice(WORDS): dice.choice(VALUES) for _ in range(dice.randint(0, 4))}
    return made


def fuzz(many: int, seconds: float, port: int) -> int:
    """Send a server nonsense over every route: it answers every time, never with a fault of its own."""
    statuses, faults = Counter[int](), list[str]()
    over = time.monotonic() + seconds

    def client(number: int, routes: list[tuple[str, str]]) -> None:
        dice = random.Random(number)
        with plain_http(port) as http:
            for _ in range(many // 4):
                if time.monotonic() > over:
                    return
                asked = nonsense(dice, routes)
                try:
                    told = http.request(**asked)
                except httpx.HTTPError as error:
                    faults.append(f"no answer ({error!r}) {asked}")
                    continue
                statuses[told.status_code] += 1
                if told.status_code >= 500:
                    faults.append(f"{told.status_code} {asked} {told.text[:200]}")

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        server = stack.enter_context(serving(f"sqlite:///{folder}/m.db", port))
        with plain_http(port) as http:
            paths = http.get("/openapi.json").raise_for_status().json()["paths"]
        # A stream goes on until somebody hangs up, and a key that is made by chance would shut out everybody.
        left_out = ("/stream", "/v1/keys")
        routes = [(name.upper(), path) for path, made in paths.items() for name in made if not path.endswith(left_out)]
        threads = [threading.Thread(target=client, args=(number, [*routes, ("POST", "/mcp")])) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alive = server.poll() is None
    print(
        f"{sum(statuses.values())} of {many} requests: {dict(sorted(statuses.items()))}, alive: {alive}",
        *faults[:10],
        sep="\n",
    )
    return 0 if alive and not faults else 1


def soak(seconds: float, port: int) -> int:
    """Let clients search, read, change and lay out the same memories for minutes: the server's memory stays flat."""
    over = time.monotonic() + seconds
    many, wrong = Counter[str](), list[str]()

    def client(number: int, ids: list[str]) -> None:
        base = "/v1/spaces/ana"
        with plain_http(port) as http:
            at = number
            while time.monotonic() < over:
                at += 1
                one = ids[at % len(ids)]
                told = (
                    http.post(f"{base}/memories/search", json={"query": f"thing {at % 500}"}),
                    http.post(f"{base}/context", json={"prompt": f"where is thing {at % 500}?"}),
                    http.patch(f"{base}/memories/{one}", json={"importance": at % 9 + 1}),
                    http.get(f"{base}/memories", params={"limit": 20}),
                    http.post(f"{base}/tools/default/memory_get", json={"id": one}),
                )
                many["requests"] += len(told)
                wrong.extend(f"{answer.status_code} {answer.text[:80]}" for answer in told if not answer.is_success)

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        database = f"sqlite:///{folder}/m.db"
        with Recollect(database, embedder="none") as memory:
            items = [{"content": f"Thing {one} is on shelf {one * 7919}."} for one in range(500)]
            ids = [one.id for one in memory.space("ana").remember_many(items)]
        server = stack.enter_context(serving(database, port))
        threads = [threading.Thread(target=client, args=(number, ids)) for number in range(4)]
        for thread in threads:
            thread.start()
        sizes: list[float] = []
        while time.monotonic() < over:
            time.sleep(min(15.0, seconds / 20))
            sizes.append(_megabytes(server.pid))
        for thread in threads:
            thread.join()
    half = sizes[len(sizes) // 2 :]
    grown = half[-1] - half[0]
    print(f"{many['requests']} requests in {seconds:.0f} s, {len(wrong)} wrong; resident MB: {sizes}")
    print(f"in the second half it grew by {grown:.1f} MB of {half[0]:.1f}")
    return 0 if not wrong and grown < 0.05 * half[0] else 1


def _megabytes(pid: int) -> float:
    """Give how much memory a process holds."""
    line = next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmRSS"))
    return round(int(line.split()[1]) / 1024, 1)


def start(times: int) -> int:
    """Measure the CPU `recollect mcp` takes until its first answer, beside what its SDK takes to be imported."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    sdk = "import mcp.server.stdio, mcp.server.lowlevel, mcp.server.caching, mcp.server.request_state, mcp_types"
    with tempfile.TemporaryDirectory() as folder:
        ours = [PROGRAM, "mcp", "--db", f"sqlite:///{folder}/m.db", "--no-worker"]
        # The first run compiles everything into a folder of its own, as installing does: no other one pays for that.
        compiled = {**ENVIRONMENT, "PYTHONPYCACHEPREFIX": f"{folder}/compiled", "PYTHONDONTWRITEBYTECODE": ""}
        # In turn, so that a machine that is busy for a while is busy for both.
        both = [(_cpu([sys.executable, "-c", sdk], "", compiled), _cpu(ours, line, compiled)) for _ in range(times)]
        alone, whole = (min(some) for some in zip(*both, strict=True))
    print(f"the SDK alone {alone:.2f} s of CPU, recollect mcp {whole:.2f}: {whole - alone:.2f} are ours (at most 0.30)")
    return 0 if whole - alone <= 0.3 else 1


def _cpu(command: list[str], told: str, environment: dict[str, str]) -> float:
    """Run a program until its input ends, and give the CPU it took."""
    before = os.times()
    subprocess.run(command, input=told.encode(), env=environment, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    """Run a drill and exit with what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drill", choices=("mcp", "kill", "fuzz", "soak", "start"))
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=300, help="soak: how long; fuzz: how long at most")
    parser.add_argument("--port", type=int, default=7191)
    wish = parser.parse_args()
    if wish.drill == "mcp":
        return mcp(wish.clients, wish.calls)
    if wish.drill == "soak":
        return soak(wish.seconds, wish.port)
    if wish.drill == "start":
        return start(5)
    return kill(wish.times, wish.port) if wish.drill == "kill" else fuzz(wish.requests, wish.seconds, wish.port)


if __name__ == "__main__":
    sys.exit(main())
