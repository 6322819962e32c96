"""From the table of verbs to routes: what a verb takes is the request, what it gives is the answer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from recollect.front.space import Space
from recollect.model.memory import Memory
from recollect.model.values import written
from recollect.rules.gate.checks import LONGEST_NAME, LONGEST_PROJECT
from recollect.serve.rest import problems
from recollect.serve.rest.access import Caller, named
from recollect.serve.rest.etags import has_it
from recollect.serve.rest.problems import Problem, documented
from recollect.serve.rest.shortening import SHORTEN, SHORTENED, shortened, wanted
from recollect.serve.rest.threads import Threads
from recollect.serve.rest.verbs import VERBS, Verb
from recollect.tools.schema import flattened

CURSOR, NEXT = "cursor", "Recollect-Next"
BASE = "/v1/spaces/{user}"
Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]
REFUSALS = (400, 401, 403, 404, 409, 413, 421, 422, 429, 503, 504)


class VerbRoute(Route):
    """A route that leads to a verb at once: nothing of what it takes or gives is left to the framework."""

    def __init__(self, verb: Verb, threads: Threads) -> None:
        path = BASE + verb.path.replace("{name}", "{name:path}")  # a name may hold a slash
        super().__init__(path, _Answering(verb, threads), methods=[verb.method], name=verb.name.replace(".", "_"))
        self.methods = {verb.method}  # HEAD is made of GET before any route

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether a request is meant; then it is counted under this path."""
        match, found = super().matches(scope)
        return match, {**found, "route": self} if found else found


class _Answering:
    """Answers requests by a verb."""

    def __init__(self, verb: Verb, threads: Threads) -> None:
        self._call = _endpoint(verb, threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._call(Request(scope, receive))
        await response(scope, receive, send)


def routes(threads: Threads) -> list[VerbRoute]:
    """Give a route for every verb, to be carried out in these threads."""
    return [VerbRoute(verb, threads) for verb in VERBS]


def described(document: dict[str, Any]) -> dict[str, Any]:
    """Tell an OpenAPI document what the verbs take and give; that is slow, so that it waits until somebody asks."""
    for verb in VERBS:
        refusals = documented(*REFUSALS, *((412,) if verb.name == "update" else ()))
        responses = {str(status): one for status, one in {200: answered(verb), **refusals}.items()}
        if verb.name == "get":
            responses["304"] = {"description": "It has not changed."}
        document["paths"].setdefault(BASE + verb.path, {})[verb.method.lower()] = {
            "tags": [verb.group],
            "summary": _first(verb),
            "description": _words(verb),
            "operationId": verb.name.replace(".", "_"),
            "responses": responses,
            **_asked(verb),
        }
    document.setdefault("components", {})["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            operation["security"] = [] if path.startswith("/health/") else [{"key": []}]
    return document


def _endpoint(verb: Verb, threads: Threads) -> Endpoint:
    async def call(request: Request) -> Response:
        caller: Caller = request.scope["caller"]
        if not verb.query:
            given = read(verb.given, request, await body(request))
        elif verb.name == "list":
            return await threads.run(paged, verb, caller, request)
        else:
            given = queried(verb.given, request)
        return await threads.run(carried_out, verb, caller, request, given)

    return call


def carried_out(verb: Verb, caller: Caller, request: Request, given: Mapping[str, Any]) -> Response:
    """Call a verb for a request, and give its answer as JSON."""
    if not verb.reads:
        caller.must_write()
    space = caller.space(named(request, "user"))
    arguments = {**given, **{name: named(request, name) for name in verb.slots}}
    many = verb.name in SHORTENED
    supported(request, repeatable=verb.reads or verb.repeatable, versioned=verb.name == "update", shortened=many)
    most = wanted(request)
    if verb.repeatable and (again := request.headers.get("idempotency-key")):
        arguments["request_id"] = unquote(again)
    if verb.name == "update" and (expected := request.headers.get("if-match")):
        arguments["if_version"] = _version(space, arguments["memory_id"], expected)
    made = verb.bound(space)(**arguments)
    if verb.name == "entity" and made is None:
        raise Problem(404, "nothing is known of that name")
    return reply(shortened(made, most, request) if many else made, request, _etag(made))


def paged(verb: Verb, caller: Caller, request: Request) -> Response:
    """Give a page of a list; `Recollect-Next` names the cursor of the next, and what comes meanwhile shifts nothing."""
    supported(request, repeatable=True, shortened=True)
    most = wanted(request)
    space = caller.space(named(request, "user"))
    given = queried(verb.given, request, CURSOR)
    cursor = request.query_params.get(CURSOR, "")
    if "offset" in given:  # who counts for himself gets what he counts
        if cursor:
            raise Problem(422, "offset: a cursor says where the list goes on; leave one of them out")
        return reply(shortened(verb.bound(space)(**given), most, request), request)
    found = space.page(cursor=cursor, **given)
    response = reply(shortened(found.memories, most, request), request)
    if found.next:
        response.headers[NEXT] = found.next
    return response


def supported(request: Request, *, repeatable: bool = False, versioned: bool = False, shortened: bool = False) -> None:
    """Refuse a promise that would not be kept: to carry out once, only what has not changed, or to be short."""
    if not repeatable and "idempotency-key" in request.headers:
        raise Problem(422, "Idempotency-Key: a retry of this may be carried out twice; leave the header out")
    if not versioned and "if-match" in request.headers:
        raise Problem(422, "If-Match: only a PATCH of a memory looks at versions; leave the header out")
    if request.method != "GET" and "if-none-match" in request.headers:
        raise Problem(422, "If-None-Match: only a GET looks at it; leave the header out")
    if not shortened and SHORTEN in request.headers:
        raise Problem(422, f"{SHORTEN}: only a search and a list of memories look at it; leave the header out")


def _version(space: Space, memory_id: str, expected: str) -> int | None:
    """Give the version a memory must still be at, by the ETags a caller has seen; the verb itself holds to it.

    Where there is only one, nothing is read here: a retry is answered as it was, whatever came after it.
    """
    seen = [one.strip().strip('"').rpartition(".") for one in expected.split(",")]
    versions = {int(number) for name, _, number in seen if name == memory_id and number.isdecimal()}
    if expected.strip() == "*" or len(versions) > 1:
        now = space.get(memory_id).version
        return None if expected.strip() == "*" else now if now in versions else min(versions)
    if not versions:
        raise Problem(412, "If-Match is no ETag of this memory: read it again, then change it")
    return versions.pop()


def _etag(made: Any) -> str:
    return f'"{made.id}.{made.version}"' if isinstance(made, Memory) else ""


def reply(data: Any, request: Request, etag: str = "") -> Response:
    """Give values as JSON; who has it already is told so."""
    if etag and has_it(request, etag):
        return Response(status_code=304, headers={"ETag": etag})
    return Response(written(data), headers={"ETag": etag} if etag else None, media_type="application/json")


async def body(request: Request) -> bytes:
    """Give the body of a request; an empty one is an empty object."""
    try:
        return await request.body() or b"{}"
    except ClientDisconnect as error:  # a page that has moved on lets its requests go; nobody reads this
        raise Problem(400, "the request broke off before all of it was here") from error


def read(model: type[BaseModel], request: Request, raw: bytes) -> dict[str, Any]:
    """Read a body by its model: what was given and nothing else."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(400, f"the body is not UTF-8: byte {error.start} cannot be read") from error
    try:
        made = model.model_validate_json(raw, strict=True)
    except ValidationError as error:
        broken = any(one["type"] == "json_invalid" for one in error.errors(include_url=False))
        raise Problem(400 if broken else 422, problems.told(error, model)) from error
    return {name: getattr(made, name) for name in made.model_fields_set}


def queried(model: type[BaseModel], request: Request, *beside: str) -> dict[str, Any]:
    """Read a query by its model; a name that is given several times is a list."""
    several = {name for name, one in model.model_fields.items() if "list" in str(one.annotation)}
    dated = {name for name, one in model.model_fields.items() if "date" in str(one.annotation)}
    given: dict[str, Any] = {}
    for name in request.query_params.keys() - set(beside):
        values = request.query_params.getlist(name)
        if len(values) > 1 and name not in several:
            raise Problem(422, f"{name}: give it once")
        if name in dated:
            _dated(name, values[0])
        given[name] = values if name in several else values[0]
    try:
        made = model.model_validate(given)
    except ValidationError as error:
        raise Problem(422, problems.told(error, model, *beside)) from error
    return {name: getattr(made, name) for name in made.model_fields_set}


def _dated(name: str, value: str) -> None:
    """Refuse a bare number where a day or a moment is meant: nobody could tell of which clock it is."""
    if value.lstrip("+-").replace(".", "", 1).replace("e", "", 1).isdecimal():
        raise Problem(422, f"{name}: use ISO 8601, such as 2026-05-01 or 2026-05-01T09:30:00Z")


# What OpenAPI is told


def _words(verb: Verb) -> str:
    return (verb.run.__doc__ or "").strip().partition("\n\n")[2].replace("\n        ", " ")


def _first(verb: Verb) -> str:
    return (verb.run.__doc__ or "").strip().split("\n\n")[0].replace("\n        ", " ")


def answered(verb: Verb) -> dict[str, Any]:
    """Describe the answer of a verb."""
    schema = flattened(verb.answer.json_schema(mode="serialization"))
    return {"description": "Done.", "content": {"application/json": {"schema": schema}}}


def _asked(verb: Verb) -> dict[str, Any]:
    schema = flattened(verb.given.model_json_schema())
    slots = [_parameter(name, "path", _NAMED, True) for name in ("user", *verb.slots)]
    headers = [
        _parameter(name, "header", {"type": "string", "maxLength": most}, name == SESSION and verb.in_session)
        for name, most in _HEADERS.items()
    ]
    if verb.repeatable:
        headers.append(_parameter("Idempotency-Key", "header", {"type": "string", "maxLength": 200}))
    if verb.name == "update":
        headers.append(_parameter("If-Match", "header", {"type": "string"}))
    if verb.name in SHORTENED:
        headers.append(_parameter(SHORTEN, "header", {"type": "integer", "minimum": 1, "maximum": 999_999_999}))
    if verb.query:
        needed = schema.get("required", ())
        queries = [
            _parameter(name, "query", inner, name in needed, verb.example.get(name))
            for name, inner in schema.get("properties", {}).items()
        ]
        if verb.name == "list":
            queries.append(_parameter(CURSOR, "query", {"type": "string", "maxLength": 200}))
        return {"parameters": [*slots, *queries, *headers]}
    content = {"application/json": {"schema": schema, "example": dict(verb.example)}}
    return {
        "parameters": [*slots, *headers],
        "requestBody": {"required": bool(schema.get("required")), "content": content},
    }


SESSION = "Recollect-Session"
_HEADERS = {"Recollect-Agent": LONGEST_NAME, SESSION: LONGEST_NAME, "Recollect-Project": LONGEST_PROJECT}
_NAMED = {"type": "string", "minLength": 1}


def _parameter(name: str, place: str, schema: Any, needed: bool = False, example: Any = None) -> dict[str, Any]:
    made = {"name": name, "in": place, "required": needed, "schema": schema}
    return made if example is None else {**made, "example": example}
