"""A memory block and a chat store for LlamaIndex: short-term memory that lasts, and long-term memory in the prompt.

`agent.run(question, memory=recollect_memory(space, "s1"))` has both. The block alone keeps what LlamaIndex lets go of:
`Memory.from_defaults(session_id="s1", memory_blocks=[RecollectMemoryBlock(space=space)])`.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.bridge.pydantic import Field, field_validator
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus

from recollect.adapters import raw
from recollect.adapters.looking import laid_out
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.memory import Memory
from recollect.rules.window.budget import estimate, fit

SESSION = "session_id"


class RecollectMemoryBlock(BaseMemoryBlock[str]):
    """What is known of the user and fits the question, within a budget of tokens."""

    name: str = "long_term_memory"
    priority: int = 1
    space: Any = Field(exclude=True, description="The space of the user, rc.space(user).")
    budget_tokens: int = Field(default=1200, ge=1, le=10_000_000)
    profile: str = ""

    @field_validator("space")
    @classmethod
    def _plain(cls, given: Any) -> Space:
        return raw.plain(given)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        return await asyncio.to_thread(self._laid_out, messages or [], block_kwargs.get(SESSION), self.budget_tokens)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Keep what short-term memory lets go of; with our chat store it is kept already, and this is not called."""
        for one in messages:
            session = one.additional_kwargs.get(SESSION)
            talk = self.space.within(session) if session else self.space
            if text := (one.content or "").strip():
                await asyncio.to_thread(talk.observe, one.role.value, text)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leave out whole lines from the end until there is room; the tag that closes the text stays."""
        if not content:  # of a block that had nothing to say LlamaIndex gives an empty list
            return None
        *lines, end = content.split("\n")
        closing = end if end.startswith("</") else ""
        room = max(0, estimate(content) - tokens_to_truncate - estimate(closing))
        kept = fit(lines if closing else [*lines, end], room)
        return "\n".join((*kept, *([closing] if closing else []))) if kept else None

    def _laid_out(self, messages: list[ChatMessage], session: str | None, budget: int) -> str:
        talk = self.space.within(session) if session else self.space
        made = laid_out(talk, [(one.role.value, one.content or "") for one in messages], budget, self.profile)
        return str(made) if made is not None else ""


class RecollectChatStore(AsyncDBChatStore):
    """The messages of each session as a queue: what is archived left the model's sight, and is found by search."""

    space: Any = Field(exclude=True, description="The space of the user, rc.space(user).")

    @field_validator("space")
    @classmethod
    def _plain(cls, given: Any) -> Space:
        return raw.plain(given)

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Give the messages of a session, as they were added."""
        rows = await asyncio.to_thread(self._rows, key, status)
        first = offset or 0
        return [_message(one) for one in rows[first : None if limit is None else first + limit]]

    async def count_messages(self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE) -> int:
        """Count the messages of a session."""
        return len(await asyncio.to_thread(self._rows, key, status))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE) -> None:
        """Keep a message."""
        await self.add_messages(key, [message], status)

    async def add_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Keep messages, each found by its words from now on."""
        await asyncio.to_thread(self._add, key, messages, status)

    async def set_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        """Put exactly these messages in the place of those of a status; what stands among them already stays."""
        await asyncio.to_thread(self._set, key, messages, status)

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Forget one message of those in sight, by its place, and give it."""
        rows = await asyncio.to_thread(self._rows, key, MessageStatus.ACTIVE)
        chosen = rows[idx : idx + 1] if idx >= 0 else []
        return next(iter(await asyncio.to_thread(self._forget, chosen)), None)

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Forget the messages of a session; `space.restore` brings one back, and facts made of them stay."""
        await asyncio.to_thread(lambda: self._forget(self._rows(key, status)))

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Forget the oldest messages in sight, and give them."""
        return await asyncio.to_thread(lambda: self._forget(self._rows(key, MessageStatus.ACTIVE)[: max(0, n)]))

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Take the oldest messages out of the model's sight, and give them."""
        return await asyncio.to_thread(self._archive, key, n)

    async def get_keys(self) -> list[str]:
        """Give the sessions there are."""
        return [one.id for one in await asyncio.to_thread(self.space.sessions) if one.id]

    def _rows(self, key: str, status: MessageStatus | None) -> list[Memory]:
        talk = self.space.within(key)
        if status == MessageStatus.ACTIVE:
            return raw.rows(talk)
        everything = raw.rows(talk, whole=True)
        if status is None:
            return everything
        seen = {one.id for one in raw.rows(talk)}
        return [one for one in everything if one.id not in seen]

    def _add(self, key: str, messages: list[ChatMessage], status: MessageStatus) -> list[str]:
        talk = self.space.within(key)
        made = [_kept(talk, one) for one in messages]
        if status == MessageStatus.ARCHIVED and made:
            talk.messages.set_ids([id for id in talk.messages.ids() if id not in made])
        return made

    def _set(self, key: str, messages: list[ChatMessage], status: MessageStatus) -> None:
        left = self._rows(key, status)
        ids = list[str]()
        for message in messages:
            known = next((one for one in left if raw.raw_of(one) == _wire(message)), None)
            if known is not None:
                left.remove(known)
            ids.append(known.id if known is not None else self._add(key, [message], status)[0])
        self._forget(left)
        if status == MessageStatus.ACTIVE:
            self.space.within(key).messages.set_ids(ids)

    def _archive(self, key: str, n: int) -> list[ChatMessage]:
        rows = raw.rows(self.space.within(key))
        gone = rows[: max(0, n)]
        if gone:
            self.space.within(key).messages.set_ids([one.id for one in rows[len(gone) :]])
        return [_message(one) for one in gone]

    def _forget(self, rows: list[Memory]) -> list[ChatMessage]:
        for one in rows:
            self.space.forget(one.id)
        return [_message(one) for one in rows]


def recollect_memory(space: Space | AsyncSpace, session_id: str, **options: Any) -> LlamaMemory:
    """Give LlamaIndex's memory of one session on ours: what is said is kept, what is known is in the prompt."""
    block = RecollectMemoryBlock(space=space, accept_short_term_memory=False)
    store = RecollectChatStore(space=space)
    return LlamaMemory.from_defaults(session_id=session_id, chat_store=store, memory_blocks=[block], **options)


def _wire(message: ChatMessage) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(message.model_dump_json())
    return plain


def _kept(talk: Space, message: ChatMessage) -> str:
    calls = [_call(one) for one in message.blocks if isinstance(one, ToolCallBlock) and one.tool_call_id]
    answers = str(message.additional_kwargs.get("tool_call_id") or "")
    text = (message.content or "").strip()
    return raw.append(talk, message.role.value, text, _wire(message), calls, answers).id


def _call(block: ToolCallBlock) -> dict[str, Any]:
    given = block.tool_kwargs
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    function = {"name": block.tool_name, "arguments": arguments}
    return {"id": block.tool_call_id, "type": "function", "function": function}


def _message(memory: Memory) -> ChatMessage:
    kept = raw.raw_of(memory)
    if kept is not None:
        return ChatMessage.model_validate(kept)
    role, text = raw.role_and_text(memory)
    return ChatMessage(role=role, content=text)
