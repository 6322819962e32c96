"""Core blocks: short texts that are always in the prompt, read and edited by the model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.block import Block
from recollect.model.values import dataclass
from recollect.tools.declare import tool

Label = Annotated[str, Field(description="The block, such as persona or human.", max_length=100)]


@dataclass(frozen=True, slots=True)
class Seen:
    """One block as the model sees it."""

    label: str
    value: str
    chars: int
    limit: int
    read_only: bool
    version: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks there are."""

    blocks: tuple[Seen, ...]
    note: str = ""

    def text(self) -> str:
        """Give each with its text."""
        told = [f"<{one.label}> ({one.chars} of {one.limit} characters)\n{one.value}" for one in self.blocks]
        return "\n\n".join([*([self.note] if self.note else []), *told])


def seen(one: Block) -> Seen:
    """Give a block in the form tools show it."""
    return Seen(one.label, one.value, len(one.value), one.limit, one.read_only, one.version)


@tool("Read and edit blocks")
def memory_blocks(
    space: Space,
    action: Annotated[
        Literal["view", "append", "replace", "rewrite"],
        Field(description="view shows all blocks, or one; the others change one."),
    ] = "view",
    label: Annotated[str, Field(description='The block, such as persona or human; "" views all.', max_length=100)] = "",
    content: Annotated[str, Field(description="append, replace, rewrite: the new text.")] = "",
    old: Annotated[str, Field(description="replace: the text that goes; it must occur once.")] = "",
) -> Blocks:
    """Look at the short texts that are always in your prompt, and keep them true.

    Use it when what you should always know about yourself, the user or the task has changed. Do not fill blocks with
    single facts: memory_save keeps those, and search finds them.
    """
    if action == "view":
        return Blocks(tuple(seen(one) for one in ([space.blocks.get(label)] if label else space.blocks())))
    if not label.strip():
        raise InvalidInput("'label' argument required")
    if action == "append":
        space.blocks.append(label, content)
    elif action == "replace":
        space.blocks.replace(label, old, content)
    else:
        space.blocks.rethink(label, content)
    return Blocks((seen(space.blocks.get(label)),), f"Changed the block '{label}'.")
