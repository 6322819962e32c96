"""A fact read as subject, attribute and value: `Ana lives in Lisbon` says of Ana, her home, that it is Lisbon."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.rules.evidence import numbers_in, stems_of
from recollect.rules.lexicon import DIETS, PAST, PAST_WEAK, THIRD
from recollect.rules.person import plain
from recollect.rules.terms import fold

LONGEST = 600
"""Longer texts are no single facts."""


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


_NAME = r"(?P<subject>(?:The |the |a |an )?[^\W_][^,;:]{0,80}?)(?<!'s)(?<!^The)(?<!^the)"
_SAID = re.compile(
    rf"^{_NAME}\s+(?P<adverbs>(?:(?:now|currently|still|usually|always|often|also|mostly|only|really|never|no longer"
    rf"|already"
    r"|just|recently|finally|has|have|had|does|did|do|not|cannot|can|will|is|was|were|been|used to|any ?more)\s+)*)"
    r"(?P<verb>{verbs})\b\s*(?P<rest>.*)$"
)
_MORE_VERBS = """
    is are was were has had costs runs opens closes begins ends learning living working using drinking eating playing
    studying wakes became called sold talked walks dances writes reads watches stands knows stopped quit gave given
    needs wants practises practices married
    """
_VERBS = "|".join(
    sorted({*THIRD, *THIRD.values(), *PAST, *PAST_WEAK, *_MORE_VERBS.split()}, key=lambda v: (-len(v), v))
)
_SENTENCE = re.compile(_SAID.pattern.replace("{verbs}", _VERBS), re.DOTALL)
_TIMES = re.compile(
    r"\b(?:(?:in|on|since|around|from|until|by|during) )?(?:the (?:week|weekend) of )?(?:\d{1,2} )?(?:(?:January"
    r"|February|March"
    r"|April|May|June|July|August|September|October|November|December)(?: \d{1,2},?)?(?: \d{4})?|(?:in|since|around"
    r"|from|until|by) "
    r"(?:19|20)\d{2})\b"
)
_PAST_YEAR = re.compile(r"\b(?:in|from|until|during|around) (?:[A-Z]\w+ )?(?:19|20)\d{2}\b")
_FOR = re.compile(r"\s+for\s+(.+)$")
_AGAIN = re.compile(r"\b(?:any ?more|again|now|these days|currently|instead)\b", re.IGNORECASE)
_JOB = re.compile(r"^(?:an? |the )?(.+)$")
_MOVED = re.compile(r"^(?:back )?(?:from (?P<from>.+?) )?(?:in)?to (?P<to>.+)$|^in with (?P<with>.+)$")
_SWITCHED = re.compile(r"^(?:(?:\w+ )?from (?P<from>.+?) )?to (?P<to>.+)$")
_FAVOURITE = re.compile(r"^favou?rite\s+")
_STOPPING = frozenset(("stopped", "quit", "gave", "given"))
_MANY = frozenset("likes loves hates enjoys dislikes speaks owns has plays collects adores detests knows".split())
_ONE = frozenset("live drive study".split())
_ONE_AMOUNT = frozenset("wake cost run open close begin start end weigh earn pay go last leave".split())
"""Deeds of which there is one at a time; and those of which there is one when an amount or an hour is told."""
_TASTE = {"likes": 1, "loves": 1, "enjoys": 1, "adores": 1, "hates": -1, "dislikes": -1, "detests": -1}
_MARITAL = frozenset("single married divorced engaged widowed".split())
_HOW_MANY = re.compile(r"^(?:exactly |about )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)\s+(\w+)$")


@lru_cache(maxsize=4096)
def claim_of(text: str) -> Claim | None:
    """Read a sentence in the third person; None when it is none that can be read."""
    if len(text) > LONGEST:
        return None
    said = plain(" ".join(text.split())).rstrip(" .!…")
    found = _SENTENCE.match(said)
    if found is None:
        return None
    adverbs, verb, rest = found["adverbs"].lower(), found["verb"].lower(), found["rest"].strip()
    helped = {word for word in adverbs.split() if word in ("is", "was", "were", "has", "had")}
    negative = bool(re.search(r"\b(?:not|never|no longer|cannot)\b", adverbs)) or bool(
        re.match(r"(?:not|no longer|never|no|nothing|none)\b", rest)
    )
    rest = re.sub(r"^(?:(?:not|no longer|never|no|now|still|currently)\s+)+", "", rest)
    ended = (
        "used to" in adverbs or bool({"was", "were"} & helped) or "no longer" in f"{adverbs} {found['rest']}".lower()
    )
    base = Claim(_subject(found["subject"]), "", frozenset(), negative=negative, ended=ended, verb=_base(verb))
    return _read(base, found["subject"], verb, _AGAIN.sub("", rest).strip(), helped)


def _read(base: Claim, subject: str, verb: str, rest: str, helped: set[str]) -> Claim | None:
    if verb in _STOPPING:
        return _stopping(base, verb, rest)
    if verb in ("is", "are", "was", "were"):
        return _being(base, subject, rest, verb in ("was", "were"))
    if helped & {"is", "was", "were"} and (verb in PAST | PAST_WEAK or verb in ("called", "married")):
        return _being(base, subject, f"{verb} {rest}".strip(), False)
    known = _READERS.get(verb)
    if known:
        return known(base, rest)
    return _doing(base, verb, rest)


def _subject(said: str) -> str:
    return re.sub(r"^(?:the|a|an|their|his|her) ", "", fold(said))


def _value(said: str) -> frozenset[str]:
    """Give what a value goes by: its stems, its numbers and, where it has neither, its words; its dates left out."""
    return _marks(_TIMES.sub(" ", said))


def _marks(said: str) -> frozenset[str]:
    """Give the stems and numbers of a value; an address is one word, whatever it is made of."""
    whole = {fold(word) for word in said.split() if "@" in word or "://" in word}
    rest = " ".join(word for word in said.split() if "@" not in word and "://" not in word)
    return frozenset(whole | stems_of(rest) | numbers_in(rest)) or frozenset(fold(said).split())


def _base(verb: str) -> str:
    if verb.endswith("ing"):
        stem = verb.removesuffix("ing")
        return next((base for base in THIRD.values() if base in (stem, stem + "e")), stem)
    return THIRD.get(verb, verb)


def _stopping(base: Claim, verb: str, rest: str) -> Claim | None:
    """Read `stopped drinking coffee` as not drinking it any more."""
    rest = rest.removeprefix("up ").strip() if verb in ("gave", "given") else rest
    if verb in ("gave", "given") and not rest:
        return None
    first, _, after = rest.partition(" ")
    stopped = replace(base, negative=not base.negative, ended=True)
    if first.endswith("ing"):
        deed = _base(first)
        if not after.strip() or _TIMES.fullmatch(after.strip()):
            return replace(stopped, attribute=f"does {deed}", value=frozenset(), verb=deed)
        return _doing(replace(stopped, verb=deed), deed, after)
    if re.search(r"\bjob\b", rest):
        return replace(stopped, attribute="left", value=frozenset(), ends=("employer", "job"), wholly=True)
    return replace(
        stopped,
        attribute="gave up",
        value=_value(rest),
        ends=("does eat", "does drink", "does smoke", "taste"),
        verb="",
    )


def _being(base: Claim, subject: str, rest: str, past: bool) -> Claim | None:
    """Read `is …`: a state, an age, a job, or what a thing of somebody is."""
    low = rest.lower()
    if not rest:
        return None
    if re.match(r"(?:moved|postponed|pushed|brought forward|rescheduled|changed) to ", low):
        return _property(replace(base, ended=False), rest.split(" to ", 1)[1], subject)
    if past:
        base = replace(base, ended=True)
    if re.match(r"\d{1,3}(?: years old)?$|\w+ years old$", low):
        return replace(base, attribute="age", value=frozenset(numbers_in(low)), single=True)
    first = low.split()[0].strip(",")
    if first in _MARITAL:
        return replace(base, attribute="marital", value=frozenset({first}), single=True)
    diet = next((word for word in low.split()[:3] if word in DIETS), "")
    if diet:
        return replace(base, attribute="diet", value=frozenset({diet}), single=True)
    if first in ("allergic", "afraid", "into", "interested", "fond"):
        return replace(base, attribute=first, value=_value(rest.partition(" ")[2]))
    if re.match(r"(?:learning|studying|living|working|using|training|playing|planning)\b", low):
        verb, _, after = rest.partition(" ")
        return _doing(replace(base, verb=_base(verb)), _base(verb), after)
    if re.match(r"(?:called|named) ", low):
        return _property(replace(base, subject=base.subject), rest.split(" ", 1)[1], subject)
    possessed = re.match(r".+'s .+", subject) is not None
    if possessed or (subject.lower().startswith("the ") and subject.lower() != "the user"):
        return _property(base, rest, subject)
    if re.match(r"an? ", low):
        job = " of " not in low
        return replace(base, attribute="job" if job else "role", value=_value(rest))
    if re.match(r"(?:from|based|in|at) ", low):
        return replace(
            base, attribute="home" if first == "based" else first, value=_value(rest), single=first == "based"
        )
    return replace(base, attribute="is", value=_value(rest))


def _property(base: Claim, rest: str, subject: str) -> Claim:
    """Read what a thing of somebody is: `Ana's rent is 900 euros`, `the exam is on 3 June`."""
    # Here a date is the value itself, so it is not left out.
    value = _marks(rest)
    dated = bool(_TIMES.search(rest)) and not _YEAR_ONLY.search(rest)
    when = frozenset(re.findall(r"\w+", " ".join(found[0] for found in _TIMES.finditer(rest)).lower())) - {"on", "in"}
    name = re.match(r"^(.+'s )?(?:preferred )?name$", base.subject)
    if name:
        owner = base.subject.split("'s ")[0] if "'s " in base.subject else base.subject
        return replace(base, subject=owner, attribute="name", value=value, single=True)
    shape = _shape(rest)
    exact = _EXACT.search(rest) or "@" in rest or "://" in rest or _ONLY.search(subject)
    single = shape in ("when", "where") or (shape == "a" and "'s " in subject) or bool(exact)
    return replace(base, attribute=f"is {shape}".strip(), value=value | (when if dated else frozenset()), single=single)


def _shape(rest: str) -> str:
    """Say what sort of thing a property is said to be: where and when it is, and what it is, may all hold at once."""
    if _TIMES.search(rest) or _CLOCK.search(rest):
        return "when"
    first = rest.partition(" ")[0].lower()
    return "where" if first in _PLACING else "a" if first in ("a", "an") else ""


_CLOCK = re.compile(r"\b(?:\d{1,2}:\d{2}|\d{1,2} ?[ap]m|noon|midnight|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b")
_PLACING = frozenset("in on at under behind near beside inside above below".split())
_EXACT = re.compile(r"\d|(?<![.!?] )\b[A-ZÀ-Þ]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
"""A number or a name: of these a property has one at a time, while it may be both old and broken."""
_ONLY = re.compile(
    r"\b(?:favou?rite|pronouns?|e-?mail|name|language|time ?zone|size|colou?r|birthday|address|nickname|hometown)\b",
    re.I,
)
"""Things of which there is one, whatever it is."""
_YEAR_ONLY = re.compile(r"^(?:in|since|around) \d{4}$")


def _lives(base: Claim, rest: str) -> Claim | None:
    if re.match(r"(?:in|at|near|on) ", rest) is None:
        return replace(base, attribute="lives " + rest.split(" ")[0], value=_value(rest)) if rest else None
    return replace(base, attribute="home", value=_value(rest), single=True)


def _lived(base: Claim, rest: str) -> Claim | None:
    found = _lives(base, rest)
    return found and replace(found, ended=True, single=False)


def _moves(base: Claim, rest: str) -> Claim | None:
    moved = _MOVED.match(rest)
    if moved is None or not moved["to"]:
        return None
    return replace(base, attribute="home", value=_value(moved["to"]), single=True, replaced=_value(moved["from"] or ""))


def _works(base: Claim, rest: str) -> Claim | None:
    place = re.match(r"(?:at|for|with) (.+)$", rest)
    if place:
        name = re.sub(r"\s+as an? .*$", "", place[1])
        extra = "as" if name != place[1] else ""
        value = _value(name) | (_value(place[1]) if extra else frozenset())
        return replace(base, attribute="employer", value=value, single=True)
    role = re.match(r"as (.+)$", rest)
    if role:
        return replace(base, attribute="job", value=_value(re.sub(r"\s+(?:at|for|in) .*$", "", role[1])), single=True)
    return _doing(base, "work", rest)


def _worked(base: Claim, rest: str) -> Claim | None:
    found = _works(base, rest)
    return found and replace(found, ended=True, single=False)


def _joins(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="employer", value=_value(rest), single=bool(re.match(r"[A-Z]", rest)))


def _leaves(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="employer", value=_value(rest), negative=not base.negative, ended=True, single=True)


def _becomes(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="job", value=_value(rest), single=True, ends=("job",))


def _marries(base: Claim, rest: str) -> Claim | None:
    return replace(base, attribute="marital", value=frozenset({"married"}), single=True)


def _switches(base: Claim, rest: str) -> Claim | None:
    switched = _SWITCHED.match(rest)
    if switched is None:
        return None
    ends = ("does use", "possesses", "does drive", "does drink", "does play", "employer")
    new, old = _value(switched["to"]), _value(switched["from"] or "")
    return replace(base, attribute="does use", value=new, single=True, replaced=old, ends=ends, verb="use")


def _prefers(base: Claim, rest: str) -> Claim | None:
    called = re.match(r"to be called (.+)$", rest)
    if called:
        return replace(base, attribute="name", value=_value(called[1]), single=True)
    over = re.match(r"(.+?) (?:over|to|instead of|rather than) (.+)$", rest)
    if over:
        pair = _value(over[1]) | _value(over[2])
        return replace(base, attribute="prefers " + " ".join(sorted(pair)), value=_value(over[1]), single=True)
    words = rest.lower().split()
    # What is chosen among is the last word: window seats, aisle seats. A word alone may be of any sort.
    among = words[-1] if len(words) > 1 else "drink" if words and words[0] in _DRINKS else ""
    return replace(base, attribute=f"prefers {among}", value=_value(rest), single=bool(among))


_DRINKS = frozenset("tea coffee wine beer water juice cocoa".split())


def _uses(base: Claim, rest: str) -> Claim | None:
    purpose = _FOR.search(rest)
    scope = _value(purpose[1]) if purpose else frozenset()
    bare = rest[: purpose.start()] if purpose else rest
    return replace(base, attribute="does use", value=_value(bare), single=bool(scope), scope=scope)


def _tastes(verb: str) -> Callable[[Claim, str], Claim | None]:
    def read(base: Claim, rest: str) -> Claim | None:
        negative = base.negative != (_TASTE[verb] < 0)
        return replace(base, attribute="taste", value=_value(rest), negative=negative)

    return read


def _has(base: Claim, rest: str) -> Claim | None:
    if re.match(r"(?:been|lived|worked|decided|learned|learnt|visited|moved)\b", rest):
        verb, _, after = rest.partition(" ")
        return _doing(base, verb, after)
    counted = _HOW_MANY.match(rest)
    if counted:
        return replace(
            base, attribute=f"number of {counted[1].lower()}", value=frozenset(numbers_in(rest)), single=True
        )
    return replace(base, attribute="possesses", value=_value(rest))


def _doing(base: Claim, verb: str, rest: str) -> Claim | None:
    """Read any other verb: what is done, and to what."""
    deed = _base(verb)
    past = verb in PAST or verb in PAST_WEAK or verb.endswith("ed")
    event = past and not base.negative
    value = _value(rest) if rest else frozenset()
    if deed in ("eat", "drink", "smoke", "like") and not rest:
        value = frozenset()
    when = re.search(r"\b(?:on|every|at) (.+)$", rest)
    if when and deed in _HABITS:
        what = _value(rest[: when.start()])
        plain_when = frozenset(re.findall(r"[\w:]+", when[1].lower()))
        return replace(base, attribute=f"does {deed} " + " ".join(sorted(what)), value=plain_when, single=not past)
    told = bool(numbers_in(rest) or _CLOCK.search(rest) or re.match(r"on [A-Z]", rest))
    single = verb not in PAST_WEAK and (deed in _ONE or (deed.removesuffix("s") in _ONE_AMOUNT and told))
    return replace(base, attribute=f"does {deed}", value=value, single=single and not past, event=event)


_HABITS = frozenset("go wake start open close begin end".split())
_READERS: dict[str, Callable[[Claim, str], Claim | None]] = {
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
}
