"""Who speaks: the owner of a memory himself, or somebody else in the same conversation."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.rules.marks import is_machine
from recollect.rules.patterns import pattern
from recollect.rules.terms import fold

PEOPLE = frozenset(("user", "human"))
"""The roles under which the owner speaks; any other role of a person is his name."""
_PART = pattern(r"[^\W\d_]{2,}")
_NOBODY = frozenset("default user me owner local demo test guest admin anonymous main".split())
"""Ids of owners that name nobody."""


def himself(role: str, actor: str, names: Iterable[str]) -> bool:
    """Tell whether a message is the owner's own word; `names` is how he is known, his id first.

    Whoever speaks under another name than these is somebody else, unless nothing here tells what the owner is called.
    """
    if is_machine(role):
        return False
    known = [one for one in names if one]
    if role.strip().casefold() not in PEOPLE and not _akin(role, known):
        return False
    return not actor or _akin(actor, known) or not any(map(_telling, known))


def _akin(name: str, known: Iterable[str]) -> bool:
    """Tell whether a name shares a part with one of the known: `Ana Silva` with `ana.s`, `Schmidt` with `aschmidt`."""
    parts = set(_PART.findall(fold(name)))
    for one in known:
        others = set(_PART.findall(fold(one)))
        if fold(name) == fold(one) or parts & others:
            return True
        if any(len(a) > 2 < len(b) and (a in b or b in a) for a in parts for b in others):
            return True
    return False


def _telling(name: str) -> bool:
    """Tell whether a name could be somebody's, and is not the number of an account."""
    return not any(map(str.isdigit, name)) and any(part not in _NOBODY for part in _PART.findall(fold(name)))
