"""How an English memory is worded: sentences, person and tense, what only frames it, what holds for a day."""

from __future__ import annotations

import re

from recollect.language.english.lexicon import PAST, PAST_WEAK, THIRD
from recollect.language.values import Voice
from recollect.text.patterns import pattern

_SENTENCE = pattern(
    r"(?:(?<!\b(?:Dr|Mr|Ms|St|vs))(?<!\b(?:Mrs|e\.g|i\.e))(?<!\bProf)(?<!\b[A-Z])(?<!\.[A-Za-z])\.|[!?…。！？])"
    r"[.!?…。！？]*(?:\s+(?![a-z])|$)"
)
"""Where a sentence ends: a title, an initial and `8 p.m.` end none, and what goes on in small letters goes on."""
# Capitals count: "US" is a country and "ME" a state.
_FIRST_PERSON = pattern(r"\b(?:[Ii](?:'(?:m|ve|d|ll))?|[Mm](?:e|y|ine)|[Ww]e(?:'(?:re|ve|d|ll))?|[Oo]urs?|[Uu]s)\b")
_SECOND_PERSON = pattern(r"\b[Yy]ou(?:rs?|rself|'(?:re|ve|d|ll))?\b")
_PRONOUN = pattern(r"^(?:he|she|they|it|this|that|his|her|their|its|these|those)\b", re.IGNORECASE)
_NOW = frozenset(THIRD) - {"has", "plans", "hopes", "rows", "fishes", "gardens", "codes", "walks", "runs", "hikes"} | {
    "is",
    "are",
    "am",
    "will",
}
_THEN = PAST | PAST_WEAK | {"was", "were", "did", "said", "told", "asked", "talked", "agreed", "has", "have"}
_CUT = pattern(r"[,;]\s+(?:which|who|because|so|since|although|while|and|but|where|as)\s|;\s|\s[-–—]\s|\s\(")
_FRAME = pattern(
    r"^(?:[-*•>]\s+|\d{1,2}[.)]\s+|(?:fact|memory|note|observation)\s?:\s+|(?:it (?:is|was) (?:noted|known"
    r"|clear) that|note that"
    r"|the (?:assistant|conversation) (?:noted|notes|learned|learnt|shows) that|remember that)\s+)",
    re.IGNORECASE,
)
_RELATIVE = pattern(
    r"\b(?:(?<!\bis )(?:just )?now|today|yesterday|tomorrow|tonight|recently|this (?:morning|week|month|year)|"
    r"(?:last|next) (?:night|week|month|year)|on \d{4}-\d{2}-\d{2})\b[ ,]*",
    re.IGNORECASE,
)


def ends(text: str) -> list[int]:
    """Give the places where sentences end: behind their mark and the space after it."""
    return [end.end() for end in _SENTENCE.finditer(text)]


def voice(text: str) -> Voice:
    """Say how a text fails to stand on its own: by the person it is in, or by a pronoun to begin with."""
    if _FIRST_PERSON.search(text):
        return "first"
    if _SECOND_PERSON.search(text):
        return "second"
    return "pronoun" if _PRONOUN.search(text) else ""


def present(text: str) -> bool:
    """Tell whether the first verb that shows a tense is in the present."""
    said = (word.strip(".,;:!?\"'()").lower() for word in text[:1000].split())
    tense = next((word for word in said if word in _NOW or word in _THEN or word.endswith("ed")), "")
    return tense in _NOW


def bare(text: str) -> str:
    """Take off marks and phrases that only frame a statement."""
    return _FRAME.sub("", text)


def lasting(text: str) -> str:
    """Leave out words that are only true for a day."""
    return _RELATIVE.sub("", text)


def remarks(text: str) -> list[int]:
    """Give the places where a remark begins that can be left out."""
    return [cut.start() for cut in _CUT.finditer(text)]
