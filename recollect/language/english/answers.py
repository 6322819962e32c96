"""The user's yes or no in chat, and what it is meant for: a pending value, named or asked for just before."""

from __future__ import annotations

import re

from recollect.language.english.clauses import sentences_of
from recollect.language.english.evidence import names_in, stems_of
from recollect.language.english.yesno import LEAD, NO, YES, alternatives
from recollect.language.values import Answer
from recollect.text.normal import words
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words

_YES = pattern(rf"^(?:{LEAD})?(?:{alternatives(YES)})\b(?P<rest>.*)$")
_NO = pattern(rf"^(?:{LEAD})?(?:{alternatives(NO)})\b(?P<rest>.*)$")
_NO_OTHER = pattern(r"^\s*(?:problem|worries|idea|doubt|way|need|more|one|longer|matter|clue|rush|wonder|kidding)\b")
_FILLING = frozenset(
    "please thanks thank you that's that is it do so right correct fine indeed sure i am i'm want would like love to "
    "be called call me the a my name use go ahead good great exactly yes very much prefer now on from live in speak "
    "absolutely course of and".split()
)
_KEEPING = frozenset(
    "thanks thank you please keep leave it as is stay stays with the old one my name call me don't change that do not "
    "want it's still just rather i i'd prefer fine same like this was before to called be wrong right".split()
)
_COMMON = stop_words("english")
_TURNING = pattern(r"\b(?:but|wait|actually|except|unless|not yet|later|maybe|depends|if|no|nope)\b")
_LONGEST = 200
_LONGEST_QUESTION = 1000


def answer(text: str, pending: str) -> Answer | None:
    """Read the user's yes or no to a pending value in his next message; None when it may mean something else."""
    said = " ".join(text[: _LONGEST + 1].lower().replace("’", "'").split())
    if not said or len(text) > _LONGEST or said.rstrip("\"') ").endswith("?"):
        return None
    first, _, later = re.sub(r"[!.;:–—]+", "|", said).partition("|")
    first = " ".join(first.replace(",", " ").split())
    value = {word for word in words(pending) if word not in ("the", "user", "user's")}
    called = re.match(r"(?:please |just |you can )*call me (.+)$", first)
    if called:
        return "yes" if set(words(called[1])) - {"please", "from", "now", "on"} <= value else None
    yes = _YES.match(first)
    if yes:
        rest = set(words(yes["rest"])) if yes["rest"].strip() else set()
        turns = _TURNING.search(yes["rest"]) or _TURNING.search(later)
        return "yes" if rest - value <= _FILLING and not turns else None
    no = _NO.match(first)
    if no and not _NO_OTHER.match(no["rest"]):
        rest = set(words(no["rest"])) if no["rest"].strip() else set()
        # "no, keep Ana" names the old value; "no, call me Bo" with Bo pending contradicts itself.
        return "no" if len(rest - _KEEPING) <= 2 and not _fresh(rest, value) else None
    return None


def meant(text: str, key: str, pending: str) -> bool:
    """Tell whether a text names a pending value, and is about what it fills."""
    return _names_it(text, pending) and _concerns(text, key, pending)


def _fresh(rest: set[str], value: set[str]) -> bool:
    """Tell whether a refusal names the very value it seems to refuse."""
    return bool(rest & value - _KEEPING - _FILLING) and not rest & {"don't", "not", "keep", "leave", "stay"}


def _names_it(text: str, pending: str) -> bool:
    """Tell whether a text names the pending value: every name in it, or where there is none, one of its words."""
    said = {word.removesuffix("'s") for word in words(text)}
    subject, *rest = pending.removeprefix("The ").split() or [""]
    value = " ".join(rest) if rest else subject
    named = {word for name in names_in("… " + value) for word in words(name)}
    if named:
        return named <= said
    return bool({word for word in words(value) if word not in _FILLING and word not in _COMMON} & said)


_ABOUT = {
    "city": r"live|lives|living|home|city|town|moved?|moving|reside|resident|based|you from",
    "preferred_name": r"call|called|name|named|nickname|address",
    "pronouns": r"pronouns?",
    "language": r"speak|answer|reply|respond|language|talk",
    "timezone": r"time ?zones?|local time",
}
"""Words that show that a text is about a slot."""
_NOTED = r"(?:note|take note|make a note|remember|save|store|record|update|keep|set)(?: down)?(?: of| that as)?"
_NAMING = r"call|address|use|answer|reply|respond|speak|talk|assume|change|switch|write down|put|add"
_ERRAND = pattern(
    r"\b(?:(?:shall|should|can|could|may|do) i|(?:want|like|wish) me to|let me|i(?:'ll| will| can))\s+"
    rf"(?:also |now |then )?(?!(?:{_NOTED}|{_NAMING})\b)\w+",
    re.IGNORECASE,
)
"""An offer to do something, and not to note or to call somebody something."""
_POINTING = pattern(r"\b(?:that|this|it|so|correct|right|true)\b", re.IGNORECASE)


def asks_for(said: str, key: str, pending: str, answer: str = "") -> bool:
    """Tell whether the last question of a text asks for the pending value: it names it, and is about what it fills.

    "Is that right?" asks for what the sentence before it says; so does "Shall I note that?". A question that only
    holds the value, like one about a hotel in that city, asks for something else; one that leaves a choice must be
    answered with the value.
    """
    spoken = list(sentences_of(said[-_LONGEST_QUESTION:]))
    at = next((at for at in range(len(spoken) - 1, -1, -1) if spoken[at].rstrip("\"') ”").endswith("?")), None)
    if at is None:
        return False
    question = spoken[at]
    if at and not _names_it(question, pending) and _POINTING.search(question) and len(question.split()) <= 8:
        question = f"{spoken[at - 1]} {question}"
    chosen = not re.search(r"\bor\b(?! not)", question) or _names_it(answer, pending)
    return chosen and _names_it(question, pending) and _concerns(question, key, pending)


def _concerns(text: str, key: str, pending: str) -> bool:
    """Tell whether a text is about what a pending value fills, or about noting it down, and about no errand."""
    low = " ".join(text.lower().replace("’", "'").split())
    if _ERRAND.search(low):
        return False
    names = {part for name in names_in("… " + pending.partition(" ")[2]) for part in words(name)}
    value = "|".join(map(re.escape, sorted(names)))
    if value and re.search(rf"\b{_NOTED} (?:{value})\b(?! \w)", low):
        return True
    if key in _ABOUT:
        return re.search(rf"\b(?:{_ABOUT[key]})\b", low) is not None
    told = stems_of(pending) - {part for name in names for part in stems_of(name)}
    return bool(told & stems_of(text)) or not set(words(key.replace("_", " "))).isdisjoint(words(text))
