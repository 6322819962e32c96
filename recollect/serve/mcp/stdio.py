"""MCP over standard input and output: one client, one process, many of them on one database."""

from __future__ import annotations

import logging
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
    try:
        anyio.run(_run, space, profile)
    finally:
        if timer is not None:
            timer.cancel()


async def _run(space: Space, profile: str) -> None:
    server = build(lambda request: space, profile)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
