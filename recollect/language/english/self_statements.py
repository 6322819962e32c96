"""What somebody says of himself in one clause: of which sort it is, or that it is nothing to keep.

A clause comes with its contractions spelt out and begins with `I` or `my`. What is not on a list is not kept: better
few and right than many. Clauses that begin with `I` are read in `selfwords`.
"""

from __future__ import annotations

import re

from recollect.language.english.lexicon import (
    ATTRIBUTES,
    DATED_THINGS,
    LIFE,
    NUMBER_WORDS,
    ONGOING,
    PAST,
    PETS,
    RELATIONS,
    STATES,
    TECHNICAL,
    THINGS,
    THIRD,
    TRANSIENT,
)
from recollect.language.english.self_words import DIGIT, NAME, Sort, having, of_me, vague
from recollect.text.patterns import pattern

_RESTRICTED = pattern(r"\b(?:passwords?|passphrase|pin|cvv|secret)\b", re.IGNORECASE)
_THIS_TIME = pattern(
    r"\bthis (?:morning|afternoon|evening|week|weekend|month|year|spring|summer|autumn|fall|winter|\w+day)\b"
)


DIED = pattern(
    r"^(?!(?:He|She|It|They|We|You|Who|Someone|Somebody|Everyone|Everybody|Nobody|That|This)\b)[A-ZÀ-Þ][\w'-]* "
    r"(?:has |just )*(?:died|passed away)\b"
)
"""That somebody named has died, whoever that is."""
_MOVED = frozenset("moved postponed rescheduled pushed changed".split())
_GOT = frozenset("diagnosed promoted married engaged divorced hired fired pregnant".split())


def sort_of(clause: str, timed: bool) -> Sort | None:
    """Tell of which sort a clause is, or None; `timed` says that it names a time."""
    words = clause.split()
    if len(words) < 2 or _RESTRICTED.search(clause) or vague(_THIS_TIME.sub(" ", clause).split()[1:]):
        return None
    if DIED.match(clause):
        return Sort("relationship", "past")
    first = words[0].lower()
    if first == "my":
        return _of_mine(words[1:], timed)
    return of_me(words[1:], timed) if first == "i" else None


def _of_mine(words: list[str], timed: bool) -> Sort | None:
    """Read `my …`: people, pets and what belongs to somebody's life."""
    low = [word.lower().strip(",") for word in words]
    if any(word in ("i", "i'm") for word in low):
        together = low[:1] and low[0] in RELATIONS and "i" in low[2:5] and low[low.index("i") - 1] == "and"
        after = words[low.index("i") + 1 :] if together else []
        found = of_me(["am" if after[0] == "are" else after[0], *after[1:]], timed) if after else None
        return Sort("relationship", found.tense) if found else None
    verb_at = next((at for at, word in enumerate(low[:7]) if at and (word in _VERBS or word in PAST)), None)
    if verb_at is not None and low[verb_at] == "died" and verb_at + 1 == len(words):
        words = [*words, ""]
    if verb_at is None or verb_at + 1 >= len(words):
        return None
    if words[verb_at - 1].endswith(",") and sum(word.endswith(",") for word in words[:verb_at]) == 1:
        return None  # the end of something that stood before it: `Rex, my dog, died`
    subject, verb, rest = low[:verb_at], low[verb_at], words[verb_at + 1 :]
    if TECHNICAL.intersection(subject) and "code" not in subject:
        return None
    if subject[0] in RELATIONS or subject[0] in PETS or (len(subject) > 1 and subject[1] in RELATIONS):
        return _theirs(verb, rest)
    return _attribute(subject, verb, rest, timed)


_VERBS = frozenset(THIRD) | frozenset("is are was turns begins ends expects runs got died passed can't cannot".split())


def _theirs(verb: str, rest: list[str]) -> Sort | None:
    low = [word.lower() for word in rest]
    if verb in ("can't", "cannot"):
        return (
            Sort("relationship") if len(low) > 1 and low[0] in ("stand", "eat", "drink", "tolerate", "swim") else None
        )
    if verb in ("got", "died", "passed"):
        told = verb == "died" or low[0] == "away" or (verb == "got" and low[0] in _GOT)
        return Sort("relationship", "past") if told else None
    if verb in ("wants", "needs", "hopes", "plans", "goes", "takes", "keeps", "uses", "runs", "wakes", "sleeps"):
        return None
    if verb in ("is", "are", "was"):
        if (
            low[0] in TRANSIENT
            or (low[0].endswith("ing") and low[0] not in ONGOING)
            or low[0] in ("so", "very", "too", "really")
            or (low[0] == "not" and not {"allergic", "intolerant", "married"}.intersection(low[1:3]))
        ):
            return None
        if low[0] == "getting" and not LIFE.intersection(low):
            return None
        telling = (
            low[0]
            in ("a", "an", "the", "from", "called", "named", "allergic", "in", "at", "expecting", "no", "not", "now")
            or "intolerant" in low[:3]
            or low[0] in STATES | ONGOING
            or low[0] in NUMBER_WORDS
            or rest[0][:1].isupper()
            or rest[0][:1].isdigit()
        )
        tense = "past" if verb == "was" else "ahead" if low[0] in ONGOING else "habit"
        return Sort("relationship", tense) if telling else None
    if verb in ("starts", "begins", "ends", "turns"):
        return Sort("relationship", "ahead")
    if verb == "has":
        return Sort("relationship") if having(rest, False) else None
    return Sort("relationship", "past" if verb in PAST else "habit")


def _attribute(subject: list[str], verb: str, rest: list[str], timed: bool) -> Sort | None:
    low = [word.lower() for word in rest]
    if verb in ("got", "was") and low[0] in _MOVED and "to" in low[1:3]:
        return Sort("change", "ahead") if subject[-1] in DATED_THINGS and timed else None
    if verb not in ("is", "are", "was", "starts", "begins"):
        return None
    if low[0] == "now" and len(low) > 1:
        rest, low = rest[1:], low[1:]
    if subject[0] in ("favourite", "favorite") and len(subject) > 1:
        return Sort("preference")
    head = subject[-1]
    if head in DATED_THINGS:
        if verb == "was":
            return Sort("event", "past") if timed and low[0] in ("on", "in", "last", "yesterday") else None
        return Sort("plan", "ahead") if low[0] in ("on", "at", "in", "next", "tomorrow", "this") else None
    if head not in ATTRIBUTES:
        return None
    if head in ("code", "number", "pin", "size") and not any(DIGIT.search(word) for word in low):
        return None
    if head == "name" and len(subject) == 1:
        return Sort("name", "habit", "preferred_name") if NAME.match(" ".join(rest)) else None
    if low[0] in TRANSIENT or low[0] in ("so", "very", "too", "really", "not", "being", "getting"):
        return None
    valued = (
        low[0] in ("a", "an", "the", "on", "in", "called", "to")
        or rest[0][:1].isupper()
        or DIGIT.search(" ".join(rest))
    )
    plain = head in (
        "pronouns",
        "email",
        "e-mail",
        "timezone",
        "language",
        "hobby",
        "hobbies",
        "job",
        "profession",
        "diet",
    )
    if not valued and not plain:
        return None
    key = {"pronouns": "pronouns", "timezone": "timezone", "language": "language"}.get(head, "")
    return Sort("possession" if head in THINGS | PETS else "identity", "habit", key)
