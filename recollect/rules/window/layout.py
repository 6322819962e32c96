"""How memory is laid out for a prompt: how much of what, and what a message looks like in it."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.values import bounded, dataclass
from recollect.rules.learn.notes import shown
from recollect.text.normal import words


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """How much of each sort `context` shows; the budget of tokens may allow less."""

    active: int = 15
    """How many fresh, important or pinned memories are shown in every context."""
    active_share: float = 0.7
    """How much of the budget they may take when there is a prompt to find something for."""
    active_floor: int = 3
    """Below this importance, as it stands now, a memory is not shown by itself."""
    relevant: int = 5
    """How many memories are shown because the prompt is about them."""
    waiting: int = 3
    """How many proposals that wait for the user's word are shown, so that an agent can ask; 0 shows none."""
    said: int = bounded(5)
    """How many messages of other sessions are shown because the prompt is about them; 0 shows none."""
    said_characters: int = 240
    """How much of such a message is shown."""


SENTENCE = 5
"""From so many words on a slot's text speaks for itself."""


def flat(text: str) -> str:
    """Put a text on one line: it comes from strangers, and must not be able to start a heading of its own."""
    return " ".join(text.split())


def as_kept(memory: Memory) -> str:
    """Give what a memory says on one line; a bare value is told with the name of its slot."""
    text = flat(shown(memory))
    said = words(memory.content)
    bare = memory.key and len(said) < SENTENCE and not {*words(memory.key.replace("_", " "))} <= {*said}
    return f"{flat(memory.key)}: {text}" if bare else text


def as_waiting(memory: Memory) -> str:
    """Give a proposal as one line, with the id to accept or reject it by."""
    return f"- {as_kept(memory)} (proposed, not yet true: ask, then accept or reject {memory.id})"


def as_said(memory: Memory, characters: int) -> str:
    """Give a message as one line: when, by whom, and how it begins."""
    text = flat(memory.content)
    cut = text if len(text) <= characters else text[: characters - 1].rstrip() + "…"
    return f"- {memory.event_time.date().isoformat()} {flat(memory.actor or memory.role)}: {cut}"
