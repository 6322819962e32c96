"""The routes that are no single verb: tools, shared searches, streams, moving memory in and out, and administration."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import anyio
from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from prometheus_client import generate_latest
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from recollect import __version__
from recollect.errors import RecollectError
from recollect.front.space import Space
from recollect.front.subscribing import EVERY, Follower, noticed
from recollect.model.clock import iso
from recollect.model.values import plain
from recollect.rules.window.profiles import PROFILES as CONTEXTS
from recollect.serve.rest.access import LOOK_AGAIN, Caller, Gate, named
from recollect.serve.rest.calling import called
from recollect.serve.rest.guard import IMPORT, Meters
from recollect.serve.rest.problems import Problem, documented
from recollect.serve.rest.wiring import BASE, REFUSALS, body, read, reply, supported
from recollect.tools import schema
from recollect.tools.toolbox import PROFILES, find_profile

ANYTHING: dict[int | str, dict[str, Any]] = {
    200: {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}}
}
LISTED: dict[int | str, dict[str, Any]] = {
    200: {"description": "Done.", "content": {"application/json": {"schema": {"type": "array"}}}}
}

LINES = "application/x-ndjson"
_KNOWN: dict[str, dict[str, Any]] = {"profile": {"enum": list(PROFILES)}}
"""What can be said of a slot beside that it is a text."""


class NewKey(BaseModel):
    """What a new key shall open."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=200)]
    user: str = ""
    tenant: str = ""
    agent: str = ""
    project: str = ""
    read_only: bool = False
    admin: bool = False
    grants: list[str] = []
    days: float | None = None


class Search(BaseModel):
    """A search over one's own memory and what others have shared."""

    model_config = ConfigDict(extra="forbid")

    query: str
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


class Names(BaseModel):
    """Jobs by their names."""

    model_config = ConfigDict(extra="forbid")

    names: list[str] = []


def caller_of(request: Request) -> Caller:
    """Give who is calling."""
    made: Caller = request.scope["caller"]
    return made


def _said(example: Any, *parameters: str) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1}
    slots = [
        {"name": one, "in": "path", "required": True, "schema": {**text, **_KNOWN.get(one, {})}} for one in parameters
    ]
    if example is None:
        return {"parameters": slots}
    model, shown = example
    made = schema.flattened(model.model_json_schema())
    content = {"application/json": {"schema": made, "example": shown}}
    return {"parameters": slots, "requestBody": {"required": bool(made.get("required")), "content": content}}


async def _promises(request: Request) -> None:
    """Refuse what these routes cannot promise, instead of passing over it."""
    supported(request, repeatable=request.method == "GET")


async def _reading(request: Request) -> None:
    """Refuse what routes that only read cannot promise; to read twice is harmless."""
    supported(request, repeatable=True)


def tools() -> APIRouter:
    """Give the routes of the tools."""
    router = APIRouter(tags=["tools"], dependencies=[Depends(_promises)])

    @router.get("/v1/tools", responses={**LISTED, **documented(401, 403, 421, 429)}, response_class=Response)
    async def profiles(request: Request) -> Response:
        """List the profiles and their tools."""
        return reply([{"profile": name, "tools": list(find_profile(name).tools)} for name in PROFILES], request)

    @router.get(
        "/v1/tools/{profile}",
        responses={**LISTED, **documented(401, 403, 404, 421, 422, 429)},
        response_class=Response,
        openapi_extra=_said(None, "profile"),
    )
    async def described(request: Request) -> Response:
        """Describe the tools of a profile: their schemas, and what they may do."""
        found = find_profile(named(request, "profile"))
        return reply([_tool(one) for one in found.tools.values()], request)

    @router.post(
        BASE + "/tools/{profile}/{tool}",
        responses={**ANYTHING, **documented(*REFUSALS)},
        response_class=Response,
        openapi_extra=_said((_Anything, {"query": "where does Ana live?"}), "user", "profile", "tool"),
    )
    async def call(request: Request) -> Response:
        """Call a tool as a model would: its text, its data, and whether it was refused."""
        given = read(_Anything, request, await body(request))
        return await run_in_threadpool(_called, request, given)

    return router


class _Anything(BaseModel):
    """The arguments of a tool, whatever they are."""

    model_config = ConfigDict(extra="allow")


def _called(request: Request, given: dict[str, Any]) -> Response:
    slots = [named(request, one) for one in ("user", "profile", "tool")]
    answer = called(caller_of(request), slots[0], slots[1], slots[2], given)
    return reply({"text": answer.text, "data": answer.data, "refused": answer.refused}, request)


def _tool(one: Any) -> dict[str, Any]:
    hints = {"reads": one.reads, "destroys": one.destroys, "repeats": one.repeats}
    return {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "input": schema.parameters(one),
        "output": one.output,
        **hints,
    }


def streams() -> APIRouter:
    """Give the routes that stream: changes as they happen, and whole exports."""
    router = APIRouter(tags=["changes"], dependencies=[Depends(_reading)])

    @router.get(
        BASE + "/changes/stream",
        response_class=EventSourceResponse,
        responses=documented(401, 403, 404, 421, 422, 429),
        openapi_extra=_said(None, "user"),
    )
    async def changes(
        request: Request, start: Annotated[tuple[Space, Follower], Depends(_start)]
    ) -> AsyncIterator[ServerSentEvent]:
        """Send every change as it happens; `Last-Event-ID`, a revision, goes on where a connection broke."""
        space, follower = start
        checked = anyio.current_time()
        while not await request.is_disconnected():
            if anyio.current_time() - checked > LOOK_AGAIN:
                if not await run_in_threadpool(caller_of(request).still):
                    return
                checked = anyio.current_time()
            entries = await run_in_threadpool(follower.news)
            for entry in entries:
                notice = noticed(space.owner, entry)
                yield ServerSentEvent(data=plain(entry), event=notice.name, id=str(entry.rev))
            if not entries:
                await anyio.sleep(EVERY)

    @router.get(
        BASE + "/export",
        response_class=StreamingResponse,
        responses={
            200: {"description": "Lines of JSON.", "content": {LINES: {"schema": {"type": "string"}}}},
            **documented(401, 403, 404, 421, 422, 429),
        },
        openapi_extra=_said(None, "user"),
    )
    async def export(request: Request) -> Response:
        """Give all of a user's memory as lines of JSON, which `POST /v1/import` puts back."""
        space = caller_of(request).space(named(request, "user"))
        file = await run_in_threadpool(_exported, space)  # closed also where nobody reads a line of it
        return StreamingResponse(_lines(file), media_type=LINES, background=BackgroundTask(file.close))

    return router


async def _start(request: Request) -> tuple[Space, Follower]:
    """Give whose changes are streamed and from where on, before the stream begins: later nothing can be refused."""
    space = caller_of(request).space(named(request, "user"))
    given = request.headers.get("last-event-id") or request.query_params.get("since")
    if given is not None and (not given.isdecimal() or len(given) > 18):
        raise Problem(422, "Last-Event-ID is the number of a revision")
    return space, await run_in_threadpool(space.follow, None if given is None else int(given))


def _exported(space: Space) -> IO[str]:
    """Give the whole export in a file, before the answer begins: later nothing can be refused."""
    file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115  who sends it closes it
    try:
        space.export(file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def _lines(file: IO[str]) -> Iterator[str]:
    with file:
        while chunk := file.read(65_536):
            yield chunk


def shared() -> APIRouter:
    """Give the routes about whose memory one may see."""
    router = APIRouter(tags=["spaces"], dependencies=[Depends(_reading)])

    @router.get("/v1/spaces", responses={**LISTED, **documented(401, 403, 421, 429)}, response_class=Response)
    async def spaces(request: Request) -> Response:
        """List the users whose memory the key opens."""
        return reply(await run_in_threadpool(_spaces, caller_of(request)), request)

    @router.get("/v1/profiles", responses={**LISTED, **documented(401, 403, 421, 429)}, response_class=Response)
    async def contexts(request: Request) -> Response:
        """List the forms a context can have, the one in use first."""
        used = caller_of(request).memory.settings.context.profile
        return reply([used, *(one for one in CONTEXTS if one != used)], request)

    @router.get("/v1/whoami", responses={**ANYTHING, **documented(401, 403, 421, 429)}, response_class=Response)
    async def whoami(request: Request) -> Response:
        """Say what the key opens, and which server this is."""
        caller = caller_of(request)
        now = caller.memory.space(caller.key.user or caller.memory.settings.user).now
        return reply({"version": __version__, "key": caller.key, "now": iso(now)}, request)

    @router.post(
        BASE + "/shared/search",
        responses={**LISTED, **documented(*REFUSALS)},
        response_class=Response,
        openapi_extra=_said((Search, {"query": "harbour", "limit": 5}), "user"),
    )
    async def search(request: Request) -> Response:
        """Search one's own memory and what the key was granted; every hit names the space it is from."""
        given = read(Search, request, await body(request))
        return await run_in_threadpool(_found, request, given)

    @router.get(
        "/memory/{memory_id}/history",
        responses={**LISTED, **documented(401, 403, 404, 421, 422, 429)},
        response_class=Response,
        openapi_extra=_said(None, "memory_id"),
    )
    async def history(request: Request) -> Response:
        """Give everything that happened to a memory of the key's own user."""
        space = caller_of(request).space("me")
        return reply(await run_in_threadpool(space.history, named(request, "memory_id")), request)

    return router


def _spaces(caller: Caller) -> list[dict[str, str]]:
    if caller.key.user:
        return [{"tenant": caller.key.tenant, "user": one} for one in (caller.key.user, *caller.key.grants)]
    found = caller.memory.owners()
    return [{"tenant": tenant, "user": user} for tenant, user in found if caller.key.admin or tenant == caller.tenant]


def _found(request: Request, given: dict[str, Any]) -> Response:
    """Search one space after the other and merge what was found: no statement spans owners."""
    caller, user = caller_of(request), named(request, "user")
    own = caller.space(user)
    places = [(user, own), *(caller.granted() if caller.key.user else [])]
    hits = [(name, hit) for name, space in places for hit in space.recall(given["query"], given.get("limit", 10))]
    hits.sort(key=lambda one: -one[1].score)
    return reply([{"space": name, "hit": hit} for name, hit in hits[: given.get("limit", 10)]], request)


def keys(gate: Gate) -> APIRouter:
    """Give the routes of the keys; the gate hears at once of one that is made here."""
    router = APIRouter(tags=["administration"], dependencies=[Depends(_promises)])

    @router.get("/v1/keys", responses={**LISTED, **documented(401, 403, 421, 429)}, response_class=Response)
    async def listed(request: Request) -> Response:
        """List the keys, without their secrets."""
        caller_of(request).must_administer()
        return reply(await run_in_threadpool(caller_of(request).memory.keys), request)

    @router.post(
        "/v1/keys",
        responses={**ANYTHING, **documented(*REFUSALS)},
        response_class=Response,
        openapi_extra=_said((NewKey, {"name": "laptop", "user": "ana"})),
    )
    async def create(request: Request) -> Response:
        """Make a key; its secret is in this answer and nowhere else."""
        caller_of(request).must_administer()
        given = read(NewKey, request, await body(request))
        made, secret = await run_in_threadpool(lambda: caller_of(request).memory.keys.create(**given))
        gate.look_again()
        return reply({"key": made, "secret": secret}, request)

    @router.delete(
        "/v1/keys/{key_id}",
        responses={**ANYTHING, **documented(*REFUSALS)},
        response_class=Response,
        openapi_extra=_said(None, "key_id"),
    )
    async def revoke(request: Request) -> Response:
        """Let a key open nothing any more."""
        caller_of(request).must_administer()
        gone = await run_in_threadpool(caller_of(request).memory.keys.revoke, named(request, "key_id"))
        return reply(gone, request)

    return router


def care(meters: Meters) -> APIRouter:
    """Give the routes that run jobs, move memory in, and tell what was counted."""
    router = APIRouter(tags=["administration"], dependencies=[Depends(_promises)])

    @router.get("/v1/jobs", responses={**LISTED, **documented(401, 403, 421, 429)}, response_class=Response)
    async def jobs(request: Request) -> Response:
        """List the jobs of all users."""
        caller_of(request).must_administer()
        return reply(await run_in_threadpool(caller_of(request).memory.jobs), request)

    @router.post(
        "/v1/jobs/run",
        responses={**LISTED, **documented(*REFUSALS)},
        response_class=Response,
        openapi_extra=_said((Names, {"names": ["consolidate"]})),
    )
    async def run(request: Request) -> Response:
        """Run the jobs that are due, or those named at once."""
        caller_of(request).must_administer()
        given = read(Names, request, await body(request))
        memory = caller_of(request).memory
        reports = await run_in_threadpool(lambda: memory.jobs.run(given.get("names") or None))
        return reply(reports, request)

    @router.post(
        IMPORT,
        responses={**ANYTHING, **documented(*REFUSALS)},
        response_class=Response,
        openapi_extra={"requestBody": {"required": True, "content": {LINES: {"schema": {"type": "string"}}}}},
    )
    async def read_in(request: Request) -> Response:
        """Put an export back, of any length; users that already have memories are refused."""
        caller_of(request).must_administer()
        with tempfile.TemporaryDirectory(prefix="recollect-import-") as folder:
            path = Path(folder) / "import.jsonl"
            await _kept(request, path)
            return reply(await run_in_threadpool(_import, caller_of(request), path), request)

    @router.get("/metrics", responses=documented(401, 403, 421, 429), response_class=Response)
    async def metrics(request: Request) -> Response:
        """Give what was counted, for Prometheus."""
        caller_of(request).must_administer()
        return Response(generate_latest(meters.registry), media_type="text/plain; version=0.0.4")

    return router


async def _kept(request: Request, path: Path) -> None:
    """Write a body to a file as it comes; one that is not UTF-8 is refused."""
    reader = codecs.getincrementaldecoder("utf-8")()
    try:
        async with await anyio.open_file(path, "wb") as file:
            async for chunk in request.stream():
                reader.decode(chunk)
                await file.write(chunk)
        reader.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise Problem(400, f"the body is not UTF-8: {error.reason}") from error


def _import(caller: Caller, path: Path) -> Any:
    try:
        return caller.memory.import_file(path)
    except RecollectError as error:  # where it was kept meanwhile is nobody's business
        raise type(error)(str(error).replace(str(path), "the body")) from error


def health(memory: Any) -> APIRouter:
    """Give the routes that say how the server is, which need no key."""
    router = APIRouter(tags=["health"])
    fine: dict[int | str, dict[str, Any]] = {
        200: {"description": "It is.", "content": {"application/json": {"schema": {"type": "object"}}}}
    }

    @router.get("/health/live", responses={**fine, **documented(421)}, response_class=Response)
    async def live(request: Request) -> Response:
        """Say that the process answers."""
        return reply({"status": "ok", "version": __version__}, request)

    @router.get("/health/ready", responses={**fine, **documented(421, 503)}, response_class=Response)
    async def ready(request: Request) -> Response:
        """Say whether the database answers."""
        try:
            engine = (await run_in_threadpool(memory.describe))["engine"]
        except RecollectError as error:
            raise Problem(503, "the database does not answer") from error
        return reply({"status": "ok", "engine": engine}, request)

    return router
