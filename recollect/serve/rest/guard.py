"""What stands before every route: names, origins, sizes, rates and times are checked, and every request is noted."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from functools import cache
from urllib.parse import unquote_to_bytes

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import RecollectError
from recollect.model.values import dataclass
from recollect.serve.rest.access import Caller, Gate
from recollect.serve.rest.problems import Problem, of_error, response

ACCESS = logging.getLogger("recollect.access")
LOG = logging.getLogger("recollect")
OPEN = ("/health/live", "/health/ready")
"""What is answered without a key."""
PAGE = ("/", "/ui")
"""The page: its files need no key, and without one it asks for it."""
IMPORT = "/v1/import"
MCP = "/mcp"
"""Where a GET takes the one stream a session has: what HEAD means there is left to MCP."""
STREAMS = ("/stream", "/export", MCP, IMPORT)
"""What may last: the end of such a path, or its beginning."""
METHODS = frozenset(("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"))
_FAILED, _LATER = "failed", {"Retry-After": "10"}
GIVEN_UP = "the answer took too long; it may still be carried out: retry with the same Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may be."""

    body_bytes: int = 4 * 2**20
    per_minute: int = 6000
    """How many requests a key, or an address without one, may send in a minute; 0 for any number."""
    failed_per_minute: int = 60
    """How many requests without a key that opens something an address may send in a minute; 0 for any number."""
    import_bytes: int = 2**36
    """How long an import may be: it goes to a file as it comes, and only administration may send one."""
    seconds: float = 60.0
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    """The names this server answers under; empty for any, where a key is needed anyway."""
    origins: tuple[str, ...] = ()
    """Pages of other servers that may call, as `https://example.org`."""


class Meters:
    """What is counted for `/metrics`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("recollect_http_requests", "Requests answered.", labels, registry=self.registry)
        self.seconds = Histogram(
            "recollect_http_request_seconds", "How long answers took.", ("route",), registry=self.registry
        )
        self._counted = cache(self.requests.labels)  # there are only so many, and finding one takes as long as counting
        self._timed = cache(self.seconds.labels)

    def count(self, method: str, route: str, status: int, took: float) -> None:
        """Count a request that was answered."""
        self._counted(method, route, str(status)).inc()
        self._timed(route).observe(took)


def _routed(path: bytes) -> str:
    """Give a path as routes are found by: each part read once, a slash or % within one written as it was.

    One that is no UTF-8 is refused: what cannot be read would stand for the same user, whoever was meant.
    """
    try:
        parts = [unquote_to_bytes(part).decode("utf-8") for part in path.split(b"/")]
    except UnicodeDecodeError as error:
        raise Problem(400, "the path is not UTF-8: encode names as UTF-8 before quoting them with %") from error
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def _first(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Give headers by their names; of one that is sent several times, the first."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(list(headers))}


class Guard:
    """The ASGI layer around the application."""

    def __init__(self, app: ASGIApp, gate: Gate, limits: Limits, meters: Meters) -> None:
        self._app, self._gate, self._limits, self._meters = app, gate, limits, meters
        self._rate = RateLimitItemPerMinute(limits.per_minute) if limits.per_minute else None
        self._failed = RateLimitItemPerMinute(limits.failed_per_minute) if limits.failed_per_minute else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._any_failed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen, asked = _Seen(send), scope
        if scope["method"] == "HEAD" and not scope["path"].startswith(MCP):
            # The server itself looks at the method of its own; by this version of ASGI a stream listens for its end.
            seen, asked = _Begun(send), {**scope, "method": "GET", "asgi": {"version": "3.0", "spec_version": "2.3"}}
            receive = seen.receive
        began = time.perf_counter()
        try:
            await self._handed_on(asked, receive, seen)
        except Problem as problem:
            await response(problem.status, problem.detail, headers=problem.headers)(scope, receive, seen)
        except RecollectError as error:
            await of_error(error)(scope, receive, seen)
        except TimeoutError:
            if not seen.status:
                await response(504, GIVEN_UP)(scope, receive, seen)
        except Exception:  # the last door: it is reported, and the caller learns only that it happened
            LOG.exception("a request failed")
            if not seen.status:
                await response(500, "it was reported in the server's log")(scope, receive, seen)
        self._note({**asked, "method": scope["method"]}, seen.status, time.perf_counter() - began)

    async def _handed_on(self, scope: Scope, receive: Receive, send: _Seen) -> None:
        # Blanks around a value are no part of it (RFC 9110), and not every parser takes them off.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        scope["path"] = _routed(scope.get("raw_path") or scope["path"].encode())
        headers = _first(scope["headers"])
        self._named(headers)
        address = str((scope.get("client") or ("",))[0])
        if scope["path"] in PAGE or scope["path"].startswith("/ui/"):
            self._slow(address)
        elif scope["path"] not in OPEN:
            scope["caller"] = who = await self._caller(headers, scope["method"], address)
            self._slow(who.key.id if who.key.id != "local" else address)
        most = self._limits.import_bytes if scope["path"] == IMPORT else self._limits.body_bytes
        if int(headers.get("content-length") or 0) > most:
            raise Problem(413, f"the body takes more than {most:,} bytes: send less at once")
        lasting = scope["path"].endswith(STREAMS) or scope["path"].startswith(STREAMS)
        async with asyncio.timeout(None if lasting else self._limits.seconds):
            await self._app(scope, _Bounded(receive, most), send)

    def _named(self, headers: Mapping[str, str]) -> None:
        host = headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if self._limits.hosts and name not in self._limits.hosts:
            raise Problem(421, "this server does not answer under that name: allow it with --allow-host")
        origin = headers.get("origin")
        if origin is not None and origin not in self._limits.origins and origin.partition("://")[2] != host:
            raise Problem(403, "pages from that origin may not call: allow it with --allow-origin")

    async def _caller(self, headers: Mapping[str, str], method: str, address: str) -> Caller:
        """Give who is calling. From an address that has tried too often, only keys that have opened are looked at."""
        if self._tried(address) and not self._gate.has_opened(headers):
            raise Problem(429, "too many requests without a key that opens something: wait a minute", _LATER)
        if (known := self._gate.at_once(headers)) is not None:
            return known
        try:
            return await asyncio.to_thread(self._gate.caller, headers, method)
        except Problem:
            if self._failed is not None:
                self._any_failed = True
                self._limiter.hit(self._failed, _FAILED, address)
            raise

    def _tried(self, address: str) -> bool:
        """Tell whether an address has tried too often; where nobody has, nothing is counted."""
        return self._any_failed and self._failed is not None and not self._limiter.test(self._failed, _FAILED, address)

    def _slow(self, who: str) -> None:
        if self._rate is not None and not self._limiter.hit(self._rate, who):
            raise Problem(429, f"more than {self._rate.amount} requests a minute: wait a little", _LATER)

    def _note(self, scope: Scope, status: int, took: float) -> None:
        route = getattr(scope.get("route"), "path", "") or "unmatched"  # what a caller made up is no label
        method = scope["method"] if scope["method"] in METHODS else "OTHER"
        caller = scope.get("caller")
        self._meters.count(method, route, status, took)
        ACCESS.info("%s %s %s %.1fms key=%s", method, route, status, took * 1000, caller.key.id if caller else "-")


class _Seen:
    """Passes a response on, and remembers its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)


class _Begun(_Seen):
    """Passes on how a response begins and ends it there, as HEAD wants it; a stream sees its reader leave."""

    def __init__(self, send: Send) -> None:
        super().__init__(send)
        self._asked = False
        self._ended = asyncio.Event()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await super().__call__(message)
            await self._send({"type": "http.response.body", "body": b""})
            self._ended.set()

    async def receive(self) -> Message:
        """Give the request, which has no body, and that nobody reads on once the response has begun."""
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._ended.wait()
        return {"type": "http.disconnect"}


class _Bounded:
    """Passes a body on, and stops one that is longer than it said or may be."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise Problem(413, "the body is too long: send less at once")
        return message
