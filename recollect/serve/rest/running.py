"""Running the server: an application at an address, until it is told to end."""

from __future__ import annotations

import socket
from contextlib import nullcontext

import uvicorn

from recollect.errors import Unavailable
from recollect.serve.rest.app import Application


def run(made: Application, at: socket.socket, *, worker: bool = True) -> None:
    """Serve until Ctrl-C or SIGTERM, with a worker beside it unless jobs are left to others."""
    config = uvicorn.Config(made, log_level="warning", access_log=False, server_header=False)
    with made.memory.worker() if worker else nullcontext():
        uvicorn.Server(config).run(sockets=[at])


def listening(host: str, port: int) -> socket.socket:
    """Take the port before anything is said about it. Answers go out at once: asyncio sees to that only for sockets it
    made itself, and the last packet of an answer would wait for the client's word, 40 ms."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.create_server((host.strip("[]"), port), family=family, backlog=2048)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made
    except (OSError, OverflowError) as error:
        told = getattr(error, "strerror", "") or str(error)
        raise Unavailable(f"cannot listen at {host}, port {port} ({told}): choose another with --port") from error
