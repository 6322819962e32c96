"""A memory on a server: the verbs of `Space` with the same names, arguments, answers and errors, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from inspect import signature
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from urllib.parse import quote

import httpx

from recollect import errors
from recollect.errors import InvalidInput, RecollectError, StoreError, Unavailable
from recollect.model.clock import iso
from recollect.model.values import dataclass
from recollect.serve.rest.verbs import FACETS, LOCAL, VERBS, Verb
from recollect.tools.declare import Answer

SECONDS = 60.0
TRIES = 3
LINES = "application/x-ndjson"
_BY_STATUS = {404: errors.NotFound, 409: errors.Conflict, 412: errors.Outdated, 503: Unavailable, 504: Unavailable}


@dataclass(frozen=True, slots=True)
class Where:
    """Whose memory, and who is speaking in which conversation."""

    user: str
    agent: str = ""
    session: str = ""
    tenant: str = ""
    project: str = ""

    def headers(self) -> dict[str, str]:
        """Give the headers that say so."""
        given = {
            "Recollect-Agent": self.agent,
            "Recollect-Session": self.session,
            "Recollect-Tenant": self.tenant,
            "Recollect-Project": self.project,
        }
        return {name: quote(value, safe=" ") for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class Call:
    """One verb with its arguments, on its way."""

    verb: Verb
    arguments: Mapping[str, Any]
    where: Where

    def request(self, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """Give it as a request; raises `InvalidInput` for what cannot travel."""
        given = dict(self.arguments)
        again, version = given.pop("request_id", ""), given.pop("if_version", None)
        path = "".join(("/v1/spaces/", _quoted(self.where.user), self.verb.path))
        for slot in self.verb.slots:
            path = path.replace(f"{{{slot}}}", _quoted(given.pop(slot)))
        headers = {**self.where.headers(), **({"Idempotency-Key": quote(str(again), safe=" ")} if again else {})}
        if version is not None:
            headers["If-Match"] = f'"{self.arguments["memory_id"]}.{version}"'
        if self.verb.query:
            shown = {name: _text(value) for name, value in given.items() if self._told(name, value)}
            return client.build_request(self.verb.method, path, params=shown, headers=headers)
        try:
            body = json.dumps(given, default=_json, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(f"an argument of {self.verb.name} is no plain data: {error}") from error
        headers["Content-Type"] = "application/json"
        return client.build_request(self.verb.method, path, content=body, headers=headers)

    def _told(self, name: str, value: Any) -> bool:
        """Tell whether an argument is to be sent; nothing stands for nothing only where the verb says so."""
        known = signature(self.verb.run).parameters.get(name)
        if value in ([], ()) or (value is None and known is not None and known.default is not None):
            raise InvalidInput(f"{name} is {value!r}: give a value, or leave it out")
        return value is not None

    def read(self, response: httpx.Response) -> Any:
        """Give the answer as the library would, or raise its error."""
        if self.verb.name == "entity" and response.status_code == 404:
            return None
        return self.verb.answer.validate_python(checked(response).json())

    @property
    def safe(self) -> bool:
        """Whether sending it again changes nothing more."""
        return self.verb.reads or bool(self.arguments.get("request_id"))


def _quoted(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput("an id or a name in the path is empty or no string")
    try:
        # Dots alone would be taken for a step up the path.
        return value.replace(".", "%2E") if value in (".", "..") else quote(value, safe="")
    except UnicodeEncodeError as error:
        raise InvalidInput("an id or a name holds half of a surrogate pair: pass valid Unicode") from error


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        raise InvalidInput("a time has no zone: pass one, for example datetime.now(UTC)")
    return iso(value)


def _text(value: Any) -> Any:
    if isinstance(value, list | tuple | set | frozenset):
        return [_text(one) for one in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return _json(value) if isinstance(value, date) else value


def checked(response: httpx.Response) -> httpx.Response:
    """Give a response that is none of a problem; of a problem, raise the library's own error."""
    if response.is_success:
        return response
    try:
        told = response.json()
        detail, name = str(told["detail"]), str(told.get("error", ""))
    except (ValueError, KeyError, TypeError):
        detail, name = f"the server answered {response.status_code}", ""
    raise _kind(name, response.status_code)(detail)


def _kind(name: str, status: int) -> type[RecollectError]:
    """Give the library's own error of that name; of another name, the one that fits the status."""
    known = getattr(errors, name, None)
    if isinstance(known, type) and issubclass(known, RecollectError):
        return known
    return _BY_STATUS.get(status) or (InvalidInput if 400 <= status < 500 else StoreError)


def lines(response: httpx.Response) -> Iterator[str]:
    """Give the lines of a stream, which end at line feeds and nowhere else; of a problem, raise the error."""
    if not response.is_success:
        response.read()
        checked(response)
    rest = ""
    for chunk in response.iter_text():
        *whole, rest = (rest + chunk).split("\n")
        yield from whole
    if rest:
        yield rest


def send(client: httpx.Client, call: Call) -> Any:
    """Send a call; what may be sent twice is tried again when the connection fails."""
    for attempt in range(TRIES):
        try:
            return call.read(client.send(call.request(client)))
        except httpx.TransportError as error:
            if not call.safe or attempt == TRIES - 1:
                raise unreachable(client.base_url, error) from error
    raise AssertionError


def unreachable(url: object, error: Exception) -> RecollectError:
    """Give the error that says that a server does not answer."""
    return Unavailable(f"the server {url} does not answer ({type(error).__name__}): is it running?")


@contextmanager
def _reached(client: httpx.Client) -> Iterator[None]:
    """Say that a server does not answer as the library says it."""
    try:
        yield
    except httpx.TransportError as error:
        raise unreachable(client.base_url, error) from error


class Facet:
    """A family of verbs of a space on a server, such as its inbox."""

    def __init__(self, space: RemoteSpace, name: str) -> None:
        self._space, self._name = space, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Carry out the verb the family is named after: it gives the list."""
        return self._space._called(self._name, args, kwargs)

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        full = f"{self._name}.{verb}"
        if verb.startswith("_") or full not in NAMED:
            raise AttributeError(f"{self._name} has no verb {verb!r}")
        return partial(_spoken, self._space, full)


def _spoken(space: RemoteSpace, name: str, *args: Any, **kwargs: Any) -> Any:
    return space._called(name, args, kwargs)


class RemoteSpace:
    """The memory of one user on a server; the verbs are those of `Space`."""

    def __init__(self, client: httpx.Client, where: Where) -> None:
        self._client, self._where = client, where

    def __getattr__(self, name: str) -> Any:
        if name in FACETS:
            return Facet(self, name)
        if name.startswith("_") or name not in NAMED:
            raise AttributeError(f"a space on a server has no verb {name!r}")
        return partial(_spoken, self, name)

    def _called(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        return send(self._client, bound(name, self._where, args, kwargs))

    def within(self, session: str) -> RemoteSpace:
        """Give the same memory in another session."""
        return RemoteSpace(self._client, replace(self._where, session=session))

    @property
    def now(self) -> datetime:
        """The time by the clock of the server's memory."""
        with _reached(self._client):
            told = checked(self._client.get("/v1/whoami", headers=self._where.headers())).json()
        return datetime.fromisoformat(told["now"])

    def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None, profile: str = "default") -> Answer:
        """Carry out a tool at the server, as `Tools.dispatch` does here."""
        path = f"/v1/spaces/{_quoted(self._where.user)}/tools/{_quoted(profile)}/{_quoted(name)}"
        with _reached(self._client):
            told = self._client.post(path, json=dict(arguments or {}), headers=self._where.headers())
        return Answer(**checked(told).json())

    def export(self, out: IO[str]) -> int:
        """Write this user's memory as lines of JSON, and give how many there are."""
        path = f"/v1/spaces/{_quoted(self._where.user)}/export"
        written = 0
        with (
            _reached(self._client),
            self._client.stream("GET", path, headers=self._where.headers()) as response,
        ):
            for line in lines(response):
                out.write(f"{line}\n")
                written += 1
        return written

    def follow(self, since: int | None = None) -> Generator[dict[str, Any], None, None]:
        """Give changes as they happen, from now on or after a revision, until the caller has enough."""
        path = f"/v1/spaces/{_quoted(self._where.user)}/changes/stream"
        headers = {**self._where.headers(), **({} if since is None else {"Last-Event-ID": str(since)})}
        with (
            _reached(self._client),
            self._client.stream("GET", path, headers=headers, timeout=None) as response,
        ):
            for line in lines(response):
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))


def bound(name: str, where: Where, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    """Give a call with its arguments by name, as the verb's own signature has them."""
    verb = NAMED[name]
    made = signature(verb.run).bind(None, *args, **kwargs)
    given = {key: value for key, value in made.arguments.items() if key not in LOCAL}
    for one in signature(verb.run).parameters.values():
        if one.kind is one.VAR_KEYWORD:
            given |= given.pop(one.name, {})
    return Call(verb, given, where)


NAMED: dict[str, Verb] = {verb.name: verb for verb in VERBS}


class RemoteRecollect:
    """A server's memory, and the spaces in it the key opens."""

    def __init__(self, url: str, key: str = "", *, timeout: float = SECONDS) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=timeout)

    def space(
        self, user: str = "me", agent: str = "", session: str = "", tenant: str = "", project: str = ""
    ) -> RemoteSpace:
        """Give the memory of one user; `me` is the one the key is for."""
        return RemoteSpace(self._client, Where(user, agent, session, tenant, project))

    def whoami(self) -> dict[str, Any]:
        """Say what the key opens, and which version the server has."""
        with _reached(self._client):
            made: dict[str, Any] = checked(self._client.get("/v1/whoami")).json()
        return made

    def import_file(self, path: str | Path) -> dict[str, Any]:
        """Put an export back at the server, all of it or nothing; it needs a key for administration."""
        try:
            with Path(path).open("rb") as file, _reached(self._client):
                told = self._client.post("/v1/import", content=file, headers={"Content-Type": LINES}, timeout=None)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
        made: dict[str, Any] = checked(told).json()
        return made

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(url: str, key: str = "", *, timeout: float = SECONDS) -> RemoteRecollect:
    """Open a memory on a server: `connect("http://localhost:7077").space("ana").recall("Lisbon")`."""
    if not url.startswith(("http://", "https://")):
        raise InvalidInput(f"{url!r} is no address of a server: use http://… or https://…, or Recollect(url) here")
    return RemoteRecollect(url, key, timeout=timeout)
