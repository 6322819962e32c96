"""What a clause asserts: for or against, sure or unsure, done or planned, and about whom."""

from __future__ import annotations

import re

from recollect.language.english.lexicon import ATTRIBUTES, DATED_THINGS, PETS, RELATIONS, THINGS
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

_NEGATIVE = pattern(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly|refus\w+|stopped|stopping|quit|quitted"
    r"|gave up|given up|giving up|ceased|avoid\w*|lacks?|lacking|declin\w+|except|former|formerly|ex)\b|n't\b"
)
_TWICE = pattern(r"\b(?:no longer|not any ?more|not anymore|never (?:did|do)|not at all|no one|not without|not only)\b")
_AGAINST = pattern(
    r"\b(?:hat(?:es?|ed|ing)|dislik\w+|detest\w*|loath\w+|despis\w+|can't stand|cannot stand|can not stand"
    r"|could not stand|couldn't stand|not stand)\b"
)
_FOR = pattern(r"\b(?:lik(?:es?|ed|ing)|lov(?:es?|ed|ing)|enjoy\w*|prefer\w*|ador\w+|favou?rites?|fan|fond)\b")
_UNSURE = pattern(
    r"\b(?:might|maybe|perhaps|possibly|probably|consider(?:s|ed|ing)?|thinking (?:about|of)|think about"
    r"|thinks about|tempted"
    r"|not sure|unsure|wonder\w*|whether|if|could|would|should|ought|almost|nearly|i'd|wish\w*|dream\w*|guess|suppos\w+"
    r"|likely|were to"
    r"|contemplat\w+|toying|may (?=[a-z]))\b|\bmay (?=[a-z])"
)
_PLANNED = pattern(
    r"\b(?:plan(?:s|ned|ning)?|going to|will|want(?:s|ed|ing)?|hop(?:e|es|ed|ing)|intend\w*|aim(?:s|ing)?|look(?:s"
    r"|ing) forward"
    r"|would like|i'll|'ll|wish\w*|need(?:s|ed)? to|goal|about to|decided|decides|dream\w*)\b"
)
_REQUEST = pattern(r"\b(?:do not|don't|never) forget\b|\bi(?:'d| would) rather you\b")
_CONDITION = pattern(
    r"\b(?:if|unless|assuming|provided)\s+(?!(?:you|possible|needed|necessary|that|so)\b)"
    r"|\b(?:once|as soon as) i (?:have|get|win)\b"
)
_CONTRAST = pattern(r",\s*(?:and )?not (?:an? |the |my )?[\w-]+(?: [\w-]+)?(?=\s*(?:[,.;!]|$))")
_DENIAL = pattern(
    r"^\W*(?:(?:no|nope|nah|wait|sorry|oh|but|and|well)\b[\s,!.]+)+(?=(?:it|my|i|he|she|they|we|the|that)\b)"
)
_SETTLED = pattern(r"\bgoing to be (?=.*\bnow\b)")
_REPORTED = pattern(
    r"\b(?:say|says|said|saying|told|tells|telling|claims?|claimed|wrote|writes|asked|asks|shouted|joked)\b[^:,\"“]{0,30}"
    r"(?::|,?\s*[\"“])"
)
_HEARSAY = pattern(
    r"(?:keeps? (?:on )?(?:saying|telling)|telling everyone|thinks|thought|assumes|pretends|believes|believed)\b"
    r"[^,.;]{0,25}\b(?:i|i'm|i've|i'd)\b"
)
_USED = pattern(r"\b(?:used to|formerly|previously|once|in the past|back then|ex|former)\b")
_PAST = pattern(r"\b(?:\w+ed|was|were|did|had|went|bought|sold|got|left|ran|won|lost|quit|took|made|became|met|grew)\b")
_WORD = pattern(r"[^\W_][\w'-]*")
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
    conditional: bool = False
    """It holds only if something else does."""


def assertion(clause: str) -> Assertion:
    """Read a clause; it comes folded, with plain apostrophes."""
    clause = _SETTLED.sub("is ", _DENIAL.sub(" ", _REQUEST.sub(" ", clause)))
    contrast = _CONTRAST.search(clause)
    if contrast and not _NEGATIVE.search(clause[: contrast.start()]):  # "is Daniel, not David"
        clause = clause[: contrast.start()] + clause[contrast.end() :]
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
        conditional=bool(_CONDITION.search(clause)),
    )


def hearsay(clause: str) -> bool:
    """Tell whether a clause says what others make of the speaker: `she keeps telling everyone I'm rich`."""
    found = _HEARSAY.search(clause.lower())
    return found is not None and not re.search(r"\bi\s*(?:\w+ly\s)?$", clause.lower()[: found.start()])


def contrasted(clause: str) -> str:
    """Give the part of a clause that names what something is not: `, not the blue one`."""
    found = _CONTRAST.search(clause.lower())
    return found[0] if found else ""


def reported(text: str, at: int) -> bool:
    """Tell whether what stands at a place in a text is somebody's direct speech: `he keeps saying: I love opera`."""
    return any(
        said.end() <= at + 1 and not said[0].lower().startswith("i ") for said in _REPORTED.finditer(text.lower())
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
    """About whom a clause speaks: `self`, `relation`, `name`, `third` (he, she), `other`, `mine` (`my code`), or `none`
    when it is not said."""

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
        if low.partition("'")[0] in _THIRD_PERSON:
            return Subject("third", low.partition("'")[0])
        if low in ("you", "you're", "your"):
            return Subject("other", low)
        if word[:1].isupper() and low not in _SKIPPED | _NOBODY and at + 1 < len(words):
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


_AFTER = frozenset("in at from to with of for by near on called named into than over about like".split())
_WHOSE = {"his": "he", "her": "she", "their": "they"}
_NOBODY = (
    ATTRIBUTES
    | THINGS
    | PETS
    | DATED_THINGS
    | frozenset("my our his her their your its it this these those there some every all if".split())
)
_FIRST = frozenset("i i'm i've i'll i'd we we're we've we'll we'd im ive".split())


def doers(clause: str, at: int) -> list[Subject]:
    """Give who is spoken of where the word numbered `at` stands: the nearest person before it, and who is with him."""
    words = _WORD.findall(clause)
    found: list[Subject] = []
    for here in range(min(at, len(words)) - 1, -1, -1):
        one = None if words[here].lower() in _WHOSE and at - here > 2 else _person(words, here)
        if found and one is not None and one.sort == "mine":
            break
        if one is not None and (not found or _joined(words, here, found)):
            found.append(one)
        elif found and not _joined(words, here, found):
            break
    return found


def words_of(clause: str) -> list[str]:
    """Give the words of a clause as `doers` numbers them."""
    return _WORD.findall(clause)


def _joined(words: list[str], here: int, found: list[Subject]) -> bool:
    """Tell whether a person goes with the one found behind: `Rita and I`, `my brother Tom`, `Tom, my brother`."""
    after = [word.lower() for word in words[here + 1 : here + 4]]
    return bool(after) and (after[0] in ("and", "or", "my", "our", "the") or after[0] == found[-1].word)


def _person(words: list[str], here: int) -> Subject | None:
    word, low = words[here], words[here].lower()
    bare = low.partition("'")[0]
    before = words[here - 1].lower() if here else ""
    if low in _FIRST:
        return Subject("self", "we" if low.startswith("we") else "i")
    if bare in _THIRD_PERSON or low == "shes":
        return Subject("third", "she" if low == "shes" else bare)
    if low in _WHOSE:
        return Subject("third", _WHOSE[low])
    if bare == "you":
        return Subject("other", "you")
    if low in ("my", "our"):
        whose = words[here + 1].lower() if here + 1 < len(words) else ""
        relation = whose.removesuffix("'s")
        return Subject("relation", relation) if whose != relation in RELATIONS else Subject("mine")
    if low.endswith("'s"):
        return None
    if low in RELATIONS and any(one.lower() in ("my", "our") for one in words[max(0, here - 3) : here]):
        return Subject("relation", low)
    named = word[:1].isupper() and low not in _SKIPPED | _NOBODY and before not in _AFTER
    if named and (here or (len(words) > 1 and _verbal(words[1]))) and low.removesuffix("s") not in _TIMES:
        return Subject("name", low)
    return None


_TIMES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday i".split()
)
