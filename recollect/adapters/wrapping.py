"""Two lines to an assistant that remembers: a client of OpenAI or Anthropic whose calls go through memory.

It works where requests leave: below the client's methods, so that all of them take part, streams, tools and parsing
included. What goes wrong in memory is told to the log and never to the caller.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from recollect.adapters.dialects import DIALECTS, Dialect, Message, asks, events_of
from recollect.errors import InvalidInput
from recollect.front.aio import AsyncSpace
from recollect.model.values import dataclass
from recollect.rules.gate import checks

LOG = logging.getLogger("recollect")
SWITCH, SESSION = "recollect-memory", "recollect-session"
"""The headers of one call that say what memory does and which conversation it is; they are taken out on the way."""
OFF = {SWITCH: "off"}
"""Pass it as `extra_headers` and a call goes out, and comes back, without memory."""
READ_ONLY = {SWITCH: "read"}
"""Pass it as `extra_headers` and a call has its context, and nothing of it is kept."""
CLIENTS = ("OpenAI", "AsyncOpenAI", "Anthropic", "AsyncAnthropic")
PLACES = ("last", "front")
MOST_BYTES = 32 * 2**20
"""How long an answer may be to be kept."""

C = TypeVar("C")


def wrap(
    client: C,
    space: Any,
    *,
    budget_tokens: int = 1200,
    profile: str = "",
    place: str = "last",
    told: Callable[[Exception], None] | None = None,
) -> C:
    """Give a client like the one given whose calls remember: what is known goes in, what is said is kept.

    `space` is a `Space`, or one of a server. With `place="front"` all memory stands in the first instructions, for
    models that take none later. `told` hears of everything that goes wrong in memory.
    """
    names = {one.__name__ for one in type(client).__mro__}
    inner = getattr(client, "_client", None)
    if not names.intersection(CLIENTS) or inner is None or not callable(getattr(client, "copy", None)):
        raise InvalidInput(f"{type(client).__name__} cannot be wrapped: pass a client of openai or anthropic")
    own = space.sync if isinstance(space, AsyncSpace) else space
    if not callable(getattr(own, "within", None)):
        raise InvalidInput("pass a space: Recollect().space(user) or recollect.connect(url).space(user)")
    memory = Remembering(
        own,
        checks.whole("budget_tokens", budget_tokens, 1, 10_000_000),
        checks.name("profile", profile),
        checks.one_of("place", place, PLACES) == "front",
        told or _logged,
    )
    made: C = client.copy(http_client=_classes(_library(inner))(inner, memory))  # type: ignore[attr-defined]
    return made


def _logged(error: Exception) -> None:
    LOG.warning("memory had no part in a call: %s: %s", type(error).__name__, error)


@dataclass(frozen=True, slots=True)
class Call:
    """A request on its way, and what is to be kept when its answer has come."""

    dialect: Dialect
    space: Any
    turns: Sequence[Message]
    keeps: bool


class Remembering:
    """What memory does with a call: before it goes out, and when it has come back. Nothing here raises."""

    def __init__(self, space: Any, budget: int, profile: str, front: bool, told: Callable[[Exception], None]) -> None:
        self._space, self._budget, self._profile, self._front = space, budget, profile, front
        self._told = told

    def before(self, path: str, headers: Mapping[str, str], sent: bytes) -> tuple[bytes, Call | None]:
        """Give what is sent instead, and what to do with the answer; what is no conversation goes as it is."""
        dialect = next((one for one in DIALECTS if path.endswith(one.path)), None)
        switch = headers.get(SWITCH, "")
        if dialect is None or switch == "off":
            return sent, None
        try:
            body = json.loads(sent)
            turns = dialect.turns(body)
            space = self._space.within(headers[SESSION]) if SESSION in headers else self._space
            call = Call(dialect, space, turns, switch != "read")
            return self._remembered(call, body, sent), call
        except Exception as error:  # whatever happens, the call goes out
            self._told(error)
            return sent, None

    def _remembered(self, call: Call, body: Mapping[str, Any], sent: bytes) -> bytes:
        asked = [one for one in call.turns if asks(one)]
        if not asked:
            return sent
        seen = [{"role": one["role"], "content": one.get("content") or ""} for one in call.turns]
        prompt = _text(asked[-1])
        made = call.space.context(prompt, self._budget, profile=self._profile, messages=seen)
        stable, volatile = (str(made), "") if self._front else (made.stable, made.volatile)
        if not stable and not volatile:
            return sent
        return json.dumps(call.dialect.placed(body, stable, volatile), ensure_ascii=False).encode()

    def after(self, call: Call, content_type: str, received: bytes) -> None:
        """Keep what was said last before the call, and what was answered, as far as it came."""
        if not call.keeps or len(received) > MOST_BYTES:
            return
        try:
            text = received.decode("utf-8", "replace")
            stream = "event-stream" in content_type
            payload = call.dialect.gathered(events_of(text)) if stream else json.loads(text)
            for message, request in _fresh(call):
                _kept(call.space, message, request)
            for reply in call.dialect.replies(payload):
                _kept(call.space, reply, "")
        except Exception as error:  # the answer has come, and is the caller's whatever happens
            self._told(error)


def _fresh(call: Call) -> Iterator[tuple[Message, str]]:
    """Give the messages after the last answer, each with the id of its request.

    What stands before it was kept when it was said. With an answer in sight, the same question after the same words
    is the same question, asked for another answer; without one, nobody can tell, and it is kept.
    """
    turns = call.turns
    answers = [at for at, one in enumerate(turns) if one["role"] == "assistant"]
    first = answers[-1] + 1 if answers else 0
    trail = hashlib.sha256(_session(call.space).encode())
    for at, one in enumerate(turns):
        trail.update(json.dumps([one["role"], one.get("content"), one.get("tool_call_id", "")]).encode())
        if at >= first:
            yield one, f"wrap-{trail.hexdigest()[:40]}" if answers else ""


def _session(space: Any) -> str:
    scope = getattr(space, "_scope", None) or space._where
    return str(scope.session)


def _kept(space: Any, message: Message, request: str) -> None:
    """Keep a message in the session's window; outside sessions, its words."""
    text = _text(message)
    if _session(space):
        space.messages.append(
            message["role"],
            message.get("content") or "",
            tool_calls=[one for one in message.get("tool_calls") or () if _came_whole(one)],
            tool_call_id=str(message.get("tool_call_id") or ""),
            request_id=request,
        )
    elif text.strip():
        space.observe(message["role"], text, request_id=request)


def _came_whole(call: Mapping[str, Any]) -> bool:
    """Tell whether the arguments of a call came to their end: a stream that was left has half of them."""
    try:
        json.loads(call.get("function", {}).get("arguments") or "{}")
    except ValueError:
        return False
    return bool(call.get("id"))


def _text(message: Mapping[str, Any]) -> str:
    """Give the words of a message."""
    content = message.get("content")
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(str(one["text"]) for one in content if isinstance(one, Mapping) and "text" in one)


def _library(inner: object) -> tuple[str, bool]:
    """Say which HTTP library a client rests on, and whether it is awaited."""
    for base in type(inner).__mro__:
        if base.__name__ in ("Client", "AsyncClient") and base.__module__.startswith("httpx"):
            return base.__module__.partition(".")[0], base.__name__ == "AsyncClient"
    raise InvalidInput("the client does not speak HTTP through httpx: memory has no way in")


@cache
def _classes(which: tuple[str, bool]) -> Any:
    """Make the class of clients that remember, on the library the SDK rests on: it takes no other."""
    library = import_module(which[0])
    return _awaited(library) if which[1] else _plain(library)


def _changed(request: Any, sent: bytes, library: Any) -> Any:
    """Give the request with another body, and without our own headers."""
    drop = (SWITCH, SESSION, "content-length")
    headers = [(name, value) for name, value in request.headers.multi_items() if name.lower() not in drop]
    return library.Request(request.method, request.url, headers=headers, content=sent, extensions=request.extensions)


def _decoded(library: Any, response: Any, pieces: list[bytes]) -> bytes:
    """Give what was received as it was before it was packed for the way."""
    packed: bytes = library.Response(200, headers=response.headers, content=b"".join(pieces)).content
    return packed


def _plain(library: Any) -> Any:
    class Tee(library.SyncByteStream):  # type: ignore[misc, name-defined, unused-ignore]
        """A stream that is read along."""

        def __init__(self, response: Any, memory: Remembering, call: Call) -> None:
            self._response, self._memory, self._call = response, memory, call
            self._stream, self._pieces, self._done = response.stream, list[bytes](), False

        def __iter__(self) -> Iterator[bytes]:
            for piece in self._stream:
                self._pieces.append(piece)
                yield piece

        def close(self) -> None:
            self._stream.close()
            if not self._done:
                self._done = True
                kind = self._response.headers.get("content-type", "")
                received = _decoded(library, self._response, self._pieces)
                self._memory.after(self._call, kind, received)

    class Client(library.Client):  # type: ignore[misc, name-defined, unused-ignore]
        """The client given, with memory on the way out and back."""

        def __init__(self, inner: Any, memory: Remembering) -> None:
            super().__init__(transport=library.MockTransport(lambda request: None), timeout=inner.timeout)
            self._inner, self._memory = inner, memory

        def build_request(self, *args: Any, **kwargs: Any) -> Any:
            return self._inner.build_request(*args, **kwargs)

        def send(self, request: Any, *, stream: bool = False, **kwargs: Any) -> Any:
            sent, call = self._memory.before(request.url.path, request.headers, request.read())
            response = self._inner.send(_changed(request, sent, library), stream=stream, **kwargs)
            if call is not None and response.is_success:
                if stream:
                    response.stream = Tee(response, self._memory, call)
                else:
                    self._memory.after(call, response.headers.get("content-type", ""), response.content)
            return response

        @property
        def is_closed(self) -> bool:
            return bool(self._inner.is_closed)

        def close(self) -> None:
            self._inner.close()

    return Client


def _awaited(library: Any) -> Any:
    class Tee(library.AsyncByteStream):  # type: ignore[misc, name-defined, unused-ignore]
        """A stream that is read along."""

        def __init__(self, response: Any, memory: Remembering, call: Call) -> None:
            self._response, self._memory, self._call = response, memory, call
            self._stream, self._pieces, self._done = response.stream, list[bytes](), False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._stream:
                self._pieces.append(piece)
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()
            if not self._done:
                self._done = True
                kind = self._response.headers.get("content-type", "")
                received = _decoded(library, self._response, self._pieces)
                await asyncio.to_thread(self._memory.after, self._call, kind, received)

    class Client(library.AsyncClient):  # type: ignore[misc, name-defined, unused-ignore]
        """The client given, with memory on the way out and back."""

        def __init__(self, inner: Any, memory: Remembering) -> None:
            super().__init__(transport=library.MockTransport(lambda request: None), timeout=inner.timeout)
            self._inner, self._memory = inner, memory

        def build_request(self, *args: Any, **kwargs: Any) -> Any:
            return self._inner.build_request(*args, **kwargs)

        async def send(self, request: Any, *, stream: bool = False, **kwargs: Any) -> Any:
            read = await request.aread()
            sent, call = await asyncio.to_thread(self._memory.before, request.url.path, request.headers, read)
            response = await self._inner.send(_changed(request, sent, library), stream=stream, **kwargs)
            if call is not None and response.is_success:
                kind = response.headers.get("content-type", "")
                if stream:
                    response.stream = Tee(response, self._memory, call)
                else:
                    await asyncio.to_thread(self._memory.after, call, kind, response.content)
            return response

        @property
        def is_closed(self) -> bool:
            return bool(self._inner.is_closed)

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Client
