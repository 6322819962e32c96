"""Threads that verbs are carried out in: answers and errors come back, and nobody's leaving ends them."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from recollect.serve.rest.threads import Threads

ASKED: contextvars.ContextVar[str] = contextvars.ContextVar("asked", default="")


def test_answers_errors_and_the_context_travel() -> None:
    """What is called elsewhere gives what it gives, raises what it raises, and sees what its caller set."""

    async def walk() -> None:
        threads = Threads(2)
        ASKED.set("ana")
        doubled = await asyncio.gather(*(threads.run(lambda one: one * 2, one) for one in range(9)))
        assert doubled == list(range(0, 18, 2))
        assert await threads.run(ASKED.get) == "ana"
        with pytest.raises(ValueError, match="invalid literal"):
            await threads.run(int, "gone")
        assert await threads.run(threading.current_thread) is not threading.current_thread()
        threads.close()

    asyncio.run(walk())


def test_who_leaves_does_not_end_the_work() -> None:
    """A call nobody waits for any more is finished, and its thread serves the next."""
    began, goes_on, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        goes_on.wait(60)
        done.set()

    async def walk() -> None:
        threads = Threads(1)
        waiting = asyncio.ensure_future(threads.run(work))
        while not began.is_set():
            await asyncio.sleep(0.001)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        goes_on.set()
        assert await threads.run(done.is_set)
        threads.close()

    asyncio.run(walk())


def test_what_nobody_waits_for_does_not_begin() -> None:
    """A call whose caller left before its turn is not carried out; the next one is."""
    goes_on, begun = threading.Event(), list[str]()

    async def walk() -> None:
        threads = Threads(1)
        first = asyncio.ensure_future(threads.run(goes_on.wait, 60))
        left = asyncio.ensure_future(threads.run(begun.append, "left"))
        await asyncio.sleep(0)
        left.cancel()
        goes_on.set()
        assert await first
        await threads.run(begun.append, "next")
        threads.close()

    asyncio.run(walk())
    assert begun == ["next"]


def test_an_error_no_future_can_carry_is_told() -> None:
    """Whoever waits gets an error at once, not a timeout."""

    async def walk() -> None:
        threads = Threads(1)
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(threads.run(next, iter(())), 30)
        threads.close()

    asyncio.run(walk())


def test_what_has_begun_is_finished_at_the_end() -> None:
    """Closing waits for it."""
    began, done = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        threading.Event().wait(0.2)
        done.set()

    async def walk() -> None:
        threads = Threads(1)
        leaving = asyncio.ensure_future(threads.run(work))
        while not began.is_set():
            await asyncio.sleep(0.001)
        leaving.cancel()
        threads.close()
        assert done.is_set()

    asyncio.run(walk())
