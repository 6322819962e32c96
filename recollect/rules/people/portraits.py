"""Portraits: of whom and what a model writes a few sentences, how much it reads for that, and when it does so again."""

from __future__ import annotations

from recollect.model.values import bounded, dataclass


@dataclass(frozen=True, slots=True)
class PortraitPolicy:
    """Which people, projects, places and things matter, and what a portrait of one may cost."""

    mentions: int = bounded(5, 1)
    """From how many memories that mention it on an entity matters."""
    least_facts: int = bounded(3, 1)
    """How many facts about it there must be."""
    changed: int = bounded(4, 1)
    """After how many new facts a portrait is renewed; at once where one it rests on is no longer true, or gone."""
    a_run: int = bounded(10, 0, 100)
    """How many portraits are made in one night; 0 turns it off."""
    per_question: int = bounded(5, 1, 20)
    """Of how many entities a model is asked at once."""
    read: int = bounded(100, 1, 1000)
    """How many of the newest facts about an entity are looked at."""
    characters: int = bounded(800, 100)
    """How many characters of them a model is shown, the weightiest facts first."""
    looked: int = bounded(1000, 1)
    """How many entities one run looks at, the most mentioned first."""


def stale(policy: PortraitPolicy, *, lost: bool, new: int) -> bool:
    """Tell whether enough has changed for a portrait to be renewed."""
    return lost or new >= policy.changed
