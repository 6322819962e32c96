"""One person, one subject: whatever name the user goes by, a fact about him is compared as one about `the user`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from recollect.language.english.person import UNNAMED, capital
from recollect.text.patterns import pattern

_TOLD = pattern(
    r"^(?P<who>.+?)(?:'s (?:preferred )?name is| prefers to be called| is called| is known as) "
    r"(?P<name>[^\W\d_][\w'’ -]{0,40}?)[.!]?$"
)


def head(text: str) -> str:
    """Give the first word of a text, folded: a fact in the third person begins with whom it is about."""
    first = text.split(None, 1)[0] if text.strip() else ""
    bare = re.sub(r"['’]s$", "", first.rstrip(",.;:"))
    return UNNAMED if text[: len(UNNAMED)].casefold() == UNNAMED else bare.casefold()


def names_told(texts: Iterable[str], known: Set[str]) -> set[str]:
    """Give the names by which facts say that the user goes, starting from those that are known."""
    names = {name.casefold() for name in known if name.strip()}
    told = [found for text in texts if (found := _TOLD.match(text.strip()))]
    for _ in range(3):  # Ana is called Bo, and Bo prefers to be called Bobby
        own = names | {UNNAMED}
        names |= {found["name"].casefold() for found in told if found["who"].casefold() in own}
    return names


def as_user(text: str, names: Iterable[str]) -> str:
    """Write `the user` where a fact about him names him; a fact about somebody else stays as it is."""
    for name in sorted(names, key=len, reverse=True):
        rest = text[len(name) :]
        if name and text[: len(name)].casefold() == name and not re.match(r"[\w-]", rest):
            own = text[: len(name)]
            return capital(UNNAMED + re.sub(rf"(?<![\w-]){re.escape(own)}(?![\w-])", UNNAMED, rest))
    return text


def on_one_subject(old: str, new: str, names: Iterable[str]) -> tuple[str, str]:
    """Give two facts so that they can be compared: both of the user by that word, where they name him differently."""
    one, two = as_user(old, names), as_user(new, names)
    return (one, two) if head(one) == head(two) == UNNAMED and head(old) != head(new) else (old, new)
