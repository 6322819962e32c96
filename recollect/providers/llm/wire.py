"""The wire to a provider: one event loop for all requests, and answers of bounded size."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2

T = TypeVar("T")

MOST_BYTES = 16 * 1024 * 1024
_OWN_MACHINE = ("localhost", "127.0.0.1", "::1")


class TooLong(httpx2.TransportError):
    """An answer that does not end: nobody reads sixteen million characters of facts."""


class Elsewhere(httpx2.TransportError):
    """A redirection: the key and the texts are for this address alone."""


class Loop:
    """An event loop in a thread of its own, so that the synchronous house can speak to asynchronous libraries."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect-llm", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T | BaseException:
        """Run something to its end, or to the end of its time; what it raised is given back, not raised."""
        if self._loop.is_closed():
            work.close()
            return RuntimeError("the loop is closed")
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop)
        try:
            error = future.exception()
        except CancelledError as closed:
            return closed
        finally:
            future.cancel()  # somebody interrupted the wait: the request goes with it
        return future.result() if error is None else error

    def close(self) -> None:
        """Break off what is under way, so that nobody waits for it, stop the loop and wait for its thread."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_end_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class _Bounded(httpx2.AsyncByteStream):
    """A body that is read up to a size."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._inner:
            read += len(chunk)
            if read > MOST_BYTES:
                raise TooLong(f"sent more than {MOST_BYTES // 1024 // 1024} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _bound(response: httpx2.Response) -> None:
    if 300 <= response.status_code < 400:
        raise Elsewhere("sends requests elsewhere")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


def client(url: str, seconds: float) -> httpx2.AsyncClient:
    """Make the client that speaks to one address."""
    return httpx2.AsyncClient(
        timeout=seconds,
        headers={"Accept-Encoding": "identity"},  # a small body cannot unfold into an enormous one
        follow_redirects=False,
        trust_env=urlsplit(url).hostname not in _OWN_MACHINE,  # no proxy stands between a machine and itself
        event_hooks={"response": [_bound]},
    )
