"""Messages of pydantic-ai as the window has them, and back: who said what, which tools were called, what they gave."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from recollect.flows.window.scene import text_of
from recollect.front.space import Space
from recollect.model.clock import EPOCH
from recollect.model.values import dataclass
from recollect.rules.window.grouping import UNANSWERED

RESTORED = EPOCH
"""When the parts of a history read back from memory are said to be from: they are kept already."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One message as the window takes it."""

    role: str
    text: str
    calls: tuple[Mapping[str, Any], ...] = ()
    answers: str = ""
    failed: bool = False
    at: datetime | None = None

    @property
    def request_id(self) -> str:
        """The name it is known by, so that it is kept once however often it is handed over."""
        told = json.dumps([self.role, self.text, list(self.calls), self.answers, str(self.at)], default=str)
        return f"pydantic-ai-{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}"


def heard(message: ModelMessage) -> list[Heard]:
    """Give what a message of pydantic-ai tells: instructions and feedback of the framework are nobody's words."""
    if isinstance(message, ModelResponse):
        return _response(message)
    found = []
    for part in message.parts:
        if isinstance(part, UserPromptPart) and part.timestamp != RESTORED:
            found.append(Heard("user", _words(part.content), at=part.timestamp))
        elif isinstance(part, ToolReturnPart) and part.timestamp != RESTORED:
            text = part.model_response_str(wrap_if_error=False)
            failed = part.outcome != "success"
            found.append(Heard("tool", text, answers=part.tool_call_id, failed=failed, at=part.timestamp))
    return found


def _response(message: ModelResponse) -> list[Heard]:
    if message.timestamp == RESTORED:
        return []
    text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
    calls = tuple(_call(part) for part in message.parts if isinstance(part, ToolCallPart))
    return [Heard("assistant", text, calls, at=message.timestamp)] if text.strip() or calls else []


def _call(part: ToolCallPart) -> dict[str, Any]:
    function = {"name": part.tool_name, "arguments": part.args_as_json_str()}
    return {"id": part.tool_call_id, "type": "function", "function": function}


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(one if isinstance(one, str) else text_of([{"text": getattr(one, "text", "")}]) for one in content)


def keep(space: Space, said: Heard) -> None:
    """Keep a message in the session's window; outside sessions, its words."""
    if space._scope.session:
        content: Any = [{"type": "text", "text": said.text, "is_error": True}] if said.failed else said.text
        space.messages.append(
            said.role, content, tool_calls=said.calls, tool_call_id=said.answers, request_id=said.request_id
        )
    elif said.text.strip():
        space.observe(said.role, said.text, request_id=said.request_id)


def history(space: Space) -> list[ModelMessage]:
    """Give the window of a session as pydantic-ai takes it; calls at its end that nobody answered stay open."""
    if not space._scope.session:
        return []
    wire = space.messages()
    while wire and wire[-1].get("content") == UNANSWERED and wire[-1]["role"] == "tool":
        wire.pop()
    names = {call["id"]: call["function"]["name"] for one in wire for call in one.get("tool_calls", ())}
    return [_message(one, names) for one in wire]


def _message(wire: Mapping[str, Any], names: Mapping[str, str]) -> ModelMessage:
    text = text_of(wire.get("content"))
    if wire["role"] == "assistant":
        calls = [
            ToolCallPart(call["function"]["name"], call["function"]["arguments"] or "{}", call["id"])
            for call in wire.get("tool_calls", ())
        ]
        return ModelResponse(parts=[*([TextPart(text)] if text else []), *calls], timestamp=RESTORED)
    if wire["role"] == "tool":
        call = str(wire["tool_call_id"])
        return ModelRequest(parts=[ToolReturnPart(names.get(call, "tool"), text, call, timestamp=RESTORED)])
    if wire["role"] in ("system", "developer"):
        return ModelRequest(parts=[SystemPromptPart(text, timestamp=RESTORED)])
    return ModelRequest(parts=[UserPromptPart(text, timestamp=RESTORED)])


def wire(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """Give messages as chat models take them, for counting and for `context`: what was said and done, in order."""
    made: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            calls = [_call(part) for part in message.parts if isinstance(part, ToolCallPart)]
            made.append({"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})})
            continue
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                made.append({"role": "user", "content": _words(part.content)})
            elif isinstance(part, ToolReturnPart):
                text = part.model_response_str(wrap_if_error=False)
                made.append({"role": "tool", "content": text, "tool_call_id": part.tool_call_id})
            elif isinstance(part, RetryFeedbackPart | SystemPromptPart):
                made.append({"role": "system", "content": str(part.content)})
    return made


def last_prompt(messages: Sequence[ModelMessage]) -> tuple[int, str] | None:
    """Give which message holds the last words of the user, and these words; None where there are none."""
    for at in range(len(messages) - 1, -1, -1):
        parts = messages[at].parts if isinstance(messages[at], ModelRequest) else ()
        spoken = [_words(part.content) for part in parts if isinstance(part, UserPromptPart)]
        if spoken:
            return at, spoken[-1]
    return None
