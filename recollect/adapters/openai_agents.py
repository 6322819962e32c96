"""A session for the OpenAI Agents SDK: what a runner says and hears stands in this memory, and is compacted by it.

`await Runner.run(agent, "Hello", session=RecollectSession(space.within("s1")))`. It needs nothing of the SDK, which
takes any object with these methods.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from recollect.adapters import raw
from recollect.adapters.dialects import Responses
from recollect.errors import InvalidInput
from recollect.flows.window.messages import read
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.memory import Memory

NOBODY = "developer"
"""The role of items that nobody says, such as reasoning."""


class RecollectSession:
    """The items of one conversation, kept in a space's session; nothing that was said is lost by clearing it."""

    def __init__(self, space: Space | AsyncSpace) -> None:
        self._space = raw.plain(space)
        if not self._space._scope.session:
            raise InvalidInput("a session needs a name: pass rc.space(user, session=…)")
        self.session_id = self._space._scope.session
        self.session_settings: Any = None

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Give the items in sight, the last ones where a limit is set, in the order they came."""
        asked = limit if limit is not None else getattr(self.session_settings, "limit", None)
        items = [_item(one) for one in await asyncio.to_thread(raw.rows, self._space)]
        return items if asked is None else items[len(items) - min(asked, len(items)) :]

    async def add_items(self, items: list[Any]) -> None:
        """Keep new items; each is found by its words from now on."""
        for item in items:
            await asyncio.to_thread(self._add, item)

    async def pop_item(self) -> Any | None:
        """Take the last item out and give it back."""
        rows = await asyncio.to_thread(raw.rows, self._space)
        if not rows:
            return None
        await asyncio.to_thread(self._space.forget, rows[-1].id)
        return _item(rows[-1])

    async def clear_session(self) -> None:
        """Take all items out of sight; what was said stays in memory, and is found by search."""
        await asyncio.to_thread(self._space.messages.set_ids, [])

    async def run_compaction(self, args: Mapping[str, Any] | None = None) -> None:
        """Sum up what is old when the window is full, or now with `force`; facts in it go through the gate first."""
        force = bool((args or {}).get("force"))
        await asyncio.to_thread(lambda: self._space.messages.compact(force=force))

    def _add(self, item: Mapping[str, Any]) -> None:
        plain: dict[str, Any] = json.loads(json.dumps(dict(item), default=_plain))
        said = Responses().turns({"input": [plain]})
        message: dict[str, Any] = said[0] if said else {"role": NOBODY, "content": ""}
        role, text = str(plain.get("role") or message["role"]), str(message.get("content") or "")
        if plain == {"role": role, "content": text}:
            self._space.messages.append(role, text)
            return
        calls, answers = message.get("tool_calls") or (), str(message.get("tool_call_id") or "")
        raw.append(self._space, role, text, plain, calls, answers)


def _plain(value: Any) -> Any:
    """Give what is no plain data as such: the SDK's own models."""
    if hasattr(value, "model_dump"):
        return value.model_dump(exclude_unset=True)
    raise TypeError(f"{type(value).__name__} is no plain data")


def _item(memory: Memory) -> Any:
    """Give an item as it was added; a summary is what the user is told of before."""
    found = raw.raw_of(memory)
    if found is not None:
        return found
    message = read(memory)
    return {"role": message.role, "content": message.content}
