"""Blocks and metadata as a system prompt has them: tags that nothing inside can close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.model.block import Block
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

_TAG = pattern(r"<(?=[/!?|]?[^\W\d])")
"""What could begin a tag."""
PIECE = 400
"""In parts of how many characters a long line is cut."""
CLOSING = "</memory_blocks>"
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


def compiled(blocks: Sequence[Block], shown: Sequence[str] | None = None) -> str:
    """Give the blocks as one text for the system prompt, with these texts of them or whole; empty without blocks."""
    if not blocks:
        return ""
    texts = [one.value for one in blocks] if shown is None else shown
    inner = (_block(one, text) for one, text in zip(blocks, texts, strict=True))
    return "\n".join(["<memory_blocks>", OPENING, "", *inner, "</memory_blocks>"])


def rebuilt(system: str, blocks: str) -> str:
    """Give a system prompt with these compiled blocks in the place of its own, or behind it where it has none.

    What is compared is the section as it stands: nothing else of the prompt makes it another.
    """
    start, end = system.find("<memory_blocks>"), system.find(CLOSING)
    if start < 0 or end < start:
        return f"{system}\n\n{blocks}" if system and blocks else system or blocks
    after = end + len(CLOSING)
    return system if system[start:after] == blocks else system[:start] + blocks + system[after:]


def fitted(blocks: Sequence[Block], room: int, count: Callable[[str], int]) -> tuple[str, bool]:
    """Give the blocks as far as there is room, from the first on, and whether something had to be cut.

    What is cut is cut between lines, so that more room shows more of the same; without room for the tags of all
    blocks nothing is shown.
    """
    whole = compiled(blocks)
    if count(whole) <= room:
        return whole, False
    pieces = [_pieces(one.value) for one in blocks]
    low, high = -1, sum(map(len, pieces))
    while high - low > 1:  # the longest beginning that fits
        middle = (low + high) // 2
        low, high = (middle, high) if count(compiled(blocks, _cut(blocks, pieces, middle))) <= room else (low, middle)
    return (compiled(blocks, _cut(blocks, pieces, low)) if low >= 0 else ""), True


def _pieces(value: str) -> list[str]:
    """Give a text in lines, long ones in parts, each with what parts it from the next."""
    lines = value.splitlines(keepends=True)
    return [line[at : at + PIECE] for line in lines for at in range(0, len(line), PIECE)]


def _cut(blocks: Sequence[Block], pieces: Sequence[Sequence[str]], most: int) -> list[str]:
    shown: list[str] = []
    for one, own in zip(blocks, pieces, strict=True):
        kept = "".join(own[:most])
        rest = len(one.value) - len(kept)
        most = max(0, most - len(own))
        shown.append(f"{kept.rstrip()}\n[… {rest:,} more characters]" if rest else one.value)
    return shown


def _block(one: Block, text: str) -> str:
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
            untagged(text),
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
