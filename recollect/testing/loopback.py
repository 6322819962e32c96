"""A real HTTP server on this machine, for endpoints that are scripted: it answers, stalls, trickles and hangs up."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in."""

    path: str
    key: str
    body: dict[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Response:
    """What is sent back, and how."""

    payload: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    repeat: int = 1
    """How often the payload is sent, to make a body of any size."""
    delay: float = 0.0
    """How many seconds pass before the answer begins."""
    pause: float = 0.0
    """How many seconds pass after every 16 bytes."""
    drop: bool = False
    """Hang up without an answer."""


class Loopback:
    """A server on a free port, from its making to its closing; a context manager. Subclasses say what is answered."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def host(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """The address, as an endpoint's settings take it."""
        return f"{self.host}/v1"

    def respond(self, request: Request) -> Response:
        """Say what is answered to a request."""
        raise NotImplementedError

    def rest(self, seconds: float) -> None:
        """Wait, but no longer than the server lives."""
        self._done.wait(seconds)

    def close(self) -> None:
        """End the server."""
        self._done.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _handler(server: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True  # an answer goes out at once
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            key = key or self.headers.get("x-api-key", "") or self.headers.get("x-goog-api-key", "")
            response = server.respond(Request(self.path, key, json.loads(sent), dict(self.headers)))
            server.rest(response.delay)
            if response.drop:
                self.close_connection = True
            else:
                self._send(response)

        def _send(self, response: Response) -> None:
            payload = response.payload
            try:
                self.send_response(response.status)
                self.send_header("Content-Length", str(len(payload) * response.repeat))
                for name, value in {"Content-Type": "application/json", **response.headers}.items():
                    self.send_header(name, value)
                if 300 <= response.status < 400:
                    self.send_header("Location", server.url + "/elsewhere")
                self.end_headers()
                step = 16 if response.pause else len(payload) or 1
                for _ in range(response.repeat):
                    for start in range(0, len(payload), step):
                        self.wfile.write(payload[start : start + step])
                        server.rest(response.pause)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the other side has had enough

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: tests read what came in from the server's record."""

    return Handler
