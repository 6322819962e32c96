"""What a scripted model says, as three APIs write it: OpenAI's chat completions and responses, Anthropic's messages."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from recollect.model.values import dataclass

Data: TypeAlias = dict[str, Any]
BORN = 1_770_000_000
PIECE = 7
"""How many characters come in one piece of a stream."""


@dataclass(frozen=True, slots=True)
class Answering:
    """What is to be written down."""

    body: Data
    """The request."""
    content: str | None
    tool: str | None
    """The arguments of a tool call."""
    called: str
    """Which tool is called."""
    refusal: str | None
    finish: str
    usage: tuple[int, int] | None
    """How many tokens were read and written."""

    @property
    def model(self) -> str:
        """Who answers."""
        return str(self.body.get("model", ""))


@dataclass(frozen=True, slots=True)
class Written:
    """An answer as one object, and as the events of a stream."""

    whole: Data
    events: list[tuple[str, Data | str]]
    """The name of each event, empty where the API gives it none, and its data."""


def written(path: str, answer: Answering) -> Written:
    """Write an answer as the API of a path does."""
    if path.endswith("/messages"):
        return _anthropic(answer)
    return _responses(answer) if path.endswith("/responses") else _chat(answer)


def packed(events: list[tuple[str, Data | str]]) -> bytes:
    """Give the events of a stream as they travel."""
    lines = []
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data)
        lines.append(f"event: {name}\ndata: {text}\n\n" if name else f"data: {text}\n\n")
    return "".join(lines).encode()


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _chat(answer: Answering) -> Written:
    message: Data = {"role": "assistant", "content": answer.content, "refusal": answer.refusal}
    finish = answer.finish
    pieces: list[Data] = [
        {"role": "assistant", "content": ""},
        *({"content": one} for one in _pieces(answer.content or "")),
    ]
    if answer.tool is not None:
        call = {"id": "call_1", "type": "function", "function": {"name": answer.called, "arguments": answer.tool}}
        message["tool_calls"] = [call]
        pieces.append({"tool_calls": [{"index": 0, **call, "function": {"name": answer.called, "arguments": ""}}]})
        pieces += [{"tool_calls": [{"index": 0, "function": {"arguments": one}}]} for one in _pieces(answer.tool)]
        finish = "tool_calls" if finish == "stop" else finish
    head: Data = {"id": "chatcmpl-1", "created": BORN, "model": answer.model}
    usage = _used(answer.usage, "prompt_tokens", "completion_tokens")
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    chunk = {**head, "object": "chat.completion.chunk"}
    deltas: list[tuple[Data, str | None]] = [*((one, None) for one in pieces), ({}, finish)]
    events: list[tuple[str, Data | str]] = [
        ("", {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}) for delta, end in deltas
    ]
    if (answer.body.get("stream_options") or {}).get("include_usage"):
        events.append(("", {**chunk, "choices": [], **usage}))
    whole = {**head, "object": "chat.completion", "choices": choices, **usage}
    return Written(whole, [*events, ("", "[DONE]")])


def _used(usage: tuple[int, int] | None, read: str, wrote: str, *, total: bool = True) -> Data:
    if usage is None:
        return {}
    made = {read: usage[0], wrote: usage[1]}
    return {"usage": {**made, **({"total_tokens": sum(usage)} if total else {})}}


def _responses(answer: Answering) -> Written:
    output: list[Data] = []
    events: list[tuple[str, Data | str]] = []
    if answer.content is not None:
        part = {"type": "output_text", "text": answer.content, "annotations": []}
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        empty = {**part, "text": ""}
        events += [
            _event("response.output_item.added", {"output_index": 0, "item": {**item, "content": []}}),
            _event("response.content_part.added", {**place, "part": empty}),
            *(
                _event("response.output_text.delta", {**place, "delta": one, "logprobs": []})
                for one in _pieces(answer.content)
            ),
            _event("response.output_text.done", {**place, "text": answer.content, "logprobs": []}),
            _event("response.output_item.done", {"output_index": 0, "item": item}),
        ]
        output.append(item)
    if answer.tool is not None:
        call = {
            "id": "fc_1",
            "type": "function_call",
            "call_id": "call_1",
            "name": answer.called,
            "arguments": answer.tool,
            "status": "completed",
        }
        events.append(_event("response.output_item.added", {"output_index": len(output), "item": call}))
        events.append(_event("response.output_item.done", {"output_index": len(output), "item": call}))
        output.append(call)
    whole: Data = {
        "id": "resp_1",
        "object": "response",
        "created_at": BORN,
        "status": "completed",
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": answer.body.get("tools") or [],
    }
    if answer.usage is not None:
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole["usage"] = {**_used(answer.usage, "input_tokens", "output_tokens")["usage"], **details}
    begun = _event("response.created", {"response": {**whole, "status": "in_progress", "output": []}})
    listed = [begun, *events, _event("response.completed", {"response": whole})]
    return Written(whole, [(name, {**data, "sequence_number": at}) for at, (name, data) in enumerate(_data(listed))])


def _data(events: list[tuple[str, Data | str]]) -> list[tuple[str, Data]]:
    return [(name, data) for name, data in events if isinstance(data, dict)]


def _event(name: str, data: Data) -> tuple[str, Data | str]:
    return name, {"type": name, **data}


def _anthropic(answer: Answering) -> Written:
    blocks: list[Data] = []
    events: list[tuple[str, Data | str]] = []
    if answer.content is not None:
        blocks.append({"type": "text", "text": answer.content})
        events += _block(0, {"type": "text", "text": ""}, "text_delta", "text", answer.content)
    if answer.tool is not None:
        head: Data = {"type": "tool_use", "id": "toolu_1", "name": answer.called, "input": {}}
        blocks.append({**head, "input": json.loads(answer.tool)})
        events += _block(len(blocks) - 1, head, "input_json_delta", "partial_json", answer.tool)
    finish = "tool_use" if answer.tool is not None else {"stop": "end_turn"}.get(answer.finish, answer.finish)
    usage = _used(answer.usage or (0, 0), "input_tokens", "output_tokens", total=False)
    whole: Data = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": blocks,
        "stop_reason": finish,
        "stop_sequence": None,
        **usage,
    }
    begun = {**whole, "content": [], "stop_reason": None}
    ended = {
        "delta": {"stop_reason": finish, "stop_sequence": None},
        "usage": {"output_tokens": (answer.usage or (0, 0))[1]},
    }
    return Written(
        whole,
        [
            _event("message_start", {"message": begun}),
            *events,
            _event("message_delta", ended),
            _event("message_stop", {}),
        ],
    )


def _block(at: int, empty: Data, kind: str, name: str, text: str) -> list[tuple[str, Data | str]]:
    return [
        _event("content_block_start", {"index": at, "content_block": empty}),
        *(_event("content_block_delta", {"index": at, "delta": {"type": kind, name: one}}) for one in _pieces(text)),
        _event("content_block_stop", {"index": at}),
    ]
