"""Blocks and metadata as a system prompt has them: tags that nothing inside can close."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.model.block import Block
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

_TAG = pattern(r"<(?=[/!?]?[^\W\d])")
"""What could begin a tag."""
OPENING = "The following memory blocks are currently engaged in your core memory unit:"


@dataclass(frozen=True, slots=True)
class Counted:
    """What stands outside the prompt, and when the prompt's own part was changed."""

    now: datetime
    changed: datetime | None = None
    messages: int = 0
    """How many messages are stored that the model does not see."""
    passages: int = 0


def untagged(text: str) -> str:
    """Give a text in which nothing is a tag: it can neither close the one it stands in nor open another."""
    return _TAG.sub("&lt;", text)


def compiled(blocks: Sequence[Block]) -> str:
    """Give the blocks as one text for the system prompt; empty where there are none."""
    if not blocks:
        return ""
    return "\n".join(["<memory_blocks>", OPENING, "", *(_block(one) for one in blocks), "</memory_blocks>"])


def _block(one: Block) -> str:
    noted = [*(["- read_only=true"] if one.read_only else []), f"- chars_current={len(one.value)}"]
    return "\n".join(
        [
            f"<{one.label}>",
            "<description>",
            untagged(one.description),
            "</description>",
            "<metadata>",
            *noted,
            f"- chars_limit={one.limit}",
            "</metadata>",
            "<value>",
            untagged(one.value),
            "</value>",
            f"</{one.label}>",
            "",
        ]
    )


def metadata(counted: Counted) -> str:
    """Give what a model should know of its memory outside the prompt."""
    lines = ["<memory_metadata>", f"- The current system date is: {_moment(counted.now)}"]
    if counted.changed is not None:
        lines.append(f"- Memory blocks were last modified: {_moment(counted.changed)}")
    lines.append(
        f"- {counted.messages} previous messages between you and the user are stored in recall memory "
        "(use conversation_search to access)"
    )
    if counted.passages:
        lines.append(
            f"- {counted.passages} total memories you created are stored in archival memory "
            "(use archival_search to access)"
        )
    return "\n".join([*lines, "</memory_metadata>"])


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} {at.tzname() or 'UTC'}"
