"""Messages in groups that belong together: a call of tools is never parted from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.model.values import dataclass

SYSTEM = ("system", "developer")
TOOL = "tool"
ASSISTANT = "assistant"
USER = "user"
BRIDGES = {ASSISTANT: "(The conversation goes on.)", USER: "(The conversation goes on.)"}
UNANSWERED = "(no result was recorded)"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a window."""

    id: str
    role: str
    content: Any
    """A text, or a list of parts as chat models take them."""
    calls: tuple[Mapping[str, Any], ...] = ()
    """The tools an assistant called."""
    answers: str = ""
    """The call a tool's result answers."""
    summary: bool = False

    @property
    def empty(self) -> bool:
        """Whether it says nothing and calls nothing."""
        text = self.content.strip() if isinstance(self.content, str) else self.content
        return not text and not self.calls

    @property
    def called(self) -> tuple[str, ...]:
        """The ids of the calls it makes."""
        return tuple(str(call.get("id", "")) for call in self.calls)

    def wire(self) -> dict[str, Any]:
        """Give it as a chat model takes it."""
        made: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            made["tool_calls"] = [dict(call) for call in self.calls]
        if self.answers:
            made["tool_call_id"] = self.answers
        return made


Group = tuple[Message, ...]


def groups(messages: Sequence[Message]) -> list[Group]:
    """Give messages in groups: an assistant that calls tools with all results right behind it, every other alone."""
    found: list[list[Message]] = []
    for one in messages:
        if one.role == TOOL and found and found[-1][0].calls and found[-1][-1].role in (ASSISTANT, TOOL):
            found[-1].append(one)
        else:
            found.append([one])
    return [tuple(group) for group in found]


def acceptable(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Give messages as every chat model takes them: system first, then a user; each call answered, no result alone,
    nothing empty, and nobody speaking twice in a row. What is added says that it is; nothing of it is stored."""
    made: list[dict[str, Any]] = [one.wire() for one in messages if one.role in SYSTEM and not one.empty]
    before = USER if not made else ""
    spoken: list[dict[str, Any]] = []
    for group in groups([one for one in messages if one.role not in SYSTEM]):
        head = group[0]
        if head.role == TOOL or head.empty:
            continue
        role = ASSISTANT if head.role == ASSISTANT else USER
        if not spoken and role == ASSISTANT:
            spoken.append({"role": USER, "content": BRIDGES[USER]})
        elif spoken and before == role:
            other = ASSISTANT if role == USER else USER
            spoken.append({"role": other, "content": BRIDGES[other]})
        spoken += _answered(group, role)
        before = "" if head.calls else role
    return made + spoken


def _answered(group: Group, role: str) -> list[dict[str, Any]]:
    """Give a group with exactly one result for each call."""
    head = group[0]
    if not head.calls:
        return [{**head.wire(), "role": role}]
    results: dict[str, dict[str, Any]] = {}
    for one in group[1:]:
        if one.answers in head.called and one.answers not in results:
            results[one.answers] = {**one.wire(), "content": one.content or UNANSWERED}
    absent = {"role": TOOL, "content": UNANSWERED}
    return [head.wire(), *(results.get(id) or {**absent, "tool_call_id": id} for id in dict.fromkeys(head.called))]
