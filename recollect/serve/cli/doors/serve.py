"""The server: REST and MCP over HTTP, on this machine by default."""

from __future__ import annotations

import logging
import socket
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.errors import ConfigError, Unavailable
from recollect.serve.cli.frame import STARTING, command
from recollect.serve.cli.options import Base, loaded, opened
from recollect.serve.cli.render import note
from recollect.text.later import Later, later

if TYPE_CHECKING:
    import uvicorn

    from recollect.serve.rest import access, app, guard
else:
    access, app, guard = later("recollect.serve.rest", "access", "app", "guard")
    uvicorn = Later("uvicorn")

Several = list[str] | None


@command(STARTING, "recollect serve --port 7077, and then: curl localhost:7077/v1/spaces/me/stats")
def serve(
    place: Base,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 takes a free one.")] = 7077,
    allow_host: Annotated[
        Several, typer.Option("--allow-host", help="A name the server answers under; repeat.")
    ] = None,
    allow_origin: Annotated[Several, typer.Option("--allow-origin", help="A page that may call; repeat.")] = None,
    per_minute: Annotated[int, typer.Option("--per-minute", help="Requests a key may send a minute; 0: any.")] = 6000,
    failed_per_minute: Annotated[
        int, typer.Option("--failed-per-minute", help="Requests without a key that opens, a minute; 0: any.")
    ] = 60,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave jobs to `recollect worker`.")] = False,
) -> None:  # long because the parameters are the server
    """Serve memory over REST and MCP; beyond this machine, and as soon as there are keys, a key is needed."""
    run = loaded(lambda: uvicorn.Server, "server")
    here = loaded(lambda: access.loopback, "server")(host)
    alone = here and not allow_host  # who allows a name expects calls from elsewhere, such as through a proxy
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    with opened(place) as memory:
        if not alone and not memory.keys():
            raise ConfigError("beyond this machine a key is needed: make one with `recollect keys create NAME` first")
        memory.warm()
        names = guard.Limits().hosts if here else ()
        limits = guard.Limits(
            per_minute=per_minute,
            failed_per_minute=failed_per_minute,
            hosts=(*names, *(allow_host or ())) if here or allow_host else (),
            origins=tuple(allow_origin or ()),
        )
        made = app.Application(memory, limits, key_required=not alone)
        config = uvicorn.Config(made, host, port, log_level="warning", access_log=False, server_header=False)
        with _listening(host, port) as listening, nullcontext() if no_worker else memory.worker():
            if not place.as_json:
                shown = f"[{host}]" if ":" in host else host
                note(f"serving at http://{shown}:{listening.getsockname()[1]}; Ctrl-C ends it")
            run(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """Take the port before anything is said about it."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host.strip("[]"), port), family=family, backlog=2048)
    except OSError as error:
        told = error.strerror or str(error)
        raise Unavailable(f"cannot listen at {host}, port {port} ({told}): choose another with --port") from error
