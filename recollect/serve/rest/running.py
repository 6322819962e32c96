"""Running the server: an application at an address, until it is told to end."""

from __future__ import annotations

from contextlib import nullcontext

import uvicorn

from recollect.serve.rest.app import Application


def run(made: Application, host: str, port: int, *, worker: bool = True) -> None:
    """Serve until Ctrl-C or SIGTERM, with a worker beside it unless jobs are left to others."""
    config = uvicorn.Config(made, host, port, log_level="warning", access_log=False, server_header=False)
    with made.memory.worker() if worker else nullcontext():
        uvicorn.Server(config).run()
