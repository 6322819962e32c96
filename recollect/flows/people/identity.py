"""Who the user is: what he is called, the names he is known by, and whose word a message is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT
from recollect.model.owner import split_owner
from recollect.rules.people.speakers import NAME, Identity
from recollect.store.base import Reading
from recollect.text.roles import PEOPLE

if TYPE_CHECKING:
    from recollect.language.reader import Reader


def identity_of(view: Reading, owner: str, reader: Reader) -> Identity:
    """Give who an owner is: his id, the name he wants to be called by, and the one he said so under.

    Where these tell nothing, like the number of an account, he is the one who spoke first; had that one no name, an
    empty one says so.
    """
    slot = view.slot(owner, "", "fact", "preferred_name")
    asked = (slot.actor,) if slot is not None and slot.actor and slot.source in EXPLICIT else ()
    known = Identity(split_owner(owner)[1], _name_told(slot.content, reader) if slot is not None else "", asked)
    return known if known.named else replace(known, spoke_as=(*asked, *_first_speaker(view, owner)))


def _name_told(content: str, reader: Reader) -> str:
    """Give the name in what fills the slot of the preferred name; nothing where that is none."""
    name = reader.called(content.strip()) or content.strip()
    return name if NAME.fullmatch(name) else ""


def _first_speaker(view: Reading, owner: str) -> list[str]:
    """Give the name under which somebody first spoke to this memory as its user."""
    where = Filter(owner=owner, now=EPOCH, kinds=("episode",))
    said = [one for role in sorted(PEOPLE) for one in view.page(replace(where, role=role), "oldest", 1)]
    return [one.actor for one in sorted(said, key=lambda one: one.created_at)[:1]]
