"""Readers of names: one file each; heavy libraries are loaded only when they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from recollect.errors import ConfigError
from recollect.language.values import Cues
from recollect.model.entity import Mention
from recollect.providers.entities.regex import LONGEST_SCANNED, MOST_MENTIONS, extract
from recollect.providers.entities.spacy import SpacyFinder
from recollect.rules.people.mentions import EntitiesPolicy, resolve

__all__ = [
    "LONGEST_SCANNED",
    "MOST_MENTIONS",
    "Finder",
    "extract",
    "open_spacy",
    "own_finder",
    "resolve",
    "spacy_at_hand",
]


class Finder(Protocol):
    """Finds what texts name, without a network."""

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Give the mentions of each text; raises `ConfigError` when it cannot read."""


@cache
def own_finder(reader: str) -> Finder:
    """Import somebody's own reader, named as `package.module:name`; raises `ConfigError` where there is none."""
    module, _, name = reader.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"the reader of names {reader} cannot be imported: {error}") from error
    made = found() if isinstance(found, type) else found
    if not callable(getattr(made, "find", None)):
        raise ConfigError(
            f"the reader of names {reader} cannot be used: it needs a method find, which takes texts and gives the "
            "mentions of each"
        )
    return cast(Finder, made)


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
