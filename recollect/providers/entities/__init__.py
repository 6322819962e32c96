"""Readers of names: one file each; heavy libraries are loaded only when they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Protocol

from recollect.language.values import Cues
from recollect.model.entity import Mention
from recollect.providers.entities.regex import LONGEST_SCANNED, MOST_MENTIONS, extract
from recollect.providers.entities.spacy import SpacyFinder
from recollect.rules.people.mentions import EntitiesPolicy, resolve

__all__ = ["LONGEST_SCANNED", "MOST_MENTIONS", "Finder", "extract", "open_spacy", "resolve", "spacy_at_hand"]


class Finder(Protocol):
    """Finds what texts name, without a network."""

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Give the mentions of each text; raises `ConfigError` when it cannot read."""


def spacy_at_hand(policy: EntitiesPolicy) -> bool:
    """Say whether spaCy and its model are installed, without loading either."""
    return _installed("spacy") and _installed(policy.spacy_model)


@cache
def _installed(package: str) -> bool:
    return find_spec(package) is not None


def open_spacy(policy: EntitiesPolicy, cues: Cues) -> Finder:
    """Load spaCy with its model, once a process; raises `ConfigError` where one is missing."""
    return _loaded(policy.spacy_model, cues)


@cache
def _loaded(package: str, cues: Cues) -> SpacyFinder:
    return SpacyFinder(package, cues)
