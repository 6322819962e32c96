"""A fact read as subject, attribute and value: `Ana lives in Lisbon` says of Ana, her home, that it is Lisbon."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from recollect.language.english.evidence import numbers_in
from recollect.language.english.lexicon import DIETS, PAST, PAST_WEAK, RELATIONS, THIRD
from recollect.language.english.person import plain
from recollect.language.english.verbs import CLOCK, MARITAL, READERS, TIMES, Claim, base_form, doing, marks_of, value_of
from recollect.text.patterns import pattern
from recollect.text.terms import fold

LONGEST = 600
"""Longer texts are no single facts."""


_NAME = r"(?P<subject>(?:The |the |a |an )?[^\W_][^,;:]{0,80}?)(?<!'s)(?<!^The)(?<!^the)"
_SAID = pattern(
    rf"^{_NAME}\s+(?P<adverbs>(?:(?:now|currently|still|usually|always|often|also|mostly|only|really|never|no longer"
    rf"|already"
    r"|just|recently|finally|has|have|had|does|did|do|not|cannot|can|will|is|was|were|been|used to|any ?more)\s+)*)"
    r"(?P<verb>{verbs})\b\s*(?P<rest>.*)$"
)
_MORE_VERBS = """
    is are was were has had costs runs opens closes begins ends learning living working using drinking eating playing
    studying wakes became called sold talked walks dances writes reads watches stands knows stopped quit gave given
    needs wants practises practices married died passed got
    """
_VERBS = "|".join(
    sorted({*THIRD, *THIRD.values(), *PAST, *PAST_WEAK, *_MORE_VERBS.split()}, key=lambda v: (-len(v), v))
)
_SENTENCE = pattern(_SAID.pattern.replace("{verbs}", _VERBS), re.DOTALL)
_AGAIN = pattern(r"\b(?:any ?more|again|now|these days|currently|instead)\b", re.IGNORECASE)
_RESET = pattern(
    r"(?:moved|postponed|pushed(?: back| forward)?|brought forward|rescheduled|changed) (?:to|until) (.+)$",
    re.IGNORECASE,
)
_STOPPING = frozenset(("stopped", "quit", "gave", "given"))


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
    anew = bool(re.match(r"now\b", rest)) or adverbs.split()[-1:] == ["now"]
    rest = re.sub(r"^(?:(?:not|no longer|never|no|now|still|currently)\s+)+", "", rest)
    rest, instead = _instead(rest)
    ended = (
        "used to" in adverbs or bool({"was", "were"} & helped) or "no longer" in f"{adverbs} {found['rest']}".lower()
    )
    base = Claim(_subject(found["subject"]), "", frozenset(), negative=negative, ended=ended, verb=base_form(verb))
    read = _read(base, found["subject"], verb, _AGAIN.sub("", rest).strip(), helped)
    if read and read.attribute == "job" and anew:
        read = replace(read, ends=("job",))  # what somebody is now takes the place of what he was
    return replace(read, replaced=value_of(instead)) if read and instead else read


def _instead(rest: str) -> tuple[str, str]:
    """Take off the value that is denied beside the one that holds: `kiwi, not mango`."""
    found = re.search(
        r",? (?:and |but )?(?<!do )(?<!does )(?<!is )not (?:the |an? |to |in |on |at )?(?P<old>[^,]+)$", rest
    )
    if found is None or not found.start():
        return rest, ""
    return rest[: found.start()].rstrip(" ,"), found["old"]


def _read(base: Claim, subject: str, verb: str, rest: str, helped: set[str]) -> Claim | None:
    reset = _RESET.match(rest if verb == "got" else f"{verb} {rest}")
    if reset and "'s " in subject and not _somebody(subject):
        return _property(replace(base, ended=False), reset[1], subject)
    if verb in _STOPPING:
        return _stopping(base, verb, rest)
    if verb in ("is", "are", "was", "were"):
        return _being(base, subject, rest, verb in ("was", "were"))
    if helped & {"is", "was", "were"} and (verb in PAST | PAST_WEAK or verb in ("called", "married")):
        return _being(base, subject, f"{verb} {rest}".strip(), False)
    known = READERS.get(verb)
    if known:
        return known(base, rest)
    return doing(base, verb, rest)


def _subject(said: str) -> str:
    return re.sub(r"^(?:the|a|an|their|his|her) ", "", fold(said))


def _stopping(base: Claim, verb: str, rest: str) -> Claim | None:
    """Read `stopped drinking coffee` as not drinking it any more."""
    rest = rest.removeprefix("up ").strip() if verb in ("gave", "given") else rest
    if verb in ("gave", "given") and not rest:
        return None
    first, _, after = rest.partition(" ")
    stopped = replace(base, negative=not base.negative, ended=True)
    if first.endswith("ing"):
        deed = base_form(first)
        if not after.strip() or TIMES.fullmatch(after.strip()):
            return replace(stopped, attribute=f"does {deed}", value=frozenset(), verb=deed)
        return doing(replace(stopped, verb=deed), deed, after)
    if re.search(r"\bjob\b", rest):
        return replace(stopped, attribute="left", value=frozenset(), ends=("employer", "job"), wholly=True)
    return replace(
        stopped,
        attribute="gave up",
        value=value_of(rest),
        ends=(
            "does eat",
            "does drink",
            "does smoke",
            "does learn",
            "does study",
            "does play",
            "does practise",
            "taste",
        ),
        verb="",
    )


def _being(base: Claim, subject: str, rest: str, past: bool) -> Claim | None:
    """Read `is …`: a state, an age, a job, or what a thing of somebody is."""
    low = rest.lower()
    if not rest:
        return None
    if moved := _RESET.match(rest):
        return _property(replace(base, ended=False), moved[1], subject)
    if past:
        base = replace(base, ended=True)
    if re.match(r"\d{1,3}(?: years old)?$|\w+ years old$", low):
        return replace(base, attribute="age", value=frozenset(numbers_in(low)), single=True)
    first = low.split()[0].strip(",")
    if first in MARITAL:
        return replace(base, attribute="marital", value=frozenset({first}), single=True)
    if first in ("retired", "unemployed"):
        return replace(
            base, attribute="job", value=frozenset({first}), single=True, ends=("job", "employer"), wholly=True
        )
    diet = next((word for word in low.split()[:3] if word in DIETS), "")
    if diet:
        return replace(base, attribute="diet", value=frozenset({diet}), single=True)
    if first in ("allergic", "afraid", "into", "interested", "fond"):
        return replace(base, attribute=first, value=value_of(rest.partition(" ")[2]))
    if re.match(r"(?:learning|studying|living|working|using|training|playing|planning)\b", low):
        verb, _, after = rest.partition(" ")
        return doing(replace(base, verb=base_form(verb)), base_form(verb), after)
    if re.match(r"(?:called|named) ", low):
        return _property(replace(base, subject=base.subject), rest.split(" ", 1)[1], subject)
    possessed = re.match(r".+'s .+", subject) is not None
    if re.match(r"an? ", low) and _works_as(low) and (not possessed or _somebody(subject)):
        return replace(base, attribute="job", value=value_of(rest), single=possessed)
    if possessed or (subject.lower().startswith("the ") and subject.lower() != "the user"):
        return _property(base, rest, subject)
    if re.match(r"an? ", low):
        return replace(base, attribute="role", value=value_of(rest))
    if re.match(r"(?:from|based|in|at) ", low):
        return replace(
            base, attribute="home" if first == "based" else first, value=value_of(rest), single=first == "based"
        )
    return replace(base, attribute="is", value=value_of(rest))


def _works_as(low: str) -> bool:
    """Tell whether `a …` may be a profession: not kinship, not `a mother of two`, not `a fan`."""
    return " of " not in low and not _NO_JOB.intersection(low.split())


def _somebody(subject: str) -> bool:
    """Tell whether `Ana's wife Sarah` is a person."""
    return bool(RELATIONS.intersection(subject.rpartition("'s ")[2].lower().split()[:2]) - _NOBODY)


_TRADES = frozenset("teacher tutor coach therapist doctor dentist manager supervisor boss".split())
_NO_JOB = (RELATIONS - _TRADES) | {
    "woman", "man", "boy", "girl", "fan", "person", "citizen", "twin", "introvert", "extrovert", "christian", "muslim",
    "lover", "smoker", "drinker", "eater", "owner", "member", "bit", "lot", "homeowner",
    "resident", "widow", "widower", "adult", "beginner", "millionaire", "native",
}  # fmt: skip
_NOBODY = frozenset(("team", "company", "family"))


def _property(base: Claim, rest: str, subject: str) -> Claim:
    """Read what a thing of somebody is: `Ana's rent is 900 euros`, `the exam is on 3 June`."""
    # Here a date is the value itself, so it is not left out.
    value = marks_of(rest)
    dated = bool(TIMES.search(rest)) and not _YEAR_ONLY.search(rest)
    when = frozenset(re.findall(r"\w+", " ".join(found[0] for found in TIMES.finditer(rest)).lower())) - {"on", "in"}
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
    if TIMES.search(rest) or CLOCK.search(rest):
        return "when"
    first = rest.partition(" ")[0].lower()
    return "where" if first in _PLACING else "a" if first in ("a", "an") else ""


_PLACING = frozenset("in on at under behind near beside inside above below".split())
_EXACT = pattern(r"\d|(?<![.!?] )\b[A-ZÀ-Þ]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
"""A number or a name: of these a property has one at a time, while it may be both old and broken."""
_ONLY = pattern(
    r"\b(?:favou?rite|pronouns?|e-?mail|name|language|time ?zone|size|colou?r|birthday|address|nickname|hometown)\b",
    re.I,
)
"""Things of which there is one, whatever it is."""
_YEAR_ONLY = pattern(r"^(?:in|since|around) \d{4}$")
