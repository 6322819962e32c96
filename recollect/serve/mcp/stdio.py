"""MCP over standard input and output: one client, one process, many of them on one database."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading

import anyio
from mcp.server.stdio import stdio_server

from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.serve.mcp.handlers import build

GRACE = 2.0
"""How many seconds a session runs before jobs do: the first answer comes first."""


def serve(memory: Recollect, space: Space, profile: str, *, work: bool = True) -> None:
    """Serve one client until it hangs up; nothing but the protocol goes to standard output."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    timer = threading.Timer(GRACE, lambda: memory.worker().start()) if work else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    _end_on_signals(memory)
    try:
        anyio.run(_run, space, profile)
    finally:
        if timer is not None:
            timer.cancel()


def _end_on_signals(memory: Recollect) -> None:
    """End on Ctrl-C and SIGTERM; a second one does not wait for what is being written.

    The thread that reads standard input cannot be woken, so that the process is ended from a thread of its own.
    """
    told: list[int] = []

    def leave(number: int) -> None:
        memory.close()
        os._exit(128 + number)

    def stop(number: int, frame: object) -> None:
        told.append(number)
        if len(told) > 1:
            os._exit(128 + number)
        threading.Thread(target=leave, args=(number,)).start()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


async def _run(space: Space, profile: str) -> None:
    server = build(lambda request: space, profile)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
