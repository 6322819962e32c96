"""The MCP server as a command: for Claude, Cursor, Codex and every other client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.serve.cli.frame import STARTING, command
from recollect.serve.cli.options import Place, Speaker, loaded, opened, space_of
from recollect.text.later import later
from recollect.tools.toolbox import PROFILES, find_profile

if TYPE_CHECKING:
    from recollect.serve.mcp import stdio
else:
    (stdio,) = later("recollect.serve.mcp", "stdio")


@command(STARTING, "recollect mcp --user ana, as the command of an MCP client; `recollect install` writes that for you")
def mcp(
    place: Place,
    speaker: Speaker,
    profile: Annotated[str, typer.Option("--profile", help=f"Which tools: {', '.join(PROFILES)}.")] = "default",
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave jobs to `recollect worker`.")] = False,
) -> None:
    """Serve the tools over MCP, on standard input and output; `recollect serve` has the same over HTTP."""
    find_profile(profile)
    serve = loaded(lambda: stdio.serve, "mcp")
    with opened(place) as memory:
        memory.warm()
        serve(memory, space_of(memory, place, speaker), profile, work=not no_worker)
