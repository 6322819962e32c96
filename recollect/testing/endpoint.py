"""A scripted endpoint on this machine that speaks OpenAI's `/embeddings`: a real server that fails on demand."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_WORD = re.compile(r"\w+")
Entries = list[dict[str, Any]]
Fault = int | str
"""A status to answer with, or a name in `SPOILED` or `BROKEN`."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in."""

    path: str
    key: str
    body: dict[str, Any] = field(default_factory=dict)


def word_vector(text: str, size: int) -> list[float]:
    """Make a vector that is the same everywhere: texts that share words point the same way."""
    total = [0.0] * size
    for word in _WORD.findall(text.casefold()) or [text]:
        digest = hashlib.shake_256(word.encode("utf-8", "replace")).digest(size)
        total = [old + (byte - 127.5) / 128 for old, byte in zip(total, digest, strict=True)]
    return total


def _numbers(value: Any) -> Callable[[Entries], Entries]:
    """Make a fault that puts a value into every vector."""
    return lambda entries: [{**one, "embedding": [value, *one["embedding"][1:]]} for one in entries]


SPOILED: dict[str, Callable[[Entries], Entries]] = {
    "nan": _numbers(float("nan")),
    "infinity": _numbers(float("inf")),
    "text": _numbers("0.5"),
    "true": _numbers(True),
    "enormous": _numbers(10**400),
    "zeros": lambda entries: [{**one, "embedding": [0] * len(one["embedding"])} for one in entries],
    "empty": lambda entries: [{**one, "embedding": []} for one in entries],
    "longer": lambda entries: [{**one, "embedding": [*one["embedding"], 0.5]} for one in entries],
    "first-nan": lambda entries: [*_numbers(float("nan"))(entries[:1]), *entries[1:]],
    "few": lambda entries: entries[:-1],
    "many": lambda entries: [*entries, {**entries[0], "index": len(entries)}],
    "twice": lambda entries: [{**one, "index": 0} for one in entries],
    "backwards": lambda entries: entries[::-1],
    "unnumbered": lambda entries: [{"embedding": one["embedding"]} for one in entries],
    "unnumbered-few": lambda entries: [{"embedding": one["embedding"]} for one in entries[:-1]],
    "not-entries": lambda entries: [],
}
"""Faults that leave an answer well-formed and change its vectors."""

BROKEN: dict[str, bytes] = {
    "garbage": b"<html>gateway\xff",
    "no-data": b'{"object": "list"}',
    "no-list": b'{"data": 5}',
    "scalar": b"7",
    "deep": b"[" * 100_000,
    "nothing": b"",
}
"""Faults that answer with something else altogether; `slow`, `trickle`, `drop` and `huge` are the others."""


class ScriptedEndpoint:
    """Answers well unless told otherwise; a context manager. `url` is what `embedding.base_url` takes."""

    def __init__(self, size: int = 32, key: str = "") -> None:
        self.size = size
        self.key = key
        self.requests: list[Request] = []
        self.refused: str = ""
        """A word no text may hold: a request with it is refused with status 400."""
        self._faults: deque[Fault] = deque()
        self._done = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address, as an endpoint's settings take it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *faults: Fault) -> None:
        """Say what happens to the next requests, one fault each; after them all is well."""
        self._faults.extend(faults)

    def next_fault(self, request: Request) -> Fault:
        """Note a request and give what shall happen to it; empty when nothing."""
        self.requests.append(request)
        if self.key and request.key != self.key:
            return 401
        if self.refused and any(self.refused in text for text in request.body.get("input", ())):
            return 400
        return self._faults.popleft() if self._faults else ""

    def rest(self, seconds: float) -> None:
        """Wait, but no longer than the server lives."""
        self._done.wait(seconds)

    def close(self) -> None:
        """End the server."""
        self._done.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> ScriptedEndpoint:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _handler(endpoint: ScriptedEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            request = Request(self.path, key, json.loads(sent))
            fault = endpoint.next_fault(request)
            if fault == "drop":
                self.close_connection = True
            elif fault == "huge":
                self._send(200, b" " * 65_536, repeat=1_100)
            elif isinstance(fault, int) or fault in BROKEN:
                status = fault if isinstance(fault, int) else 200
                self._send(status, BROKEN.get(str(fault), _complaint(request)))
            else:
                payload = _answer(request, endpoint.size, SPOILED.get(fault, list))
                endpoint.rest(5.0 if fault == "slow" else 0.0)
                self._send(200, payload, pause=0.2 if fault == "trickle" else 0.0)

        def _send(self, status: int, payload: bytes, *, repeat: int = 1, pause: float = 0.0) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload) * repeat))
                if 300 <= status < 400:
                    self.send_header("Location", endpoint.url + "/elsewhere")
                self.end_headers()
                step = 16 if pause else len(payload) or 1
                for _ in range(repeat):
                    for start in range(0, len(payload), step):
                        self.wfile.write(payload[start : start + step])
                        endpoint.rest(pause)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the other side has had enough

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: tests read what came in from `requests`."""

    return Handler


def _answer(request: Request, size: int, spoil: Callable[[Entries], Entries]) -> bytes:
    size = request.body.get("dimensions", size)
    entries: Entries = [
        {"object": "embedding", "index": at, "embedding": word_vector(text, size)}
        for at, text in enumerate(request.body["input"])
    ]
    return json.dumps({"object": "list", "data": spoil(entries), "model": request.body["model"]}).encode()


def _complaint(request: Request) -> bytes:
    """Quote the text and the key, as some endpoints do, so that tests can see that nobody repeats them."""
    return json.dumps({"error": {"message": f"{request.key} {request.body.get('input')}"}}).encode()
