"""Tiered memory as five functions of a space, for programs written against that small interface."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.flows.window.scene import text_of
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.receipt import Receipt
from recollect.rules.window.layout import flat

LEAST_MESSAGES = 4
LONGEST_TURN = 500
MOST_TURNS = 60


class Tiered:
    """The five functions, bound to one space."""

    def __init__(self, space: Space | AsyncSpace) -> None:
        self._space = space.plain if isinstance(space, AsyncSpace) else space

    async def save_memory(
        self, topic: str, content: str, importance: int = 5, source: str = "session", session_id: str = ""
    ) -> Receipt:
        """Save a fact to short-term memory; a duplicate is told by its receipt, never mistaken for a failure."""
        space = self._space.within(session_id) if session_id else self._space
        return await asyncio.to_thread(space.remember, content, topic=topic, importance=importance, source=source)

    async def load_short_term(self, limit: int = 20, min_importance: int = 1) -> list[dict[str, Any]]:
        """Load hot memories as rows, the most important first."""
        found = await asyncio.to_thread(
            self._space.list, "importance", limit, tiers="short", importance_min=min_importance
        )
        return [
            {
                "id": one.id,
                "topic": one.topic,
                "content": one.content,
                "importance": one.importance,
                "source": one.source,
                "session_id": one.session,
                "created_at": one.created_at,
            }
            for one in found
        ]

    async def age_to_longterm(self, older_than_hours: float = 48, max_rows: int = 100) -> int:
        """Move old rows from short-term to long-term; give how many moved."""
        return (await asyncio.to_thread(self._space.age, older_than_hours, max_rows)).changed

    async def load_context_block(self, limit: int = 15, min_importance: int = 3) -> str:
        """Give short-term memory as a text for a system message; empty when there is none."""
        rows = await self.load_short_term(limit, min_importance)
        if not rows:
            return ""
        topics: dict[str, list[str]] = {}
        for row in rows:
            topics.setdefault(row["topic"], []).append(f"  [imp={row['importance']}] {flat(row['content'])}")
        groups = ["\n".join((f"**{flat(topic)}**", *lines)) for topic, lines in topics.items()]
        return "\n\n".join(("## Active Memory (short-term recall)", *groups))

    async def summarize_and_save(self, session_id: str, history: Sequence[Mapping[str, Any]]) -> str:
        """Keep a conversation, learn from it what is worth keeping, and say what came of it.

        A history shorter than four messages is left alone. Messages of tools and empty ones are passed over.
        """
        if len(history) < LEAST_MESSAGES:
            return f"Nothing to summarize: {len(history)} messages."
        space = self._space.within(session_id)
        said = [(str(one.get("role", "user")), text_of(one.get("content"))) for one in history]
        kept = [(role, text[:LONGEST_TURN]) for role, text in said if role != "tool" and text.strip()]
        for (role, text), request in list(zip(kept, _requests(session_id, kept), strict=True))[-MOST_TURNS:]:
            await asyncio.to_thread(space.observe, role, text, request_id=request)
        report = await asyncio.to_thread(space.end)
        return f"Summarized {len(history)} messages → {report.changed} memories saved"


def _requests(session_id: str, said: Sequence[tuple[str, str]]) -> list[str]:
    """Give each message the name it is known by: its role, its words, and how often that was said before.

    A longer history gives those that it begins with the same names.
    """
    seen, names = Counter[tuple[str, str]](), list[str]()
    for one in said:
        made = hashlib.sha256("\n".join(one).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        names.append(f"{session_id}:{made}:{seen[one]}")
        seen[one] += 1
    return names
