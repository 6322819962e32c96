"""From the first person to the third: `I'm` becomes `Ana is`, `my sister` becomes `Ana's sister`."""

from __future__ import annotations

import re

from recollect.language.english.lexicon import PAST, PAST_WEAK, PETS, RELATIONS, third
from recollect.text.patterns import pattern

UNNAMED = "the user"
_SHORT = {
    "i'm": "I am",
    "i've": "I have",
    "i'll": "I will",
    "we're": "we are",
    "we've": "we have",
    "don't": "do not",
    "doesn't": "does not",
    "didn't": "did not",
    "haven't": "have not",
    "hasn't": "has not",
    "isn't": "is not",
    "aren't": "are not",
    "wasn't": "was not",
    "won't": "will not",
    "im": "I am",
    "ive": "I have",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "havent": "have not",
    "hasnt": "has not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "cant": "can't",
}
_SHORTENED = pattern(r"\b(?:" + "|".join(_SHORT) + r")\b", re.IGNORECASE)
FILLERS = frozenset("really just actually absolutely totally honestly finally also simply definitely literally".split())
ADVERBS = frozenset(
    "never usually still currently mostly often rarely always sometimes only no longer already now even generally "
    "mainly normally typically occasionally recently once both".split()
)
_AS_IT_IS = (PAST | PAST_WEAK) | frozenset(
    "was were did said told took made kept knew thought found came wrote put cut set let hit cost spent paid built "
    "sent brought spoke drove rode ate drank slept wore taught sang swam fell held heard felt won lent sold stood used "
    "will would can could cannot can't should shall may might must not is has does".split()
)
"""Forms that a name takes as they are: the past, and verbs that help."""
_INNER = pattern(r"\b(?:I am|I was|I'm|I've|I(?=\s+[a-z])|me|myself|mine|my(?=\s+((?:\w+\s+)?[\w-]+)))(?![\w'])(?<!')")
_COUPLE = pattern(r"^[Mm]y\s+([\w-]+(?:\s+[A-ZÀ-Þ]\w+)?)\s+and\s+[Ii]\s+(.+)$", re.DOTALL)


def plain(text: str) -> str:
    """Make apostrophes and dashes plain and spell out `I'm` and its like, written with an apostrophe or without."""
    text = text.replace("’", "'").replace("‘", "'").replace("\u00a0", " ")
    return _SHORTENED.sub(lambda said: _SHORT[said[0].lower()], text)


def capital(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]


def owner(who: str) -> str:
    """Give the possessive of a name."""
    return f"{who}'s"


def third_person(clause: str, name: str) -> str:
    """Rewrite a clause that begins with `I`, `my …` or `my … and I`; the name is the speaker's, if known."""
    who = name or UNNAMED
    couple = _COUPLE.match(clause)
    if couple:
        return capital(f"{who} and {owner(who)} {couple[1]} {inner(couple[2], who)}")
    first, _, rest = clause.partition(" ")
    if first.lower() == "my":
        return capital(f"{owner(who)} {inner(rest, who)}")
    if first.lower() != "i":
        return capital(inner(clause, who))
    return capital(f"{who} {inner(conjugated(rest), who)}")


def conjugated(rest: str) -> str:
    """Conjugate the verb of a clause whose `I` was taken off, and drop adverbs that only stress it."""
    words = rest.split()
    at = 0
    while at < len(words) and (words[at].lower() in FILLERS or words[at].lower() in ADVERBS):
        if words[at].lower() in FILLERS:
            del words[at]
        else:
            at += 1
    if at < len(words):
        verb = words[at].lower()
        if verb.isalpha() and verb not in _AS_IT_IS and not verb.endswith("ed"):
            words[at] = third(verb)
        if at + 1 < len(words) and words[at + 1].lower() in FILLERS:
            del words[at + 1]
    return " ".join(words)


def inner(text: str, who: str) -> str:
    """Rewrite what is left of the first person inside a clause."""

    def other(said: re.Match[str]) -> str:
        word = said[0].lower()
        if word == "my":
            nouns = [piece.lower() for piece in said[1].split()]
            return owner(who) if any(noun in RELATIONS or noun in PETS for noun in nouns) else "their"
        return {"i am": "they are", "i'm": "they are", "i was": "they were", "i've": "they have", "i": "they"}.get(
            word, {"me": who, "myself": "themselves", "mine": "theirs"}.get(word, word)
        )

    return _INNER.sub(other, text)
