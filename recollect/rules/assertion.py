"""What a clause asserts: for or against, sure or unsure, done or planned, and about whom."""

from __future__ import annotations

import re
from dataclasses import dataclass

from recollect.rules.lexicon import RELATIONS

_NEGATIVE = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly|refus\w+|stopped|stopping|quit|quitted"
    r"|gave up|given up|giving up|ceased|avoid\w*|lacks?|lacking|declin\w+|except|former|formerly|ex)\b|n't\b"
)
_TWICE = re.compile(
    r"\b(?:no longer|not any ?more|not anymore|never (?:did|do)|not at all|no one|not without|not only)\b"
)
_AGAINST = re.compile(
    r"\b(?:hat(?:es?|ed|ing)|dislik\w+|detest\w*|loath\w+|despis\w+|can't stand|cannot stand|can not stand"
    r"|could not stand|couldn't stand|not stand)\b"
)
_FOR = re.compile(r"\b(?:lik(?:es?|ed|ing)|lov(?:es?|ed|ing)|enjoy\w*|prefer\w*|ador\w+|favou?rites?|fan|fond)\b")
_UNSURE = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|consider(?:s|ed|ing)?|thinking (?:about|of)|think about"
    r"|thinks about|tempted"
    r"|not sure|unsure|wonder\w*|whether|if|could|would|almost|nearly|i'd|wish\w*|dream\w*|guess|suppos\w+|likely"
    r"|contemplat\w+|toying|may (?=[a-z]))\b|\bmay (?=[a-z])"
)
_PLANNED = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|going to|will|want(?:s|ed|ing)?|hop(?:e|es|ed|ing)|intend\w*|aim(?:s|ing)?|look(?:s"
    r"|ing) forward"
    r"|would like|i'll|'ll|wish\w*|need(?:s|ed)? to|goal|about to|decided|decides|dream\w*)\b"
)
_REQUEST = re.compile(r"\b(?:do not|don't|never) forget\b|\bi(?:'d| would) rather you\b")
_USED = re.compile(r"\b(?:used to|formerly|previously|once|in the past|back then|ex|former)\b")
_PAST = re.compile(
    r"\b(?:\w+ed|was|were|did|had|went|bought|sold|got|left|ran|won|lost|quit|took|made|became|met|grew)\b"
)
_WORD = re.compile(r"[^\W_][\w'-]*")
_SUBJECT_I = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|we|we're|we've|we'll|me)\b")
_THIRD_PERSON = frozenset("he she they".split())
_SKIPPED = frozenset(
    "and but so also oh well yes no then because since when while that the a an please always never note remember "
    "don't do not forget".split()
)


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a clause asserts, as far as its words tell."""

    negative: bool
    unsure: bool
    planned: bool
    ended: bool
    """It tells of what was and is no more: `used to`."""
    past: bool


def assertion(clause: str) -> Assertion:
    """Read a clause; it comes folded, with plain apostrophes."""
    clause = _REQUEST.sub(" ", clause)
    against = len(_AGAINST.findall(clause))
    rest = _AGAINST.sub(" ", clause)
    denied = len(_NEGATIVE.findall(_TWICE.sub(" not ", rest)))
    rather = len(re.findall(r"\brather than\b|\binstead of\b", rest))
    return Assertion(
        negative=bool((denied + against) % 2) if denied + against else False,
        unsure=bool(_UNSURE.search(clause)),
        planned=bool(_PLANNED.search(clause)),
        ended=bool(_USED.search(clause)) and not rather,
        past=bool(_PAST.search(clause)),
    )


def taste(clause: str) -> int:
    """Tell whether a clause is about liking (1), disliking (-1) or neither (0)."""
    said = assertion(clause)
    if _AGAINST.search(clause):
        return -1 if said.negative else 1
    if _FOR.search(clause):
        return -1 if said.negative else 1
    return 0


@dataclass(frozen=True, slots=True)
class Subject:
    """About whom a clause speaks: `self`, `relation`, `name`, `third` (he, she), `other`, or `none` when it is not "
    "said."""

    sort: str
    word: str = ""


def spoken_subject(clause: str) -> Subject:
    """Find the subject of a clause as a speaker says it."""
    words = _WORD.findall(clause)
    for at, word in enumerate(words):
        low = word.lower()
        if low in ("i", "i'm", "i've", "i'll", "i'd", "we", "we're", "we've", "we'll"):
            return Subject("self")
        if low in ("my", "our"):
            noun = next(
                (
                    w.lower().removesuffix("'s")
                    for w in words[at + 1 : at + 4]
                    if w.lower().removesuffix("'s") in RELATIONS
                ),
                "",
            )
            return Subject("relation", noun) if noun else Subject("self")
        if low in _THIRD_PERSON:
            return Subject("third", low)
        if low in ("you", "you're", "your"):
            return Subject("other", low)
        if word[:1].isupper() and low not in _SKIPPED and at + 1 < len(words):
            return Subject("name", low.removesuffix("'s")) if at or _verbal(words[at + 1]) else Subject("none")
        if low not in _SKIPPED:
            return Subject("none", low)
    return Subject("none")


def _verbal(word: str) -> bool:
    """Tell whether a word after a capital makes it a name: a verb in the third person or the past, or a surname."""
    low = word.lower()
    return low.endswith(("s", "ed")) or low in ("is", "was", "has", "will", "got", "went", "bought", "quit", "told",
        "said", "met", "left", "can", "did", "and", "sold", "ran", "grew", "took", "made")  # fmt: skip


def has_self(clause: str) -> bool:
    """Tell whether a clause speaks in the first person anywhere."""
    return bool(re.search(r"\b(?:i|i'm|i've|i'll|i'd|my|mine|me|we|our|us)\b", clause, re.IGNORECASE))
