"""A memory store for Strands Agents: what its agents say is kept, and what they ask for is found here.

`Agent(model=…, memory_manager=MemoryManager(stores=[RecollectMemoryStore(space)]))`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from strands.memory import ExtractionConfig, InvocationTrigger, MemoryEntry, MemoryStore

from recollect.adapters.looking import details, found
from recollect.adapters.raw import plain
from recollect.errors import Conflict
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks

ABOUT = "Long-term memory: facts about the user, and what was said in earlier conversations."


class RecollectMemoryStore(MemoryStore):
    """Keeps every message after each turn, without a model; `extraction=False` keeps only what is added by hand."""

    def __init__(
        self,
        space: Space | AsyncSpace,
        *,
        name: str = "recollect",
        description: str = ABOUT,
        max_search_results: int = 10,
        writable: bool = True,
        extraction: Any = True,
    ) -> None:
        self._space = plain(space)
        self.name = checks.name("name", name, empty=False)
        self.description = checks.text("description", description, 10_000)
        self.max_search_results = checks.whole("max_search_results", max_search_results, 1, 1000)
        self.writable = checks.flag("writable", writable)
        self.extraction = ExtractionConfig(trigger=[InvocationTrigger()]) if extraction is True else extraction
        if not writable:
            self.extraction = False
        self._half: set[tuple[int, str, str]] = set()

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[MemoryEntry]:
        """Give what is known and was said about a query, the best first."""
        most = (options or {}).get("max_search_results") or self.max_search_results
        hits = await asyncio.to_thread(found, self._space, query, most)
        return [MemoryEntry(content=hit.memory.content, metadata=details(hit)) for hit in hits]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> Receipt:
        """Keep a fact, unless it is known; what is refused is an error that says why."""
        receipt = await asyncio.to_thread(
            lambda: self._space.remember(content, source="agent", attributes=dict(metadata or {}))
        )
        if not receipt.ok:
            raise Conflict(f"the memory was not kept: {receipt.reason or receipt.outcome}")
        return receipt

    async def add_messages(self, messages: Sequence[Mapping[str, Any]], context: Any = None) -> int:
        """Keep what was said, and give how many messages were new.

        A batch that fails comes again with the same numbers: what of it was kept already is passed over.
        """
        numbers = getattr(context, "sequence_numbers", None) or range(len(messages))
        batch = [
            (number, role, text)
            for number, one in zip(numbers, messages, strict=True)
            for role, text in _said(one)
            if text
        ]
        new = [one for one in batch if one not in self._half]
        for one in new:
            await asyncio.to_thread(self._space.observe, one[1], one[2])
            self._half.add(one)
        self._half.difference_update(batch)
        return len({number for number, _, _ in new})


def _said(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Give who says what in a message: Strands writes results of tools into messages of the user, who never said them.

    What has no words, such as a picture, is an empty text.
    """
    blocks = message.get("content", ())
    results = [_block(one) for one in blocks if "toolResult" in one]
    words = [_block(one) for one in blocks if "toolResult" not in one]
    return [("tool", _lines(results)), (str(message["role"]), _lines(words))]


def _lines(said: Sequence[str]) -> str:
    return "\n".join(one for one in said if one)


def _block(block: Mapping[str, Any]) -> str:
    if "toolUse" in block:
        return f"{block['toolUse']['name']}({json.dumps(block['toolUse'].get('input', {}), ensure_ascii=False)})"
    if "toolResult" in block:
        return "\n".join(_block(one) for one in block["toolResult"].get("content", ()))
    return str(block.get("text") or (json.dumps(block["json"], ensure_ascii=False) if "json" in block else ""))
