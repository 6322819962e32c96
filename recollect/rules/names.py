"""How entities are told apart: by their folded name and type, never by a part of a name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from recollect.model.entity import Entity, Mention
from recollect.rules.patterns import pattern
from recollect.rules.terms import fold

_SENTENCE = pattern(r"[^.!?\n]+[.!?]*")
_AKA = pattern(r"\ba\.\s?k\.\s?a\.", re.IGNORECASE)
_WORD = r"[^\W\d_][\w'’-]*"
_RUN = rf"{_WORD}(?:\s+{_WORD}){{0,3}}"
_UPTO = rf"{_WORD}(?:\s+{_WORD}){{0,3}}?"
_ALSO = pattern(
    rf"(?P<left>{_UPTO}),?\s+\(?(?:(?:who|which)\s+)?(?:is\s+|was\s+)?(?:(?:also|better)\s+)?"
    rf"(?:known\s+as|nicknamed|goes\s+by|going\s+by|aka)\s+(?:just\s+|the\s+name\s+)?[\"“'‘]?(?P<right>{_RUN})"
)
_SHORT = pattern(rf"(?P<right>{_UPTO})\s+is\s+(?:short|a\s+nickname|my\s+nickname)\s+for\s+(?P<left>{_RUN})")
_FULL = pattern(rf"(?P<right>{_UPTO})['’]s\s+(?:full|real)\s+name\s+is\s+(?P<left>{_RUN})")
_DOUBT = pattern(r"\?|\b(?:if|maybe|perhaps|might|not|never|isn't|wasn't|suppose|pretend)\b", re.IGNORECASE)


def entity_id(type: str, name: str) -> str:
    """Give the id of the entity first known by this name; the same for everyone who meets it at once."""
    digest = hashlib.sha256(f"{type}\0{fold(name)}".encode()).hexdigest()
    return f"ent_{digest[:26]}"


def phrases(words: list[str], stop: frozenset[str], longest: int = 4) -> list[str]:
    """Give every run of words that may be a known name inside a text: up to `longest`, no stop word at an edge."""
    found = []
    for start, first in enumerate(words):
        if first not in stop:
            for end in range(start, min(start + longest, len(words))):
                if words[end] not in stop:
                    found.append(" ".join(words[start : end + 1]))
    return found


def whole(mentions: Sequence[Mention]) -> Iterable[Mention]:
    """Leave out the short form of a person whose full name stands in the same text: one text means one by it.

    Where two could be meant, or none, it stays what it is.
    """
    people = [fold(one.name).split() for one in mentions if one.type == "person"]
    for one in mentions:
        words = fold(one.name).split()
        fuller = {tuple(full) for full in people if len(full) > 1 and words[0] in (full[0], full[-1])}
        if not (one.type == "person" and len(words) == 1 and len(fuller) == 1):
            yield one


def also_called(text: str) -> list[tuple[str, str]]:
    """Give the pairs of names a text says belong to one: the fuller first, then the other."""
    pairs = []
    for sentence in _SENTENCE.findall(_AKA.sub("aka", text)):
        if _DOUBT.search(sentence):
            continue
        for form in (_ALSO, _SHORT, _FULL):
            for match in form.finditer(sentence):
                first, second = _capitals(match, "left"), _capitals(match, "right")
                if first and second and fold(first) != fold(second):
                    swap = len(second.split()) > len(first.split())
                    pairs.append((second, first) if swap else (first, second))
    return pairs


def _capitals(match: re.Match[str], side: str) -> str:
    """Give the capitalised words of a run that touch the words between the two names."""
    ends = match.end(side) <= match.start("right" if side == "left" else "left")
    words = match[side].split()
    taken: list[str] = []
    for word in reversed(words) if ends else words:
        if not word[0].isupper():
            break
        taken.append(word)
    name = " ".join(reversed(taken) if ends else taken)
    return name.removesuffix("'s").removesuffix("’s")


def certain(full: Entity, short: str, namesakes: Sequence[Entity]) -> bool:
    """Tell whether a short name can mean only this entity: nobody else is known by it, or by a name that has it.

    Whoever bears the short name alone may be united with the entity; one with another full name, or of another type,
    is somebody else.
    """
    for other in namesakes:
        if other.id == full.id:
            continue
        alone = all(fold(name).lstrip("@#") == short for name in other.aliases)
        typed = other.type in ("name", full.type) or full.type == "name"
        if not alone or not typed or other.protected:
            return False
    return len([other for other in namesakes if other.id != full.id]) <= 1
