"""The same client for async code: each call runs in a thread of its own, as the verbs of `AsyncSpace` do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, Self

from recollect.front.aio import Face, awaited
from recollect.serve.client.remote import SECONDS, Facet, RemoteRecollect, RemoteSpace, connect


def _threaded(verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
    return asyncio.to_thread(verb, *args, **kwargs)


class AsyncFacet(Face[Facet]):
    """A family of verbs of a space on a server, awaited."""

    __call__ = awaited(Facet.__call__)

    def __getattr__(self, verb: str) -> Any:
        return partial(_threaded, getattr(self.plain, verb))


class AsyncRemoteSpace(Face[RemoteSpace]):
    """The memory of one user on a server for async code; the verbs are those of `Space`, awaited."""

    export = awaited(RemoteSpace.export)
    call_tool = awaited(RemoteSpace.call_tool)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.plain, name)
        return AsyncFacet(found) if isinstance(found, Facet) else partial(_threaded, found)

    def within(self, session: str) -> AsyncRemoteSpace:
        """Give the same memory in another session."""
        return AsyncRemoteSpace(self.plain.within(session))

    async def now(self) -> datetime:
        """Give the time by the clock of the server's memory."""
        return await asyncio.to_thread(lambda: self.plain.now)

    async def follow(self, since: int | None = None) -> AsyncGenerator[dict[str, Any], None]:
        """Give changes as they happen, from now on or after a revision, until the caller has enough."""
        changes = self.plain.follow(since)
        try:
            while (change := await asyncio.to_thread(next, changes, None)) is not None:
                yield change
        finally:
            changes.close()


class AsyncRemoteRecollect(Face[RemoteRecollect]):
    """A server's memory for async code."""

    whoami = awaited(RemoteRecollect.whoami)
    import_file = awaited(RemoteRecollect.import_file)
    close = awaited(RemoteRecollect.close)

    def space(
        self, user: str = "me", agent: str = "", session: str = "", tenant: str = "", project: str = ""
    ) -> AsyncRemoteSpace:
        """Give the memory of one user; `me` is the one the key is for."""
        return AsyncRemoteSpace(self.plain.space(user, agent, session, tenant, project))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def connect_async(url: str, key: str = "", *, timeout: float = SECONDS) -> AsyncRemoteRecollect:
    """Open a memory on a server for async code: `await connect_async(url).space("ana").recall("Lisbon")`."""
    return AsyncRemoteRecollect(connect(url, key, timeout=timeout))
