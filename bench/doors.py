"""Drills of the doors: `python -m bench.doors mcp|kill|fuzz`: many clients on one file, and a server that is killed."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
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
    server = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health/ready", timeout=1).is_success:
                return server
        except httpx.TransportError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def kill(times: int, port: int) -> int:
    """Kill a server under load again and again: what was acknowledged is there, retries make nothing twice."""
    acknowledged: dict[str, str] = {}
    over = threading.Event()

    def writer(number: int) -> None:
        at = 0
        while not over.is_set():
            name = f"{number}-{at}"
            body = {"role": "user", "content": f"Message {name} of a long talk."}
            try:
                told = httpx.post(
                    f"http://127.0.0.1:{port}/v1/spaces/ana/messages",
                    json=body,
                    headers={"Idempotency-Key": name},
                    timeout=5,
                )
                if told.is_success:
                    acknowledged[name] = told.json()["id"]
                    at += 1
            except httpx.TransportError:
                time.sleep(0.05)  # the same key again, until it is answered

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
            kept: list[str] = []
            while page := memory.space("ana").list("oldest", 1000, len(kept), kinds="episode"):
                kept += [one.id for one in page]
    lost = set(acknowledged.values()) - set(kept)
    print(f"killed {times} times: {len(acknowledged)} acknowledged, {len(kept)} kept, {len(lost)} lost")
    return 0 if not lost and len(kept) - len(acknowledged) in range(5) else 1


def fuzz(many: int, port: int) -> int:
    """Send a server nonsense: it answers every time, never with a fault of its own."""
    dice = random.Random(7)
    paths = ["/v1/spaces/me/memories", "/v1/spaces/me/memories/search", "/v1/spaces/me/context", "/mcp", "/v1/keys"]
    words = ["content", "query", "role", "limit", "kinds", "tags", "id", "where", "action", "name", "items"]
    values = ["", "x", "\ufffd", "'; DROP", "\u202e", 0, -1, 1e308, 2**70, None, True, [], {}, [[[]]], "a" * 5000]
    server = None
    with tempfile.TemporaryDirectory() as folder:
        server = started(f"sqlite:///{folder}/m.db", port)
        statuses: dict[int, int] = {}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            for _ in range(many):
                path = dice.choice(paths) + (
                    f"/{quote(str(dice.choice(values))[:50], safe='')}" if dice.random() < 0.4 else ""
                )
                body = {dice.choice(words): dice.choice(values) for _ in range(dice.randint(0, 4))}
                raw = os.urandom(dice.randint(0, 200)) if dice.random() < 0.1 else None
                method = dice.choice(["GET", "POST", "PATCH", "DELETE", "PUT"])
                told = (
                    client.request(method, path, content=raw)
                    if raw is not None
                    else client.request(method, path, json=body)
                )
                statuses[told.status_code] = statuses.get(told.status_code, 0) + 1
        alive = server.poll() is None
        server.terminate()
        server.wait()
    print(f"{many} requests: {dict(sorted(statuses.items()))}, alive: {alive}")
    return 0 if alive and not any(status >= 500 for status in statuses) else 1


def main() -> int:
    """Run a drill and exit with what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drill", choices=("mcp", "kill", "fuzz"))
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--port", type=int, default=7191)
    wish = parser.parse_args()
    if wish.drill == "mcp":
        return mcp(wish.clients, wish.calls)
    return kill(wish.times, wish.port) if wish.drill == "kill" else fuzz(wish.requests, wish.port)


if __name__ == "__main__":
    sys.exit(main())
