"""Notes: what people said and is worth keeping, in their own words; how its class weighs, and how it is shown."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.owner import split_owner
from recollect.model.values import dataclass
from recollect.rules.people.speakers import telling

NOTE, CLASS, ASKED = "note", "class", "asked"
"""Where the attributes of a memory say that it is a note, of which class it is, and which question it answers."""
CORRECTS = "corrects"
"""Where they name what a memory put right: that was wrong, and does not come back when the memory is forgotten."""
NOBODY = "The user"
"""How somebody is called of whom no name is known, here and in what models are asked."""


@dataclass(frozen=True, slots=True)
class NotesPolicy:
    """How much is kept of what people say, where a judge finds it worth keeping."""

    per_turn: int = 8
    """How many sentences of one message may be kept."""
    per_page: int = 60
    """How many sentences of one page of a conversation may be kept."""
    longest_turn: int = 4000
    """Messages of more characters are taken for pasted text, and not read."""
    longest: int = 400
    """Sentences of more characters are passed over."""
    abroad: float = 0.45
    """How likely a sentence must be worth keeping in a language the judge knows less well, 0 to 1."""
    sure_class: float = 0.6
    """How sure the class of a statement must be for it to weigh as such and stand in every context, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What a class of statements comes to: its category, and how much it matters."""

    category: str
    importance: int


UNCLEAR = "unclear"
"""The class of what is worth keeping, and nobody is sure what it is."""
WEIGHTS: dict[str, Weight] = {
    "identity": Weight("profile", 8),
    "family": Weight("relationships", 8),
    "health": Weight("constraints", 9),
    "home": Weight("profile", 7),
    "work": Weight("profile", 7),
    "preference": Weight("preferences", 6),
    "possession": Weight("profile", 5),
    "habit": Weight("activity", 5),
    "plan": Weight("tasks", 6),
    "project": Weight("projects", 6),
    "event": Weight("event", 5),
    "wish": Weight("preferences", 9),
    UNCLEAR: Weight("general", 5),
}
"""The classes of what is worth keeping."""
GUARDED = tuple(name for name, weight in WEIGHTS.items() if weight.importance >= 8)
"""The classes no time may take away: who somebody is, health, family, wishes."""


def is_note(memory: Memory) -> bool:
    """Tell whether a memory is what somebody said, in his own words."""
    return bool(memory.attributes.get(NOTE))


def speaker(memory: Memory) -> str:
    """Give who said a note, as far as that is known."""
    owner = split_owner(memory.owner)[1]
    return memory.actor or (owner.capitalize() if telling(owner) else NOBODY)


def shown(memory: Memory) -> str:
    """Give a memory as people and models read it: a note with who said it and when, any other as it stands."""
    if not is_note(memory):
        return memory.content
    at, asked = memory.event_time, str(memory.attributes.get(ASKED, ""))
    answering = f", asked “{asked}”" if asked else ""
    return f"{speaker(memory)}, {at.day} {at:%B} {at.year}{answering}: “{memory.content}”"
