"""A scripted endpoint on this machine that speaks OpenAI's `/embeddings`: a real server that fails on demand."""

from __future__ import annotations

import hashlib
import json
import re
from collections import deque
from collections.abc import Callable
from typing import Any

from recollect.testing.loopback import Loopback, Request, Response

_WORD = re.compile(r"\w+")
Entries = list[dict[str, Any]]
Fault = int | str
"""A status to answer with, or a name in `SPOILED` or `BROKEN`."""


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


class ScriptedEndpoint(Loopback):
    """Answers well unless told otherwise; a context manager. `url` is what `embedding.base_url` takes."""

    def __init__(self, size: int = 32, key: str = "") -> None:
        self.size = size
        self.key = key
        self.requests: list[Request] = []
        self.refused: str = ""
        """A word no text may hold: a request with it is refused with status 400."""
        self._faults: deque[Fault] = deque()
        super().__init__()

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

    def respond(self, request: Request) -> Response:
        """Answer a request, with the fault that is its turn."""
        fault = self.next_fault(request)
        if fault == "drop":
            return Response(drop=True)
        if fault == "huge":
            return Response(b" " * 65_536, repeat=1_100)
        if isinstance(fault, int) or fault in BROKEN:
            status = fault if isinstance(fault, int) else 200
            return Response(BROKEN.get(str(fault), _complaint(request)), status)
        payload = _answer(request, self.size, SPOILED.get(fault, list))
        delay = 5.0 if fault == "slow" else 0.0
        return Response(payload, delay=delay, pause=0.2 if fault == "trickle" else 0.0)


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
