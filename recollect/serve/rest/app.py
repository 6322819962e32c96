"""The application: routes, what stands before them, MCP beside them, and the server that runs it all."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from recollect import __version__
from recollect.errors import NotFound, RecollectError
from recollect.front.recollect import Recollect
from recollect.serve.rest import administration, further, problems, wiring
from recollect.serve.rest.access import Gate
from recollect.serve.rest.guard import Guard, Limits, Meters
from recollect.serve.rest.problems import Problem
from recollect.serve.rest.threads import Threads
from recollect.serve.web import pages
from recollect.text.later import later
from recollect.tools.toolbox import PROFILES

if TYPE_CHECKING:
    from recollect.serve.mcp import http
else:
    (http,) = later("recollect.serve.mcp", "http")

ABOUT = "Long-term memory for AI agents. Errors are problem+json; writes take an `Idempotency-Key`."
LATEST = "default"
DOCUMENT = "/openapi.json"


class Application:
    """The whole door: an ASGI application, with its routes in `api`."""

    def __init__(self, memory: Recollect, limits: Limits, *, key_required: bool, mcp: bool = True) -> None:
        self.memory = memory
        self.meters = Meters()
        self.gate = Gate(memory, required=key_required)
        self._sessions = _by_profile(limits) if mcp else {}
        self._document: dict[str, Any] = {}
        self._once = threading.Lock()
        self._threads = Threads()
        self.api = self._made()
        self._guarded = Guard(self.api, self.gate, limits, self.meters)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or open and close with the server."""
        await self._guarded(scope, receive, send)

    def _made(self) -> FastAPI:
        api = FastAPI(
            title="Recollect", version=__version__, description=ABOUT, lifespan=self._lifespan,
            docs_url=None, redoc_url=None,  # they would load their scripts from elsewhere
        )  # fmt: skip
        for routes in (
            further.health(self.memory).routes,
            further.shared().routes,
            wiring.routes(self._threads),
            further.tools().routes,
            further.streams().routes,
            further.keys(self.gate).routes,
            further.care(self.meters).routes,
            administration.administration().routes,
            pages.page(self.gate).routes,
        ):
            api.router.routes += routes  # a router within a router would be asked anew for every request
        for profile, handler in self._sessions.items():
            paths = [f"/mcp/{profile}", *(["/mcp"] if profile == LATEST else [])]
            for path in paths:
                api.router.routes.append(Route(path, _Mcp(handler), include_in_schema=False))
        plain = api.openapi
        api.openapi = lambda: self._described(plain)  # type: ignore[method-assign]
        # Describing everything takes a while: it waits until somebody asks, and holds up nobody else.
        mine = Route(DOCUMENT, self._document_given, include_in_schema=False)
        api.router.routes = [mine if getattr(one, "path", "") == DOCUMENT else one for one in api.router.routes]
        api.add_exception_handler(Problem, _problem)
        api.add_exception_handler(RecollectError, _error)
        api.add_exception_handler(HTTPException, _http)
        return api

    def _described(self, plain: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        with self._once:
            if not self._document:
                self._document = wiring.described(plain())
        return self._document

    async def _document_given(self, request: Request) -> Response:
        return wiring.reply(await run_in_threadpool(self.api.openapi), request)

    @asynccontextmanager
    async def _lifespan(self, api: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(self._threads.close)
            for one in self._sessions.values():
                await stack.enter_async_context(one.run())
            yield


class _Mcp:
    """Hands a request on to MCP's own handler."""

    def __init__(self, sessions: Any) -> None:
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sessions.handle_request(scope, receive, send)


def _by_profile(limits: Limits) -> dict[str, Any]:
    """Make a server of MCP for each profile; without its SDK there is none."""
    try:
        make = http.sessions
    except ImportError:
        return {}
    return {profile: make(profile, limits.body_bytes) for profile in PROFILES}


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    detail = _hinted(request, error.detail) if error.status == 422 else error.detail
    return problems.response(error.status, detail, headers=error.headers)


async def _error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RecollectError)
    return problems.of_error(error, _hinted(request, str(error)) if isinstance(error, NotFound) else "")


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods(request))
        return problems.response(405, f"use {headers['Allow']} here", headers=headers)
    told = (
        "there is nothing at this path: /openapi.json names all there are" if error.status_code == 404 else error.detail
    )
    return problems.response(error.status_code, str(told), headers=headers)


def _hinted(request: Request, detail: str) -> str:
    """Say also how a path is asked that was taken for the name of something: `/memories/search` is no memory's id."""
    methods = _methods(request)
    if request.method in methods:
        return detail
    return f"{detail.rstrip('.')}. For what /openapi.json describes at this path, send {', '.join(methods)}."


def _methods(request: Request) -> list[str]:
    """Give every method of a path, as it is described, and HEAD beside GET.

    The path that says most is meant: `/memories/search` may be the id of a memory as well.
    """
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    met = [one for one in request.app.routes if isinstance(one, Route) and one.path_regex.match(path)]
    closest = min(met, key=lambda one: (one.path.count("{"), -len(one.path))).path if met else ""
    methods = set[str]().union(*(one.methods or set() for one in met if one.path == closest))
    return sorted(methods | {"HEAD"} if "GET" in methods else methods)
