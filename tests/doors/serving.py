"""A real server for a test: uvicorn in a thread, on a free port of this machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import uvicorn

from recollect import Recollect
from recollect.serve.rest.app import Application
from recollect.serve.rest.guard import Limits
from recollect.serve.rest.running import configured, listening

FREE = Limits(per_minute=0)


@contextmanager
def serving(memory: Recollect, *, key_required: bool = False, **limits: Any) -> Iterator[str]:
    """Serve a memory until the test is over, and give the server's address."""
    made = Application(memory, replace(FREE, **limits), key_required=key_required)
    taken = listening("127.0.0.1", 0)
    server = uvicorn.Server(configured(made, "error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        taken.close()
