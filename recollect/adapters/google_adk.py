"""A memory service for Google's Agent Development Kit: sessions added to it are remembered, and found by its tools.

`Runner(app=…, session_service=…, memory_service=RecollectMemoryService(rc))`, with `load_memory` or `preload_memory`
among the agent's tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from recollect.adapters.looking import details, found, when
from recollect.adapters.naming import hashed
from recollect.errors import Conflict, InvalidInput
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model.clock import parse_iso
from recollect.model.hit import Hit
from recollect.rules.gate import checks

USER = "user"


class RecollectMemoryService(BaseMemoryService):
    """The memory of every user of every app; an app is a tenant, so that none sees what another was told."""

    def __init__(self, memory: Recollect, *, limit: int = 10) -> None:
        if not isinstance(memory, Recollect):
            raise InvalidInput(f"pass a memory, Recollect(), not {type(memory).__name__}: users come with each call")
        self._memory = memory
        self._limit = checks.whole("limit", limit, 1, 1000)

    async def add_session_to_memory(self, session: Any) -> None:
        """Keep what was said in a session; what of it is kept already stays as it is."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep some events of a session, each once however often it is added."""
        space = self._space(app_name, user_id, session_id or "")
        for event in events:
            await asyncio.to_thread(_observed, space, event, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[Any],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep facts as they are given, all or none; what is known already is not kept twice."""
        items = [_fact(entry, custom_metadata) for entry in memories]
        if not items:
            return
        receipts = await asyncio.to_thread(self._space(app_name, user_id).remember_many, items)
        refused = [one.reason or one.outcome for one in receipts if not one.ok]
        if refused:
            raise Conflict(f"{len(refused)} of {len(receipts)} memories were not kept: {'; '.join(refused)}")

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Find what is known of a user and what was said in any session, the best first."""
        hits = await asyncio.to_thread(found, self._space(app_name, user_id), query, self._limit)
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Put one memory out of sight; `space.restore` brings it back, adding its session again does not."""
        if memory_id:
            await asyncio.to_thread(self._space(app_name, user_id).forget, memory_id)

    def _space(self, app_name: str, user_id: str, session: str = "") -> Space:
        return self._memory.space(user_id, tenant=app_name, session=session)


def _observed(space: Space, event: Any, more: Mapping[str, object] | None) -> None:
    text = _text(event.content)
    if not text:
        return
    at = datetime.fromtimestamp(event.timestamp, UTC)
    author = str(event.author or "")
    role = USER if author == USER or event.content.role == USER else "assistant"
    known = hashed(space._scope.session, str(event.id or ""), author, at.isoformat(), text)
    space.observe(role, text, at, dict(more or {}), "" if author == USER else author, f"adk-{known}")


def _fact(entry: Any, more: Mapping[str, object] | None) -> dict[str, Any]:
    text = _text(entry.content)
    if not text:
        raise InvalidInput("a memory has no text: pass MemoryEntry(content=Content(parts=[Part(text=…)]))")
    item: dict[str, Any] = {"content": text, "attributes": {**(more or {}), **entry.custom_metadata}}
    if entry.author:
        item["actor"] = entry.author
    if entry.timestamp:
        item["event_time"] = parse_iso(entry.timestamp)
    return item


def _text(content: Any) -> str:
    """Give the words of a content, the model's thoughts left out."""
    parts = content.parts if content is not None and content.parts else ()
    return "\n".join(one.text for one in parts if one.text and not one.thought).strip()


def _entry(hit: Hit) -> MemoryEntry:
    memory = hit.memory
    role = "model" if memory.role == "assistant" else USER
    return MemoryEntry(
        id=memory.id,
        content=types.Content(role=role, parts=[types.Part(text=memory.content)]),
        author=memory.actor or memory.role or None,
        timestamp=when(memory),
        custom_metadata=details(hit),
    )
