"""MCP over HTTP: the handler that stands beside the REST routes, behind the same guard and the same keys."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from recollect.front.space import Space
from recollect.serve.mcp.handlers import build
from recollect.serve.rest.problems import Problem


def sessions(profile: str, body_bytes: int) -> StreamableHTTPSessionManager:
    """Make the handler of one profile; names and origins were checked by the guard before it."""
    return StreamableHTTPSessionManager(app=build(_space, profile), max_request_body_size=body_bytes)


def _space(request: Any) -> Space:
    """Give the space of whoever the request's own key is for."""
    try:
        made: Space = request.scope["caller"].space("me")
    except Problem as problem:
        raise MCPError(code=types.INVALID_PARAMS, message=problem.detail) from problem
    return made
