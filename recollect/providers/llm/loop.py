"""One event loop for all requests, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar

T = TypeVar("T")


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
