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
    """Take the port before anything is said about it."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host.strip("[]"), port), family=family, backlog=2048)
    except OSError as error:
        told = error.strerror or str(error)
        raise Unavailable(f"cannot listen at {host}, port {port} ({told}): choose another with --port") from error
