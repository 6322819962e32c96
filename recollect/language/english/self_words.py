"""What somebody says of himself in one clause: of which sort it is, or that it is nothing to keep.

A clause comes with its contractions spelt out and begins with `I` or `my`. What is not on a list here is not kept:
better few and right than many.
"""

from __future__ import annotations

import re

from recollect.language.english.lexicon import (
    AIDS,
    CONDITIONS,
    DATED_THINGS,
    DIETS,
    EPISODES,
    HABITUAL,
    LIFE,
    NUMBER_WORDS,
    ONGOING,
    PAST,
    PAST_WEAK,
    PETS,
    PRESENT,
    RELATIONS,
    STATES,
    TECHNICAL,
    THINGS,
    TRANSIENT,
    WISHES,
)
from recollect.language.english.person import ADVERBS, FILLERS
from recollect.model.values import dataclass
from recollect.text.patterns import pattern


@dataclass(frozen=True, slots=True)
class Sort:
    """Of which sort a statement is."""

    name: str
    """identity, allergy, relationship, preference, possession, habit, plan, decision, change, event."""
    tense: str = "habit"
    """`past`, `ahead` or `habit`: how its times are read."""
    key: str = ""
    """The slot it fills."""


_OBJECT_STOP = frozenset(
    "it this that these those them him her one ones so too something anything nothing everything someone stuff thing "
    "things you your here there he she they we us our what how why whatever".split()
)
_PLACE = pattern(r"^(?:in|to) ([A-ZÀ-Þ][\w'-]*(?: [A-ZÀ-Þ][\w'-]*){0,3})(?: (?:in|on|since|around|from) .*)?$")
_NATIONAL = pattern(
    r"^[A-Z]\w+(?:ese|ish|ian|ean|can|man|ench|utch|eek|wiss|zech|urk|ane|wede|aqi|eli|ani|gali|orean)$"
)
_ARTICLE = pattern(r"^(?:an?|the|one|my own|\d[\d.,]*|no|some|" + "|".join(NUMBER_WORDS) + r")\s+(.+)$", re.IGNORECASE)
_NOT_SOMEBODY = frozenset(
    "bit little lot few mess idiot fool huge big fan disaster genius while pain loss line question second minute "
    "moment page couple".split()
)
_FAN = pattern(
    r"^(?:not )?(?:a |an )?(?:big |huge |massive )?(?:fan of|into|fond of|interested in|keen on|obsessed with) \S"
)
_HABIT = pattern(
    r"\b(?:every|each|daily|weekly|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on week(?:days|ends)|to work"
    r"|usually|always|never"
    r"|often|twice|a week|a day|a month|in the mornings?|in the evenings?|after work|at (?:\d|noon|midnight|"
    + "|".join(NUMBER_WORDS)
    + r"))\b|\bat \d",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    "sea beach ocean mountains outdoors countryside rain snow cold heat city forest desert dark theatre opera".split()
)
_TASK_WISH = frozenset("about from how more with by".split())
NAME = pattern(r"^[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){0,2}(?<!'s)$")
_OFFICE = pattern(
    r"^(?:the |an? )?(?:\w+ )?(?:head(?: \w+)?|director|chief|vp|vice president|manager|founder|co-?founder|owner"
    r"|captain|president|chair|dean|editor|leader|lead|professor|ceo|cto|cfo|coo|secretary|treasurer)\b"
    r"(?: (?:of|at|for|in) \S)",
    re.IGNORECASE,
)
_MEASURED = pattern(r"\d[\d.,]* ?(?:cm|m|metres?|meters?|feet|ft)(?: \d{1,2})?(?: tall)?", re.IGNORECASE)
DIGIT = pattern(r"\d")
_CAPITAL = pattern(r"(?<=\s)[A-ZÀ-Þ]\w+")


def _technical(words: list[str]) -> bool:
    """Tell whether something at work on a computer is meant; with a capital it is a name, like VS Code."""
    tested = {"driving", "blood", "eye", "pregnancy", "language"}.intersection(words)
    return any(word.strip(",") in TECHNICAL for word in words) and not tested


def vague(words: list[str]) -> bool:
    """Tell whether a word points at something outside the clause."""
    low = [word.lower().strip(",.:'\"") for word in words]
    theirs = next((at for at, word in enumerate(low) if word in ("their", "his", "its", "theirs")), None)
    if theirs is not None and not RELATIONS.intersection(low[:theirs]) and "people" not in low[:theirs]:
        return True
    return any(word in _OBJECT_STOP for word in low) or low[-2:] == ["ever", "since"]


def _unstressed(words: list[str]) -> list[str]:
    while words and words[0].lower() in FILLERS:
        words = words[1:]
    return words


def of_me(words: list[str], timed: bool) -> Sort | None:
    """Tell of which sort a clause is whose `I` was taken off, or None; `timed` says that it names a time."""
    words = _unstressed(words)
    adverbs = 0
    while adverbs < len(words) and words[adverbs].lower() in ADVERBS:
        adverbs += 1
    if adverbs >= len(words):
        return None
    ended = "longer" in (word.lower() for word in words[:adverbs])
    verb, rest = words[adverbs].lower(), _unstressed(words[adverbs + 1 :])
    if verb in ("do", "did", "have", "am", "was", "can", "cannot", "can't", "could", "will"):
        found = _AUXILIARY[verb](rest, timed) if verb in _AUXILIARY else None
    elif verb in PRESENT or verb == "go":
        found = _habit(verb, rest, words)
    elif verb == "used" and rest[:1] == ["to"] and len(rest) > 1:
        found = Sort("change", "past")
    elif verb in PAST:
        found = _past(verb, rest)
    elif verb in PAST_WEAK:
        found = _weak(verb, rest, timed)
    else:
        found = _wish(verb, rest, timed)
    return Sort("change", found.tense) if found and ended else found


def _habit(verb: str, rest: list[str], words: list[str]) -> Sort | None:
    if not rest and verb != "smoke":
        return None
    low = [word.lower().strip(",") for word in rest]
    said = " ".join(words)
    if _technical(rest) and verb not in ("prefer", "hate", "like", "love"):
        return None
    if verb == "run" and low[0] in ("a", "an", "my", "the", "our") and THINGS.intersection(low):
        return Sort("possession")
    if (verb in HABITUAL or verb == "go") and not _HABIT.search(said):
        return None
    if verb == "live" and low[0] in ("for", "to", "by", "off", "like", "it", "up"):
        return None
    if verb == "live":
        place = _PLACE.match(" ".join(rest))
        return Sort("identity", "habit", "city" if place else "")
    if verb in ("like", "love", "hate", "enjoy", "dislike", "adore", "detest", "prefer", "avoid", "support"):
        return Sort("preference") if _lasting(low, rest) else None
    if verb == "identify":
        return Sort("identity") if low[0] == "as" else None
    if verb == "use":
        return Sort("habit") if _CAPITAL.search(" " + " ".join(rest)) or AIDS.intersection(low) else None
    if verb in ("own", "drive", "rent", "collect"):
        return Sort("possession")
    if verb in ("work", "study", "teach", "manage"):
        return Sort("identity")
    return Sort("habit")


def _lasting(low: list[str], rest: list[str]) -> bool:
    """Tell whether what is liked can be known without the talk around it: not `the part where …`."""
    if low[0] in ("when", "how", "that", "all", "seeing", "being", "having", "where", "to") and len(low) < 4:
        return False
    if low[0] in ("when", "how", "that", "where", "all", "both"):
        return False
    known = len(low) > 1 and (low[1] in _GENERIC or _CAPITAL.search(" " + " ".join(rest)))
    return low[0] != "the" or bool(known)


def _past(verb: str, rest: list[str]) -> Sort | None:
    if not rest and verb not in ("retired", "resigned", "married", "divorced", "graduated"):
        return None
    low = [word.lower().strip(",") for word in rest]
    if _technical(rest):
        return None
    if verb in ("decided", "chose"):
        return Sort("decision", "past") if low[:1] in (["to"], ["not"], ["on"], ["against"]) and len(low) > 2 else None
    if verb == "gave" and low[:1] != ["up"]:
        return None
    if verb in ("switched", "migrated", "converted") and not {"to", "from"}.intersection(low):
        return None
    if verb in ("worked", "grew", "became", "studied", "lived") and (
        not low or low[0] in ("hard", "out", "well", "like", "so")
    ):
        return None
    if verb == "moved":
        place = _PLACE.match(" ".join(rest))
        if not place and low[0] not in ("to", "from", "in", "into", "out", "back"):
            return None
        return Sort("change", "past", "city" if place and low[0] == "to" else "")
    if verb == "turned":
        return Sort("identity", "past") if DIGIT.match(low[0]) or low[0] in NUMBER_WORDS else None
    if verb in EPISODES:
        return Sort("event", "past")
    return Sort("identity" if verb in ("grew", "graduated", "studied", "taught") else "change", "past")


def _weak(verb: str, rest: list[str], timed: bool) -> Sort | None:
    low = [word.lower().strip(",") for word in rest]
    if not rest or _technical(rest) or (low[0] in ("to", "a", "the") and len(low) < 2):
        return None
    life = bool(LIFE.intersection(low))
    gerund = verb in ("started", "began") and low[0].endswith("ing") and len(low) > 1
    named = bool(_CAPITAL.search(" " + " ".join(rest)))
    if verb == "got":
        if low[0] == "diagnosed" and len(low) > 2:
            return Sort("allergy", "past")
        near = set(low[:4])
        if low[0] == "married":
            return Sort("change")  # the day alone does not say the year
        return Sort("change", "past") if low[0] != "to" and near & (LIFE | PETS) and not near & {"no", "by"} else None
    if verb == "had":
        return Sort("event", "past") if timed and (life or DATED_THINGS.intersection(low)) else None
    if not (life or gerund or named or (timed and len(low) > 2)):
        return None
    return Sort("event" if verb in EPISODES else "change", "past")


def _wish(verb: str, rest: list[str], timed: bool) -> Sort | None:
    low = [word.lower() for word in rest]
    if verb in ("want", "hope", "plan", "intend") and low[:1] == ["to"] and len(low) > 2:
        known = low[1] in WISHES and low[2] not in _TASK_WISH and not _technical(rest)
        return Sort("plan", "ahead") if known else None
    if verb == "plan" and low[:1] == ["on"] and timed:
        return Sort("plan", "ahead")
    return None


def _negated(rest: list[str], timed: bool) -> Sort | None:
    """Read `I do not …`: habits and tastes only."""
    if rest[:1] not in (["not"], ["really"]) or len(rest) < 3:
        return None
    verb = rest[1].lower()
    if verb == "have":
        found = having(rest[2:], timed)
        return found if found or rest[2].lower() != "any" else having(["a", *rest[3:]], timed)
    low = [word.lower() for word in rest[2:]]
    change = any(word in ("anymore", "more") for word in low)
    if verb in PRESENT and verb not in HABITUAL and not _technical(rest):
        found = _habit(verb, rest[2:], rest[1:])
        return Sort("change") if found and change else found and Sort(found.name)
    return None


def _can(rest: list[str], timed: bool) -> Sort | None:
    low = [word.lower() for word in rest]
    if low[:1] == ["stand"] and len(low) > 1:
        return Sort("preference")
    if low[:1] == ["not"]:
        low = low[1:]
    if len(low) > 1 and low[0] in ("eat", "drink", "swim", "drive", "tolerate"):
        return Sort("allergy" if low[0] in ("eat", "drink", "tolerate") else "habit")
    return None


def having(rest: list[str], timed: bool) -> Sort | None:
    """Tell of which sort it is to have something: a person, a pet, a condition, an appointment."""
    if not rest:
        return None
    low = [word.lower().strip(",") for word in rest]
    if low[0] in ("been", "lived", "worked", "always", "never", "decided", "moved", "quit", "stopped", "switched"):
        return _perfect(low, rest)
    if low[0] == "got":
        rest, low = rest[1:], low[1:]
    noun = _ARTICLE.match(" ".join(rest))
    if not noun and low[:1] not in (["asthma"], ["diabetes"]) and not CONDITIONS.intersection(low[:4]):
        return None
    head = set(re.split(r"[\s,:]+", (noun[1] if noun else " ".join(rest)).lower())[:4])
    if TECHNICAL & head and not (head & RELATIONS):
        return None
    if head & RELATIONS:
        return Sort("relationship")
    if head & CONDITIONS:
        return Sort("allergy" if "allerg" in " ".join(head) else "identity")
    if head & DATED_THINGS:
        return Sort("plan", "ahead") if timed else None
    return Sort("possession") if head & (PETS | THINGS) else None


def _perfect(low: list[str], rest: list[str]) -> Sort | None:
    if len(low) < 3 or _technical(rest):
        return None
    if low[0] == "been":
        if low[1] in ("at", "with") and _CAPITAL.search(" " + " ".join(rest)):
            return Sort("identity", "past")
        known = low[1] in ("learning", "living", "working", "studying", "playing", "teaching", "training", "married",
                           "vegetarian", "vegan", "sober", "writing")  # fmt: skip
        aimless = low[1] == "working" and low[2] not in ("as", "at", "for", "in", "with", "from")
        return Sort("habit", "past") if known and not aimless and low[2] not in ("hard", "for") else None
    if low[0] == "always":
        return Sort("preference") if low[1] in ("loved", "hated", "liked", "enjoyed", "preferred") else None
    if low[0] == "never":
        return Sort("habit") if low[1] in ("been", "smoked", "eaten", "learned", "learnt", "driven", "flown") else None
    if low[0] == "decided":
        return Sort("decision", "past") if low[1] in ("to", "not", "against") else None
    return Sort("identity" if low[0] in ("lived", "worked") else "change", "past")


def _am(rest: list[str], timed: bool) -> Sort | None:
    """Read `I am …`: who somebody is, not how he feels today."""
    low = [word.lower().strip(",") for word in rest]
    if timed and low[:2] == ["going", "to"] and _PLACE.match(" ".join(rest[1:])):
        return Sort("plan", "ahead")
    if not low or low[0] in TRANSIENT:
        return None
    while len(rest) > 1 and low[0] in ("now", "currently", "officially", "still"):
        rest, low = rest[1:], low[1:]
    said = " ".join(rest)
    if low[0] == "not" or low[:2] == ["no", "longer"]:
        skip = 1 if low[0] == "not" else 2
        found = _am(rest[skip:], timed) if len(low) > skip else None
        return Sort("change", found.tense) if found and skip == 2 else found and Sort(found.name, found.tense)
    if DIGIT.match(low[0]):
        if _MEASURED.fullmatch(said):
            return Sort("identity")
        age = re.fullmatch(r"\d{1,3}(?: years old)?", said)
        return Sort("identity") if age and int(low[0]) < 125 else None
    if "allergic" in low[:2] or "intolerant" in low[:3]:
        return Sort("allergy") if len(low) > 1 else None
    if low[0] in ("from", "based") and _CAPITAL.search(" " + said):
        return Sort("identity", "habit", "city" if low[0] == "based" and _PLACE.match(said[6:]) else "")
    if low[0] == "type" and "diabetic" in low[:4]:
        return Sort("allergy")
    if _OFFICE.match(said):
        return Sort("identity")
    if low[0] in STATES and not (len(low) > 1 and (low[1] in TRANSIENT or {"job", "work"}.intersection(low))):
        return Sort("preference" if low[0] in DIETS else "identity")
    if _FAN.match(said.lower()):
        return Sort("preference")
    if low[0] in ONGOING and len(low) > 1:
        return _ongoing(low, said, timed)
    if NAME.match(said):
        return Sort("identity") if _NATIONAL.match(said) else Sort("name", "habit", "preferred_name")
    if low[0] in ("a", "an") and len(low) > 1 and not _NOT_SOMEBODY.intersection(low[1:4]):
        return None if _technical(rest) else Sort("preference" if DIETS.intersection(low) else "identity")
    return None


def _ongoing(low: list[str], said: str, timed: bool) -> Sort | None:
    if _technical(said.split()) or (low[0] == "taking" and not LIFE.intersection(low)):
        return None
    if low[0] in ("getting", "expecting"):
        return Sort("plan", "ahead") if LIFE.intersection(low) else None
    if low[0] in ("learning", "studying", "living", "teaching"):
        placed = low[1] in ("in", "with", "at", "near", "on", "alone", "abroad")
        aimless = low[1] in ("a", "lots", "more", "about", "how", "so", "from")
        return Sort("habit", "ahead") if (placed if low[0] == "living" else not aimless) else None
    if low[0] in ("working", "running", "reading", "writing", "building"):
        known = low[1] in ("as", "at", "for", "towards") or (low[0] != "working" and _CAPITAL.search(" " + said))
        return Sort("habit", "ahead") if known and (timed or low[0] != "running") else None
    if low[0] in ("planning", "training", "preparing", "saving"):
        return Sort("plan", "ahead") if len(low) > 2 else None
    return Sort("plan", "ahead") if timed or _CAPITAL.search(" " + said) else None


def _was(rest: list[str], timed: bool) -> Sort | None:
    low = [word.lower() for word in rest]
    if low[:1] and low[0] in ("born", "raised") and len(low) > 1:
        return Sort("identity") if low[1] in ("in", "on", "at", "near", "and", "deaf", "blind", "with") else None
    if low[:1] and low[0] in ("diagnosed", "promoted") and len(low) > 1:
        return Sort("identity" if low[0] == "diagnosed" else "change", "past")
    return None


def _will(rest: list[str], timed: bool) -> Sort | None:
    low = [word.lower() for word in rest]
    known = low[:1] and low[0] in WISHES | {"fly", "go", "marry", "attend", "have", "be"}
    if not known or not timed or len(low) < 3 or _technical(rest):
        return None
    return Sort("plan", "ahead") if low[0] not in ("be", "go") or _CAPITAL.search(" " + " ".join(rest)) else None


_AUXILIARY = {
    "do": _negated,
    "have": having,
    "am": _am,
    "was": _was,
    "can": _can,
    "cannot": _can,
    "can't": _can,
    "will": _will,
}
