"""Threads for what must not hold up the loop: a verb is handed over, and its answer awaited."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from queue import SimpleQueue
from time import monotonic
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
MOST = 40
"""How many calls are carried out at once; the others wait."""
LAST = 5.0
"""How many seconds the threads have, at the end, to finish what they have begun."""
_Call = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Context, Callable[[], Any]]


class Threads:
    """Some threads, started when they are needed: handing over costs one queue and one wake-up, nothing else."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._started: list[threading.Thread] = []
        self._busy = 0  # only the loop counts

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry out some work in a thread, and give what it gives; who no longer waits does not end what has begun."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        if len(self._started) < min(self._busy + 1, self._most):
            thread = threading.Thread(target=self._work, name="recollect-verb", daemon=True)
            thread.start()
            self._started.append(thread)
        self._busy += 1
        self._calls.put((loop, answer, copy_context(), partial(work, *args, **kwargs)))
        return await answer

    def close(self) -> None:
        """Let the threads end, each with what it has begun, and wait a little for them."""
        ending, self._started = self._started, []
        for _ in ending:
            self._calls.put(None)
        until = monotonic() + LAST
        for thread in ending:
            thread.join(max(0.0, until - monotonic()))

    def _work(self) -> None:
        while self._carry_out(self._calls.get()):
            pass

    def _carry_out(self, call: _Call | None) -> bool:
        if call is None:
            return False
        loop, answer, context, work = call
        made: Any = None
        failed: BaseException | None = None
        try:
            made = None if answer.cancelled() else context.run(work)  # nobody waits: it need not begin
        except StopIteration as error:  # no future can carry it
            failed = RuntimeError("a verb raised StopIteration")
            failed.__cause__ = error
        except BaseException as error:  # whoever waits is told
            failed = error
        with suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(self._settle, answer, made, failed)
        return True

    def _settle(self, answer: asyncio.Future[Any], made: Any, failed: BaseException | None) -> None:
        self._busy -= 1
        if answer.done():  # nobody waits any more
            return
        if failed is not None:
            answer.set_exception(failed)
        else:
            answer.set_result(made)
