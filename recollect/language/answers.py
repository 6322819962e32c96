"""The user's yes or no in chat, and what it is meant for: a pending value, named or asked for just before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from recollect.language.lexicon import Lexicon, one_of
from recollect.language.sentences import sentences
from recollect.language.values import Answer
from recollect.text.normal import EDGES, words
from recollect.text.stopwords import common
from recollect.text.terms import fold, stem

LONGEST, LONGEST_QUESTION = 200, 1000
MOST = 0.6
"""Which share of a value's words names it."""
SPARE = 2
"""How many telling words beside the value and what it is about a text may hold, and still be about it alone."""
STRAY = 2
"""How many words a refusal may hold that are nobody's, like the name of the old value."""


@cache
def _begins(lexicon: Lexicon) -> re.Pattern[str]:
    lead = r"(?:(?:oh|well|hm+|ah+|um+),?\s)?"
    yes, no, call = (one_of(lexicon.phrases(name)) for name in ("yes", "no", "call"))
    said = rf"(?P<yes>(?:{yes})(?:,?\s+(?:{yes}))*)|(?P<no>{no})|(?P<call>{call})"
    return re.compile(rf"^\W*{lead}(?:{said})(?!\w)(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)


@cache
def _firsts(known: tuple[Lexicon, ...]) -> frozenset[str]:
    return frozenset(one.split()[0] for each in known for name in ("yes", "no", "call") for one in each.phrases(name))


def may_answer(text: str, known: Sequence[Lexicon]) -> bool:
    """Tell at a glance whether a text begins like a yes or a no."""
    if not known or len(text) > LONGEST:
        return False
    first = words(text[:40])[:3]
    return not _firsts(tuple(known)).isdisjoint(first) and any(
        (found := _begins(one).match(text)) and not found["call"] for one in known
    )


def answer(text: str, pending: str, known: Sequence[Lexicon]) -> Answer | None:
    """Read the user's yes or no to a pending value in his next message; None when it may mean something else."""
    said = " ".join(text.split())
    if not said or len(text) > LONGEST or said.endswith(("?", "？")):
        return None
    value = set(words(pending))
    for lexicon in known:
        found = _begins(lexicon).match(said)
        if found is None:
            continue
        rest = set(words(found["rest"])) if re.search(r"\w", found["rest"]) else set()
        about = frozenset().union(*(lexicon.about(key) for key in lexicon.data["about"]))
        spare = rest - value - lexicon.words("filling") - lexicon.common - about
        if not rest.isdisjoint(lexicon.phrases("turning")):
            return None
        if not found["no"]:
            return None if spare or (found["call"] and not rest & value) else "yes"
        # "No, call me Bo" with Bo pending contradicts itself.
        denied = rest & value - lexicon.common and not rest.isdisjoint(about)
        return "no" if len(spare) <= STRAY and not denied else None
    return None


def meant(text: str, key: str, pending: str, known: Sequence[Lexicon]) -> bool:
    """Tell whether a text names a pending value, and is about what it fills."""
    return any(_names_it(text, pending, one) and _concerns(text, key, pending, one) for one in known)


def asks_for(said: str, key: str, pending: str, known: Sequence[Lexicon]) -> bool:
    """Tell whether the last question of a text asks for the pending value: it names it, and is about what it fills.

    "Is that right?" asks for what the sentence before it says. A question that only holds the value, like one about a
    hotel in that city, asks for something else.
    """
    spoken = list(sentences(said[-LONGEST_QUESTION:], known))
    at = next((at for at in range(len(spoken) - 1, -1, -1) if spoken[at].rstrip("\"') ”").endswith("?")), None)
    if at is None:
        return False
    question = spoken[at]
    if at and not any(_names_it(question, pending, one) for one in known) and len(question.split()) <= 8:
        question = f"{spoken[at - 1]} {question}"
    other = {word.strip(EDGES) for word in question.split()[1:] if word[:1].isupper()} - set(
        re.findall(r"\w+", pending)
    )
    return meant(question, key, pending, known) and not {word for word in other if fold(word) not in common()}


def _names_it(text: str, pending: str, lexicon: Lexicon) -> bool:
    """Tell whether a text holds every name of a pending value, but whose it is; without names, most of its words."""
    first, *rest = pending.split() or [""]
    names = {fold(word.strip(EDGES)) for word in (rest or [first]) if word[:1].isupper()}
    if names:
        return names <= {word.removesuffix("'s") for word in words(text)}
    said, value = set(lexicon.stems(text)), set(lexicon.stems(pending))
    return bool(value) and len(said & value) >= MOST * len(value)


def _concerns(text: str, key: str, pending: str, lexicon: Lexicon) -> bool:
    """Tell whether a text is about what a pending value fills, or about noting it down."""
    said = set(words(text))
    value = next((word.strip(EDGES) for word in reversed(pending.split()) if word[:1].isupper()), pending.strip(" ."))
    noting = rf"\b(?:{one_of(lexicon.phrases('noting'))})\s+(?:\w+\s+)?{re.escape(value)}\W*$"
    if re.search(noting, text, re.IGNORECASE):
        return True
    if not key:
        return True
    about = lexicon.about(key) or frozenset(words(key.replace("_", " ")))
    noted = {word for phrase in lexicon.phrases("noting") for word in phrase.split()}
    passed = {stem(word, lexicon.stemmer) for word in (*about, *noted, *lexicon.words("filling"))}
    spare = set(lexicon.stems(text)) - set(lexicon.stems(pending)) - passed
    return not said.isdisjoint(about) and len(spare) <= SPARE
