"""The same client for async code."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self

import httpx

from recollect.errors import InvalidInput
from recollect.serve.client.remote import NAMED, SECONDS, TRIES, Where, bound, unreachable
from recollect.serve.rest.verbs import FACETS


class AsyncFacet:
    """A family of verbs of a space on a server, awaited."""

    def __init__(self, space: AsyncRemoteSpace, name: str) -> None:
        self._space, self._name = space, name

    def __call__(self, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        """Carry out the verb the family is named after: it gives the list."""
        return self._space._called(self._name, args, kwargs)

    def __getattr__(self, verb: str) -> Any:
        full = f"{self._name}.{verb}"
        if verb.startswith("_") or full not in NAMED:
            raise AttributeError(f"{self._name} has no verb {verb!r}")
        return partial(_spoken, self._space, full)


def _spoken(space: AsyncRemoteSpace, name: str, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
    return space._called(name, args, kwargs)


class AsyncRemoteSpace:
    """The memory of one user on a server for async code; the verbs are those of `Space`, awaited."""

    def __init__(self, client: httpx.AsyncClient, where: Where) -> None:
        self._client, self._where = client, where

    def __getattr__(self, name: str) -> Any:
        if name in FACETS:
            return AsyncFacet(self, name)
        if name.startswith("_") or name not in NAMED:
            raise AttributeError(f"a space on a server has no verb {name!r}")
        return partial(_spoken, self, name)

    async def _called(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        call = bound(name, self._where, args, kwargs)
        for attempt in range(TRIES):
            try:
                return call.read(await self._client.send(call.request(self._client)))
            except httpx.TransportError as error:
                if not call.safe or attempt == TRIES - 1:
                    raise unreachable(self._client.base_url, error) from error
        raise AssertionError


class AsyncRemoteRecollect:
    """A server's memory for async code."""

    def __init__(self, url: str, key: str = "", *, timeout: float = SECONDS) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.AsyncClient(base_url=url.rstrip("/"), headers=headers, timeout=timeout)

    def space(
        self, user: str = "me", agent: str = "", session: str = "", tenant: str = "", project: str = ""
    ) -> AsyncRemoteSpace:
        """Give the memory of one user; `me` is the one the key is for."""
        return AsyncRemoteSpace(self._client, Where(user, agent, session, tenant, project))

    async def close(self) -> None:
        """Let the connections go."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def connect_async(url: str, key: str = "", *, timeout: float = SECONDS) -> AsyncRemoteRecollect:
    """Open a memory on a server for async code: `await connect_async(url).space("ana").recall("Lisbon")`."""
    if not url.startswith(("http://", "https://")):
        raise InvalidInput(f"{url!r} is no address of a server: use http://… or https://…")
    return AsyncRemoteRecollect(url, key, timeout=timeout)
