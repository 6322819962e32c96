"""Providers for Microsoft's Agent Framework: what is known goes into each run, and its history lasts.

`Agent(client=…, context_providers=[RecollectHistoryProvider(space), RecollectContextProvider(space)])`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import ContextProvider, HistoryProvider, Message

from recollect.adapters import raw
from recollect.adapters.looking import laid_out
from recollect.errors import InvalidInput
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.memory import Memory
from recollect.rules.gate import checks

HISTORY, CONTEXT = "recollect_history", "recollect"


class RecollectHistoryProvider(HistoryProvider):
    """The messages of each agent session, in a session of the space; compacted, it begins with the summary."""

    def __init__(self, space: Space | AsyncSpace, source_id: str = HISTORY, **options: Any) -> None:
        super().__init__(checks.name("source_id", source_id, empty=False), **options)
        self._space = raw.plain(space)

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **more: Any
    ) -> list[Message]:
        """Give the messages in sight, as they were saved."""
        talk = _talk(self._space, session_id)
        return [_message(one) for one in await asyncio.to_thread(raw.rows, talk)]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Keep messages; each is found by its words from now on, in every session."""
        talk = _talk(self._space, session_id)
        for one in messages:
            await asyncio.to_thread(_kept, talk, one)


class RecollectContextProvider(ContextProvider):
    """Lays out what is known for what the user says; keeps what was said where no history of ours does."""

    def __init__(
        self,
        space: Space | AsyncSpace,
        source_id: str = CONTEXT,
        *,
        budget_tokens: int = 1200,
        profile: str = "",
        keep: bool = True,
    ) -> None:
        super().__init__(checks.name("source_id", source_id, empty=False))
        self._space = raw.plain(space)
        self._budget = checks.whole("budget_tokens", budget_tokens, 1, 10_000_000)
        self._profile = checks.name("profile", profile)
        self._keep = checks.flag("keep", keep)

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Put what is stable into the instructions, and what is made for this question before it."""
        seen = [*context.get_messages(), *context.input_messages]
        turns = [(str(one.role), one.text) for one in seen]
        talk = _talk(self._space, context.session_id)
        made = await asyncio.to_thread(laid_out, talk, turns, self._budget, self._profile)
        if made is None:
            return
        if made.stable:
            context.extend_instructions(self.source_id, made.stable)
        if made.volatile:
            context.extend_messages(self, [Message("user", [made.volatile])])

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Keep the question and its answer, once."""
        others = getattr(agent, "context_providers", ())
        if not self._keep or any(isinstance(one, RecollectHistoryProvider) for one in others):
            return
        talk = _talk(self._space, context.session_id)
        answers = context.response.messages if context.response else ()
        for one in (*context.input_messages, *answers):
            await asyncio.to_thread(_kept, talk, one)


def _talk(space: Space, session_id: str | None) -> Space:
    """Give the space in the agent's session, or in its own where the agent has none."""
    if not session_id and not space._scope.session:
        raise InvalidInput("a history needs a session: agent.run(text, session=agent.create_session())")
    return space.within(session_id) if session_id else space


def _kept(talk: Space, message: Message) -> None:
    """Keep a message with its calls and results, and as the framework wrote it."""
    wire: dict[str, Any] = json.loads(json.dumps(message.to_dict(exclude_none=True), default=str))
    calls, answers = [], list[Mapping[str, Any]]()
    for part in wire.get("contents", ()):
        if part.get("type") == "function_call":
            calls.append(_call(part))
        elif part.get("type") == "function_result":
            answers.append(part)
    text = message.text or "\n".join(str(one.get("result") or "") for one in answers)
    answered = str(answers[0].get("call_id") or "") if len(answers) == 1 else ""
    raw.append(talk, str(message.role), text, wire, calls, answered)


def _call(part: Mapping[str, Any]) -> dict[str, Any]:
    given = part.get("arguments")
    arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
    return {"id": part["call_id"], "type": "function", "function": {"name": part["name"], "arguments": arguments}}


def _message(memory: Memory) -> Message:
    kept = raw.raw_of(memory)
    if kept is not None:
        return Message.from_dict(dict(kept))
    role, text = raw.role_and_text(memory)
    return Message(role, [text])
