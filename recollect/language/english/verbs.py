"""What somebody does, as a claim: the verbs of a fact, each read as an attribute and its value."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from recollect.language.english.evidence import numbers_in, stems_of
from recollect.language.english.lexicon import PAST, PAST_WEAK, THIRD
from recollect.model.values import dataclass
from recollect.text.patterns import pattern
from recollect.text.terms import fold


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence says: of whom, what about, and what of it."""

    subject: str
    attribute: str
    value: frozenset[str]
    single: bool = False
    """Whether a subject has but one value of it at a time."""
    negative: bool = False
    scope: frozenset[str] = frozenset()
    """What narrows the attribute: for what, where, when."""
    replaced: frozenset[str] = frozenset()
    """The value it took the place of, where that was said."""
    event: bool = False
    ended: bool = False
    """Whether it tells of the past only."""
    ends: tuple[str, ...] = ()
    """The attributes it puts an end to."""
    wholly: bool = False
    """Whether it ends them whatever their value."""
    verb: str = ""


TIMES = pattern(
    r"\b(?:(?:in|on|since|around|from|until|by|during) )?(?:the (?:week|weekend) of )?(?:\d{1,2} )?(?:(?:January"
    r"|February|March"
    r"|April|May|June|July|August|September|October|November|December)(?: \d{1,2},?)?(?: \d{4})?|(?:in|since|around"
    r"|from|until|by) "
    r"(?:19|20)\d{2})\b"
)
CLOCK = pattern(r"\b(?:\d{1,2}:\d{2}|\d{1,2} ?[ap]m|noon|midnight|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b")
MARITAL = frozenset("single married divorced engaged widowed".split())
_FOR = pattern(r"\s+for\s+(.+)$")
_MOVED = pattern(r"^(?:back )?(?:from (?P<from>.+?) )?(?:in)?to (?P<to>.+)$|^in with (?P<with>.+)$")
_SWITCHED = pattern(r"^(?:(?:\w+ )?from (?P<from>.+?) )?to (?P<to>.+)$")
_TASTE = {"likes": 1, "loves": 1, "enjoys": 1, "adores": 1, "hates": -1, "dislikes": -1, "detests": -1}
_HOW_MANY = pattern(r"^(?:exactly |about )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)\s+(\w+)$")
_ONE = frozenset("live drive study".split())
_ONE_AMOUNT = frozenset("wake cost run open close begin start end weigh earn pay go last leave".split())
"""Deeds of which there is one at a time; and those of which there is one when an amount or an hour is told."""


def value_of(said: str) -> frozenset[str]:
    """Give what a value goes by: its stems, its numbers and, where it has neither, its words; its dates left out."""
    return marks_of(TIMES.sub(" ", said))


def marks_of(said: str) -> frozenset[str]:
    """Give the stems and numbers of a value; an address is one word, whatever it is made of."""
    whole = {fold(word) for word in said.split() if "@" in word or "://" in word}
    rest = " ".join(word for word in said.split() if "@" not in word and "://" not in word)
    return frozenset(whole | stems_of(rest) | numbers_in(rest)) or frozenset(fold(said).split())


def base_form(verb: str) -> str:
    """Give a verb as the lists have it: `lives` and `living` are live."""
    if verb.endswith("ing"):
        stem = verb.removesuffix("ing")
        return next((base for base in THIRD.values() if base in (stem, stem + "e")), stem)
    return THIRD.get(verb, verb)


def _lives(base: Claim, rest: str) -> Claim | None:
    if re.match(r"(?:in|at|near|on) ", rest) is None:
        return replace(base, attribute="lives " + rest.split(" ")[0], value=value_of(rest)) if rest else None
    return replace(base, attribute="home", value=value_of(rest), single=True)


def _lived(base: Claim, rest: str) -> Claim | None:
    found = _lives(base, rest)
    return found and replace(found, ended=True, single=False)


def _moves(base: Claim, rest: str) -> Claim | None:
    moved = _MOVED.match(rest)
    if moved is None or not moved["to"]:
        return None
    return replace(
        base, attribute="home", value=value_of(moved["to"]), single=True, replaced=value_of(moved["from"] or "")
    )


def _works(base: Claim, rest: str) -> Claim | None:
    place = re.match(r"(?:at|for|with) (.+)$", rest)
    if place:
        name = re.sub(r"\s+as an? .*$", "", place[1])
        extra = "as" if name != place[1] else ""
        value = value_of(name) | (value_of(place[1]) if extra else frozenset())
        return replace(base, attribute="employer", value=value, single=True)
    role = re.match(r"as (.+)$", rest)
    if role:
        return replace(base, attribute="job", value=value_of(re.sub(r"\s+(?:at|for|in) .*$", "", role[1])), single=True)
    return doing(base, "work", rest)


def _worked(base: Claim, rest: str) -> Claim | None:
    found = _works(base, rest)
    return found and replace(found, ended=True, single=False)


def _joins(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="employer", value=value_of(rest), single=bool(re.match(r"[A-Z]", rest)))


def _leaves(base: Claim, rest: str) -> Claim | None:
    return replace(
        base, attribute="employer", value=value_of(rest), negative=not base.negative, ended=True, single=True
    )


def _becomes(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="job", value=value_of(rest), single=True, ends=("job",))


def _marries(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="marital", value=frozenset({"married"}), single=True)


def _switches(base: Claim, rest: str) -> Claim | None:
    switched = _SWITCHED.match(rest)
    if switched is None:
        return None
    ends = ("does use", "possesses", "does drive", "does drink", "does play", "employer")
    new, old = value_of(switched["to"]), value_of(switched["from"] or "")
    return replace(base, attribute="does use", value=new, single=True, replaced=old, ends=ends, verb="use")


def _sells(base: Claim, rest: str) -> Claim | None:
    """Read `sold the Honda`: what was had is had no more."""
    ends = ("possesses", "does drive", "does own", "does ride")
    return replace(base, attribute="does sell", value=value_of(rest), event=True, ends=ends, verb="sell")


def _dies(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="dies", value=frozenset(), event=True, verb="die")


def _gets(base: Claim, rest: str) -> Claim | None:
    first = rest.partition(" ")[0].lower()
    if first in MARITAL:
        return replace(base, attribute="marital", value=frozenset({first}), single=True)
    return doing(base, "got", rest)


def _prefers(base: Claim, rest: str) -> Claim | None:
    called = re.match(r"to be called (.+)$", rest)
    if called:
        return replace(base, attribute="name", value=value_of(called[1]), single=True)
    over = re.match(r"(.+?) (?:over|to|instead of|rather than) (.+)$", rest)
    if over:
        pair = value_of(over[1]) | value_of(over[2])
        return replace(base, attribute="prefers " + " ".join(sorted(pair)), value=value_of(over[1]), single=True)
    words = rest.lower().split()
    # What is chosen among is the last word: window seats, aisle seats. A word alone may be of any sort.
    among = words[-1] if len(words) > 1 else "drink" if words and words[0] in _DRINKS else ""
    return replace(base, attribute=f"prefers {among}", value=value_of(rest), single=bool(among))


_DRINKS = frozenset("tea coffee wine beer water juice cocoa".split())


def _uses(base: Claim, rest: str) -> Claim | None:
    purpose = _FOR.search(rest)
    scope = value_of(purpose[1]) if purpose else frozenset()
    bare = rest[: purpose.start()] if purpose else rest
    return replace(base, attribute="does use", value=value_of(bare), single=bool(scope), scope=scope)


def _tastes(verb: str) -> Callable[[Claim, str], Claim | None]:
    def read(base: Claim, rest: str) -> Claim | None:
        negative = base.negative != (_TASTE[verb] < 0)
        return replace(base, attribute="taste", value=value_of(rest), negative=negative)

    return read


def _has(base: Claim, rest: str) -> Claim | None:
    if re.match(r"(?:been|lived|worked|decided|learned|learnt|visited|moved)\b", rest):
        verb, _, after = rest.partition(" ")
        return doing(base, verb, after)
    counted = _HOW_MANY.match(rest)
    if counted:
        return replace(
            base, attribute=f"number of {counted[1].lower()}", value=frozenset(numbers_in(rest)), single=True
        )
    return replace(base, attribute="possesses", value=value_of(rest))


def doing(base: Claim, verb: str, rest: str) -> Claim | None:
    """Read any other verb: what is done, and to what."""
    deed = base_form(verb)
    past = verb in PAST or verb in PAST_WEAK or verb.endswith("ed")
    event = past and not base.negative
    value = value_of(rest) if rest else frozenset()
    if deed in ("eat", "drink", "smoke", "like") and not rest:
        value = frozenset()
    when = re.search(r"\b(?:on|every|at) (.+)$", rest)
    if when and deed in _HABITS:
        what = value_of(rest[: when.start()])
        plain_when = frozenset(re.findall(r"[\w:]+", when[1].lower()))
        return replace(base, attribute=f"does {deed} " + " ".join(sorted(what)), value=plain_when, single=not past)
    told = bool(numbers_in(rest) or CLOCK.search(rest) or re.match(r"on [A-Z]", rest))
    single = verb not in PAST_WEAK and (deed in _ONE or (deed.removesuffix("s") in _ONE_AMOUNT and told))
    return replace(base, attribute=f"does {deed}", value=value, single=single and not past, event=event)


_HABITS = frozenset("go wake start open close begin end".split())
READERS: dict[str, Callable[[Claim, str], Claim | None]] = {
    **dict.fromkeys(("lives", "live", "living"), _lives),
    **dict.fromkeys(("moved", "relocated"), _moves),
    **dict.fromkeys(("works", "work", "working"), _works),
    **dict.fromkeys(("switched", "migrated"), _switches),
    **dict.fromkeys(("prefers", "prefer"), _prefers),
    **dict.fromkeys(("uses", "use", "using"), _uses),
    **dict.fromkeys(("has", "have", "had"), _has),
    **{verb: _tastes(verb) for verb in _TASTE},
    **{base: _tastes(verb) for base, verb in (("like", "likes"), ("love", "loves"), ("enjoy", "enjoys"))},
    "lived": _lived,
    "worked": _worked,
    "joined": _joins,
    "left": _leaves,
    "became": _becomes,
    "married": _marries,
    "sold": _sells,
    "died": _dies,
    "passed": lambda base, rest: _dies(base, rest) if rest.startswith("away") else doing(base, "passed", rest),
    "got": _gets,
}
