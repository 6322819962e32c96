"""How three APIs write a conversation: where memory stands in a request, and what was said in it and in its answer.

Messages are given as the window takes them: role, content, and OpenAI's `tool_calls` and `tool_call_id`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

Message: TypeAlias = dict[str, Any]
Body: TypeAlias = Mapping[str, Any]
ORDERS = ("system", "developer")
"""The roles of instructions, which are no part of the conversation."""


class Dialect(Protocol):
    """One API: reading its requests and answers, and writing memory into a request."""

    path: str
    """How the path of its requests ends."""

    def turns(self, body: Body) -> list[Message]:
        """Give the messages of a request, instructions left out."""

    def placed(self, body: Body, stable: str, volatile: str) -> dict[str, Any]:
        """Give a request with memory in it: what is stable in the instructions, the rest before the last question."""

    def replies(self, payload: Body) -> list[Message]:
        """Give what an answer says."""

    def gathered(self, events: Sequence[Body]) -> dict[str, Any]:
        """Give the answer that a stream's events make up, as far as they came."""


def asks(message: Body) -> bool:
    """Tell whether a message is a person's own: memory stands just before the last of them."""
    return message.get("role") == "user"


def _last(items: Sequence[Any], wanted: Any) -> int | None:
    return next((at for at in range(len(items) - 1, -1, -1) if wanted(items[at])), None)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _extended(content: Any, text: str, kind: str = "text") -> Any:
    """Add a text at the end of a message's content, which is a text or a list of parts."""
    if isinstance(content, str) or content is None:
        return _joined(content or "", text)
    return [*content, {"type": kind, "text": text}]


class ChatCompletions:
    """OpenAI's `/chat/completions`, and everything that speaks it."""

    path = "/chat/completions"

    def turns(self, body: Body) -> list[Message]:
        """Give the messages as they are."""
        return [dict(one) for one in body.get("messages", ()) if one.get("role") not in ORDERS]

    def placed(self, body: Body, stable: str, volatile: str) -> dict[str, Any]:
        """Extend the first instructions, and put a system message just before the last question."""
        messages = list(body.get("messages", ()))
        last = _last(messages, asks)
        if last is None:
            return dict(body)
        if volatile:
            messages.insert(last, {"role": "system", "content": volatile})
        if stable and messages[0].get("role") in ORDERS and messages[0].get("content") != volatile:
            messages[0] = {**messages[0], "content": _extended(messages[0].get("content"), stable)}
        elif stable:
            messages.insert(0, {"role": "system", "content": stable})
        return {**body, "messages": messages}

    def replies(self, payload: Body) -> list[Message]:
        """Give the message of the first choice."""
        choices = payload.get("choices") or [{}]
        message = choices[0].get("message") or {}
        said = {"role": "assistant", "content": message.get("content") or message.get("refusal") or ""}
        calls = message.get("tool_calls")
        return [{**said, "tool_calls": calls}] if calls else [said] if said["content"] else []

    def gathered(self, events: Sequence[Body]) -> dict[str, Any]:
        """Put the first choice together from its pieces."""
        text: list[str] = []
        calls: dict[int, dict[str, Any]] = {}
        deltas = [one.get("delta") or {} for event in events for one in event.get("choices") or () if not one["index"]]
        for delta in deltas:
            text.append(delta.get("content") or delta.get("refusal") or "")
            for piece in delta.get("tool_calls") or ():
                _added(calls.setdefault(piece["index"], {"type": "function", "function": {}}), piece)
        message = {"content": "".join(text), "tool_calls": [calls[at] for at in sorted(calls)]}
        return {"choices": [{"message": message}]}


def _added(call: dict[str, Any], piece: Body) -> None:
    """Add a piece of a tool call to what came of it so far."""
    call["id"] = piece.get("id") or call.get("id", "")
    function = call["function"]
    for name in ("name", "arguments"):
        function[name] = function.get(name, "") + ((piece.get("function") or {}).get(name) or "")


class Responses:
    """OpenAI's `/responses`; with `previous_response_id` a request holds only what is new."""

    path = "/responses"

    def turns(self, body: Body) -> list[Message]:
        """Give the items that are messages, calls or their results."""
        read = [_item(one) for one in _items(body)]
        return [one for one in read if one is not None and one["role"] not in ORDERS]

    def placed(self, body: Body, stable: str, volatile: str) -> dict[str, Any]:
        """Extend the instructions, and put a developer message just before the last question."""
        items = _items(body)
        last = _last(items, asks)
        if last is None:
            return dict(body)
        if volatile:
            items.insert(last, {"role": "developer", "content": volatile})
        more = {"instructions": _joined(str(body.get("instructions") or ""), stable)} if stable else {}
        return {**body, **more, "input": items}

    def replies(self, payload: Body) -> list[Message]:
        """Give the text and the calls of an answer as one message."""
        items = [one for one in payload.get("output") or () if isinstance(one, Mapping)]
        text = "\n".join(_parts(one.get("content")) for one in items if one.get("type") == "message")
        calls = [_call(one["call_id"], one["name"], one["arguments"]) for one in items if _calls(one)]
        said: Message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
        return [said] if text or calls else []

    def gathered(self, events: Sequence[Body]) -> dict[str, Any]:
        """Give the answer of the last event, or as much of its text as came."""
        whole = [one["response"] for one in events if one.get("type") in ("response.completed", "response.incomplete")]
        if whole:
            return dict(whole[-1])
        text = "".join(str(one.get("delta", "")) for one in events if one.get("type") == "response.output_text.delta")
        return {"output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}


def _items(body: Body) -> list[Any]:
    given = body.get("input") or []
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)


def _item(item: Body) -> Message | None:
    """Read one item of a request; what is neither said nor done, such as reasoning, is nothing."""
    if _calls(item):
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [_call(item["call_id"], item["name"], item["arguments"])],
        }
    if item.get("type") == "function_call_output":
        return {"role": "tool", "content": _parts(item.get("output")), "tool_call_id": str(item.get("call_id", ""))}
    role = item.get("role")
    return {"role": role, "content": _parts(item.get("content"))} if isinstance(role, str) else None


def _calls(item: Body) -> bool:
    return item.get("type") == "function_call"


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _parts(content: Any) -> str:
    """Give the text of a content, whatever its parts are called."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    said = [one.get("text") or one.get("refusal") for one in parts if isinstance(one, Mapping)]
    return "\n".join(one for one in said if isinstance(one, str))


class AnthropicMessages:
    """Anthropic's `/messages`: instructions stand beside the messages, calls and their results inside them."""

    path = "/messages"

    def turns(self, body: Body) -> list[Message]:
        """Give the messages with each result of a tool as one of its own, before what its message says."""
        return [said for one in body.get("messages", ()) for said in _read(one["role"], one.get("content"))]

    def placed(self, body: Body, stable: str, volatile: str) -> dict[str, Any]:
        """Extend the instructions, and begin the last question with what is remembered."""
        messages = list(body.get("messages", ()))
        last = _last(messages, lambda one: asks(one) and not _results(one.get("content")))
        if last is None:
            return dict(body)
        if volatile:
            said = messages[last].get("content")
            parts = [{"type": "text", "text": said}] if isinstance(said, str) else list(said or ())
            messages[last] = {**messages[last], "content": [{"type": "text", "text": volatile}, *parts]}
        more = {"system": _extended(body.get("system"), stable)} if stable else {}
        return {**body, **more, "messages": messages}

    def replies(self, payload: Body) -> list[Message]:
        """Give the text and the calls of an answer as one message."""
        return _read("assistant", payload.get("content"))

    def gathered(self, events: Sequence[Body]) -> dict[str, Any]:
        """Put the blocks together from their pieces."""
        blocks: dict[int, dict[str, Any]] = {}
        for event in events:
            if event.get("type") == "content_block_start":
                blocks[event["index"]] = {**event["content_block"], "pieces": []}
            elif event.get("type") == "content_block_delta":
                delta = event["delta"]
                piece = delta.get("text") or delta.get("partial_json") or ""
                blocks[event["index"]]["pieces"].append(piece)
        return {"content": [_block(blocks[at]) for at in sorted(blocks)]}


def _block(block: dict[str, Any]) -> dict[str, Any]:
    """Give a block with its pieces in it; a call whose arguments did not come whole has none."""
    pieces = "".join(block.pop("pieces"))
    if block.get("type") == "text":
        return {**block, "text": block.get("text", "") + pieces}
    if block.get("type") == "tool_use" and pieces:
        try:
            return {**block, "input": json.loads(pieces)}
        except ValueError:
            return block
    return block


def _results(content: Any) -> bool:
    """Tell whether a message carries results of tools, which must stay first in it."""
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else ()
    return any(isinstance(one, Mapping) and one.get("type") == "tool_result" for one in parts)


def _read(role: str, content: Any) -> list[Message]:
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    parts = [one for one in content or () if isinstance(one, Mapping)]
    results = [
        {"role": "tool", "content": _parts(one.get("content")), "tool_call_id": str(one.get("tool_use_id", ""))}
        for one in parts
        if one.get("type") == "tool_result"
    ]
    calls = [
        _call(str(one["id"]), str(one["name"]), json.dumps(one.get("input", {}), ensure_ascii=False))
        for one in parts
        if one.get("type") == "tool_use"
    ]
    text = "\n".join(str(one["text"]) for one in parts if one.get("type") == "text")
    said: Message = {"role": role, "content": text, **({"tool_calls": calls} if calls else {})}
    return [*results, said] if text or calls else results


DIALECTS: tuple[Dialect, ...] = (ChatCompletions(), Responses(), AnthropicMessages())


def events_of(text: str) -> list[dict[str, Any]]:
    """Read the events of a stream that are JSON; one that was cut off in the middle is left out."""
    found: list[dict[str, Any]] = []
    for line in text.splitlines():
        if not line.startswith("data:"):
            continue
        try:
            event = json.loads(line.removeprefix("data:"))
        except ValueError:  # the end mark of OpenAI, or half an event
            continue
        if isinstance(event, dict):
            found.append(event)
    return found
