"""The server: REST and MCP over HTTP, on this machine by default."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.errors import ConfigError
from recollect.serve.cli.frame import STARTING, command
from recollect.serve.cli.options import Base, loaded, opened
from recollect.serve.cli.render import note
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.serve.rest import access, app, guard, running
else:
    access, app, guard, running = later("recollect.serve.rest", "access", "app", "guard", "running")

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
    """Serve the page, REST and MCP; beyond this machine, and as soon as there are keys, a key is needed."""
    run = loaded(lambda: running.run, "server")
    here = loaded(lambda: access.loopback, "server")(host)
    alone = here and not allow_host  # who allows a name expects calls from elsewhere, such as through a proxy
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("mcp.server.streamable_http_manager").setLevel(logging.WARNING)  # else a line for each profile
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
        with running.listening(host, port) as taken:
            if not place.as_json:
                shown = f"[{host}]" if ":" in host else host
                note(f"serving; the page is at http://{shown}:{taken.getsockname()[1]}/ and Ctrl-C ends it")
            run(made, taken, worker=not no_worker)
