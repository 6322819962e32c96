"""The wire to a provider: answers of bounded size, from its own address alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import httpx2

MOST_BYTES = 16 * 1024 * 1024
_OWN_MACHINE = ("localhost", "127.0.0.1", "::1")


class TooLong(httpx2.TransportError):
    """An answer that does not end: nobody reads sixteen million characters of facts."""


class Elsewhere(httpx2.TransportError):
    """A redirection: the key and the texts are for this address alone."""


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
