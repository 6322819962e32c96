"""Who speaks: the user a memory belongs to, or somebody else in the same conversation."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model.values import dataclass
from recollect.text.patterns import pattern
from recollect.text.roles import PEOPLE, is_machine
from recollect.text.terms import fold

NAME = pattern(r"[^\W\d_][^\W\d_.'’-]*(?:[ '’-][^\W\d_]+\.?){0,3}")
"""The shape of a person's name, as people write it."""
_PART = pattern(r"[^\W\d_]{2,}")
_NOBODY = frozenset("default user me owner local demo test guest admin anonymous main".split())
"""Ids of owners that name nobody."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the user of a memory is: what he is called, and which words are his own."""

    id: str
    """The owner's id, which may be a name or the number of an account."""
    called: str = ""
    """The name he wants to be called by, if he has told it."""
    spoke_as: tuple[str, ...] = ()
    """The names he is known to have spoken under; an empty one says that he speaks under none."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every name he is known by, his id first."""
        return (*(one for one in (self.id, self.called) if one), *self.spoke_as)

    @property
    def named(self) -> bool:
        """Whether anything here tells what he is called."""
        return any(map(telling, self.names))

    def says(self, role: str, actor: str) -> bool:
        """Tell whether a message is the user's own word.

        Whoever speaks under another name than his is somebody else, unless nothing here tells what he is called.
        """
        if is_machine(role):
            return False
        known = [one for one in self.names if one]
        if role.strip().casefold() not in PEOPLE and not _akin(role, known):
            return False
        return not actor or _akin(actor, known) or not ("" in self.names or any(map(telling, known)))

    def speaker(self, role: str, actor: str) -> str:
        """Name who speaks: by the message, by the role where that is a name, or as the user is called."""
        if NAME.fullmatch(actor):
            return actor
        if is_machine(role):
            return ""
        if role.strip().casefold() not in PEOPLE:
            return role
        # The number of an account names nobody, `bob_smith` does: he is not the owner for want of a better spelling.
        another = telling(actor) and not Identity(self.id, self.called).says("user", actor)
        return actor if another else self.called


def _akin(name: str, known: Iterable[str]) -> bool:
    """Tell whether a name shares a part with one of the known: `Ana Silva` with `ana.s`, `Schmidt` with `aschmidt`."""
    parts = _parts(name)
    for one in known:
        others = _parts(one)
        if fold(name) == fold(one) or parts & others:
            return True
        if any(_within(*sorted((a, b), key=len)) for a in parts for b in others):
            return True
    return False


def _within(short: str, long: str) -> bool:
    """Tell whether a name begins another, or ends it behind initials: `annabob` may be Anna, and is not Bob."""
    return len(short) > 2 and (long.startswith(short) or (long.endswith(short) and len(long) - len(short) <= 2))


def _parts(name: str) -> set[str]:
    """Give the parts of a name that are somebody's: `bob-admin` is Bob, not every admin."""
    return set(_PART.findall(fold(name))) - _NOBODY


def telling(name: str) -> bool:
    """Tell whether a name could be somebody's, and is not the number of an account."""
    return not any(map(str.isdigit, name)) and bool(_parts(name))
