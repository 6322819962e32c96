"""The routes of the page: its files, and the session that a key opens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from recollect.model.owner import ApiKey
from recollect.model.values import plain
from recollect.serve.rest.access import LOCAL, Gate
from recollect.serve.rest.problems import Problem
from recollect.serve.rest.wiring import body, read, reply
from recollect.serve.web import assets, cookies

ROOT = "/ui/"
SESSION = f"{ROOT}session"


class Login(BaseModel):
    """The key a session is opened with."""

    model_config = ConfigDict(extra="forbid")

    key: Annotated[str, Field(min_length=1, max_length=4096)]


def page(gate: Gate) -> APIRouter:
    """Give the routes of the page; none needs a key, for without one the page asks for it."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def front() -> Response:
        """Lead to the page."""
        return RedirectResponse(ROOT)

    @router.get(ROOT.rstrip("/"))
    async def bare() -> Response:
        """Lead to the page."""
        return RedirectResponse(ROOT)

    @router.get(SESSION)
    async def state(request: Request) -> Response:
        """Say who is looking, or that a key is needed."""
        caller = await run_in_threadpool(gate.caller, request.headers)
        return _told(gate, caller.key, caller.session, request)

    @router.post(SESSION)
    async def begin(request: Request) -> Response:
        """Open a session with a key."""
        given = read(Login, request, await body(request))
        session = await run_in_threadpool(gate.memory.keys.begin_session, given["key"].strip(), cookies.HOURS)
        key = await run_in_threadpool(gate.memory.keys.session, session) if session else None
        if key is None:
            raise Problem(401, "this key opens nothing: it is unknown, expired or revoked")
        return _kept(_told(gate, key, session, request), session, request)

    @router.delete(SESSION)
    async def end(request: Request) -> Response:
        """End the session in this browser."""
        return _kept(reply({"ended": True}, request), "", request)

    @router.get(ROOT + "{path:path}")
    async def file(request: Request) -> Response:
        """Give a file of the page."""
        found = assets.sent(request.path_params["path"], request)
        if found is None:
            raise Problem(404, "the page has no such file")
        return found

    return router


def _told(gate: Gate, key: ApiKey, session: str, request: Request) -> Response:
    """Tell who is looking, and whom `me` means: nobody, where a key is for all."""
    me = key.user or (gate.memory.settings.user if key.id == LOCAL.id else "")
    about: dict[str, Any] = {"key": plain(key), "user": me, "csrf": cookies.csrf_of(session), "session": bool(session)}
    response = reply(about, request)
    response.headers["Cache-Control"] = "no-store"
    return response


def _kept(response: Response, session: str, request: Request) -> Response:
    response.headers["Set-Cookie"] = cookies.kept(session, secure=request.url.scheme == "https")
    return response
