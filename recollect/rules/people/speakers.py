"""Who speaks: the owner of a memory himself, or somebody else in the same conversation."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.text.patterns import pattern
from recollect.text.roles import PEOPLE, is_machine
from recollect.text.terms import fold

_PART = pattern(r"[^\W\d_]{2,}")
_NOBODY = frozenset("default user me owner local demo test guest admin anonymous main".split())
"""Ids of owners that name nobody."""


def himself(role: str, actor: str, names: Iterable[str]) -> bool:
    """Tell whether a message is the owner's own word; `names` is how he is known, his id first.

    Whoever speaks under another name than these is somebody else, unless nothing here tells what the owner is called.
    An empty name among them says that he speaks under none.
    """
    if is_machine(role):
        return False
    names = list(names)
    known = [one for one in names if one]
    if role.strip().casefold() not in PEOPLE and not _akin(role, known):
        return False
    return not actor or _akin(actor, known) or not ("" in names or any(map(telling, known)))


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
