"""The window is compacted behind the answer, in a thread of its own: nobody waits for it unless it would overflow."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from recollect.agent.events import Compacted, Event, Status
from recollect.agent.roles import Role
from recollect.errors import Closed, RecollectError
from recollect.flows.window.tokens import counter
from recollect.front.space import Space
from recollect.tools import schema


class Compactor:
    """Compacts the window of one agent's session.

    The new window is one commit: killed before it, the window is as it was, and is compacted after a later turn.
    """

    def __init__(self, space: Space, role: Role, system: Callable[[], str]) -> None:
        self._space, self._role, self._system = space, role, system
        self._thread: threading.Thread | None = None
        self._untold: list[Event] = []
        self._fits = False
        self.warning = ""
        """What the system prompt should tell of a window that is nearly full."""

    def start(self) -> None:
        """Do what is due with the window, and do not wait for it; one at a time."""
        if self._thread is None or not self._thread.is_alive():
            self._fits = False
            self._thread = threading.Thread(target=self._compact, name="recollect-compact", daemon=True)
            self._thread.start()

    async def make_room(self, prompt: str, most: int) -> None:
        """Wait for the compaction only where a request with this prompt would take more than so many tokens."""
        if self._fits or await asyncio.to_thread(self._tokens, prompt) <= most:
            return
        await self.finish()
        if not self._fits:  # none was under way, or it failed: the process before this one was killed
            self.start()
            await self.finish()

    async def finish(self) -> None:
        """Wait for what is under way."""
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def abandon(self) -> None:
        """Wait for nothing any more: what is under way finds the window changed, and leaves it."""
        self._thread = None

    def tell(self, told: Callable[[Event], None]) -> None:
        """Tell what was done since the last time."""
        untold, self._untold = self._untold, []
        for event in untold:
            told(event)

    def _tokens(self, prompt: str) -> int:
        name = self._role.model
        window = self._space.messages.tokens(name, system=self._system(), tools=self._tools())
        return window + counter(name)(prompt)

    def _tools(self) -> list[dict[str, Any]]:
        return [schema.openai(one) for one in self._role.declared().values()]

    def _compact(self) -> None:
        try:
            done = self._space.messages.compact(
                model=self._role.model,
                system=self._system(),
                tools=self._tools(),
                max_tokens=self._role.policy.max_context,
            )
        except Closed:  # the memory was closed meanwhile: it is done after a later turn
            return
        except RecollectError as error:
            self._untold.append(Status(f"[memory] The window could not be compacted: {error}."))
            return
        self.warning, self._fits = done.warning, True
        if done.step:
            self._untold.append(Compacted(done))
